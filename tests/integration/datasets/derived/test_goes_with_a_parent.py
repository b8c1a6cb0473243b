"""M67: what was derived goes where its parent does, and whoever decides that reads it beforehand.

What could go wrong: an owner archives or deletes one dataset, and loses another that nothing named.
"""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import current_version
from dpgov.datasets.services import archive_dataset, delete_data, pause_questions
from dpgov.datasets.services.held.looks import pause
from dpgov.tenants.models import Membership
from tests.integration.datasets.derived.family import derived
from tests.made_once import made_once

Pair = tuple[Dataset, Dataset]
SignIn = Callable[[Membership], Client]
TOLD = "This was derived from it and goes with it: Visits and costs."
BUTTON = "Archive the dataset"


@made_once
def browser(owner: Membership, client_for: SignIn) -> Client:
    return client_for(owner)


def _text(browser: Client, name: str, *args: object) -> str:
    page: Any = browser.get(reverse(name, args=args))
    assert page.status_code == 200
    return " ".join(page.content.decode().split())


@pytest.mark.parametrize("page", ["datasets:archive", "datasets:retention"])
def test_what_goes_with_a_dataset_is_named_before_it_goes(
    browser: Client, both: Dataset, page: str
) -> None:
    assert TOLD in _text(browser, page, "visits")
    assert "derived from it" not in _text(browser, page, both.slug)


def test_whose_data_is_deleted_with_it_is_named(
    browser: Client, owner: Membership, both: Dataset, visits_and_costs: Pair
) -> None:
    """As long as there is data of it to be deleted."""
    visits, costs = visits_and_costs
    for one in (visits, costs):
        archive_dataset(dataset=one, user=owner.user)
    assert TOLD in _text(browser, "datasets:delete_data", visits.pk)
    delete_data(dataset=Dataset.objects.get(pk=visits.pk), user=owner.user)
    assert "derived from it" not in _text(browser, "datasets:delete_data", costs.pk)


def test_two_are_named_in_one_sentence_and_their_names_are_no_markup(
    browser: Client, both: Dataset, owner: Membership
) -> None:
    derived(owner, name="<b>Bold</b>")
    text = _text(browser, "datasets:archive", "visits")
    named = "These were derived from it and go with it: &lt;b&gt;Bold&lt;/b&gt;, Visits and costs."
    assert named in text


def test_a_pause_stands_where_the_button_would(
    browser: Client, owner: Membership, both: Dataset, visits_and_costs: Pair
) -> None:
    """Of the dataset, or of what goes with it; with the way to where it is ended."""
    assert BUTTON in _text(browser, "datasets:archive", "visits")
    pause_questions(dataset=both, user=owner.user, reason="")
    text = _text(browser, "datasets:archive", "visits")
    assert "“Visits and costs” was derived from this dataset and goes with it, but" in text
    assert f'href="{reverse("datasets:detail", args=[both.slug])}"> Go to Visits and costs' in text
    assert BUTTON not in text
    pause_questions(dataset=visits_and_costs[0], user=owner.user, reason="")
    text = _text(browser, "datasets:archive", "visits")
    assert "Questions about this dataset are paused. Resume them before you archive it." in text
    assert f'href="{reverse("datasets:detail", args=["visits"])}"> Go to Visits' in text
    assert BUTTON not in text


def test_one_that_was_held_meanwhile_is_on_the_page_from_which_its_data_is_deleted(
    browser: Client,
    owner: Membership,
    officer: Membership,
    both: Dataset,
    visits_and_costs: Pair,
) -> None:
    """Its rows would have stayed as long as those of the parent that went."""
    pause(version=current_version(both), membership=officer, reason="whose are these?")
    archive_dataset(dataset=visits_and_costs[0], user=owner.user)
    address = reverse("datasets:delete_data", args=[both.pk])
    assert f'href="{address}"' in _text(browser, "datasets:archived")
    assert browser.post(address, {"name": both.name}).status_code == 302
    assert Dataset.objects.get(pk=both.pk).data_deleted_at is not None
