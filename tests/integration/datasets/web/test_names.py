"""Two datasets that somebody sees have two names: on a desk nothing else tells them apart."""

import pytest
from django.test import Client
from django.urls import reverse

from dpgov.datasets.models import Dataset
from tests.integration.datasets.registering import declared, register, uploaded
from tests.made_once import made_once

pytestmark = pytest.mark.django_db
OTHERS = b"age,sex,city\n11,m,Zug\n12,f,Chur\n13,m,Thun\n14,f,Olten\n15,m,Brig\n"


@made_once
def people(browser: Client) -> Dataset:
    """Called People."""
    register(browser, uploaded(browser))
    return Dataset.objects.get()


def test_a_dataset_is_not_registered_under_the_name_of_another(
    browser: Client, people: Dataset
) -> None:
    address = reverse("datasets:register", args=[uploaded(browser, OTHERS).pk])
    refused = browser.post(address, declared(name="people "))
    assert refused.status_code == 422
    assert "“People”, at /datasets/people/, is called that already" in refused.text
    assert Dataset.objects.count() == 1


def test_a_name_that_is_taken_is_told_beside_whatever_else_is_wrong(
    browser: Client, people: Dataset
) -> None:
    """Whoever mends what is listed is not sent back for more."""
    typed = declared(
        name="People", epsilon_limit="1", epsilon_per_query="2", **{"column-0-lower": "200"}
    )
    address = reverse("datasets:register", args=[uploaded(browser, OTHERS).pk])
    refused = browser.post(address, typed).text
    assert "is called that already" in refused
    assert "One question cannot cost more than the limit, ε 1." in refused
    assert "is below the lower bound" in refused
    assert "please look at 3 points" in refused


def test_a_dataset_is_not_renamed_to_the_name_of_another(browser: Client, people: Dataset) -> None:
    register(browser, uploaded(browser, OTHERS), name="Others")
    address = reverse("datasets:rename", args=["others"])
    refused = browser.post(address, {"name": "PEOPLE"})
    assert (refused.status_code, "is called that already" in refused.text) == (422, True)
    assert browser.post(address, {"name": "OTHERS"}).status_code == 302
    assert set(Dataset.objects.values_list("name", flat=True)) == {"People", "OTHERS"}


def test_a_name_is_free_again_once_its_dataset_is_archived(
    browser: Client, people: Dataset
) -> None:
    browser.post(reverse("datasets:archive", args=["people"]))
    register(browser, uploaded(browser, OTHERS))
    assert list(Dataset.objects.values_list("name", flat=True)) == ["People", "People"]
