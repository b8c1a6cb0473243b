"""D5: the file of a new version has other columns than are declared, and its owner is told before.

What could go wrong: a column that analysts ask about is gone from one version to the next, and
nobody meant that. Names of columns are its owner's metadata; nothing of a row is shown.
"""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from dpgov.datasets.models import Arrival, Dataset, DatasetVersion, Upload
from dpgov.datasets.selectors import current_version
from tests.eager import arrived
from tests.integration.datasets.registering import CSV, declared, register, uploaded
from tests.made_once import made_once

pytestmark = pytest.mark.django_db
OTHER = b"age,town,gender\n30,Basel,f\n45,Bern,m\n99,Ulm,f\n20,Ulm,m\n"
WITHOUT_SEX = '["sex"]'
# Of the file above: its first column is declared as before, and the others are left out.
TYPED = declared(sex__kind="", sex__categories="")


@made_once
def dataset(browser: Client) -> Dataset:
    """With age and sex, of a file that has a city as well."""
    register(browser, uploaded(browser))
    return Dataset.objects.get()


def _page(dataset: Dataset, upload: Upload, name: str = "add_version") -> str:
    return reverse(f"datasets:{name}", args=[dataset.slug, upload.pk])


def _words(response: Any) -> str:
    return " ".join(response.content.decode().split())


def test_the_page_says_what_the_file_lacks_and_what_it_has_more(
    browser: Client, dataset: Dataset
) -> None:
    text = _words(browser.get(_page(dataset, uploaded(browser, OTHER))))
    assert "Declared so far, but not in this file: sex" in text
    assert "In this file, but not declared so far: town, gender" in text
    assert text.index("Declared so far") < text.index("Add the version")
    assert "Ulm" not in text


def test_the_same_columns_say_nothing(browser: Client) -> None:
    register(browser, uploaded(browser), city__kind="category", city__categories="Basel\r\nBern")
    again = uploaded(browser, CSV + b"30,f,Bern\n")
    text = _words(browser.get(_page(Dataset.objects.get(), again)))
    assert "so far: " not in text
    assert 'id="compared"' not in text


def test_the_column_that_names_people_is_not_called_new(browser: Client) -> None:
    register(browser, uploaded(browser), unit="person", private_id="city", max_rows_per_unit="2")
    dataset, again = Dataset.objects.get(), uploaded(browser, CSV + b"30,f,Bern\n")
    assert dataset.private_id == "city"
    assert "not declared so far" not in _words(browser.get(_page(dataset, again)))


def test_a_declared_column_goes_only_where_its_owner_names_it(
    browser: Client, dataset: Dataset
) -> None:
    """Refused with a question; the tick that answers it goes on, and nothing was added before."""
    upload = uploaded(browser, OTHER)
    address = _page(dataset, upload)
    refused: Any = browser.post(address, TYPED)
    assert refused.status_code == 422
    text = _words(refused)
    assert "Declared now, and missing from this version: sex. Is that meant?" in text
    assert 'name="without" id="id_without" value="[&quot;sex&quot;]"' in text
    assert "Add the version without sex." in text
    assert not Arrival.objects.filter(upload=upload).exists()
    done = arrived(browser, browser.post(address, TYPED | {"without": WITHOUT_SEX}))
    assert done.headers["Location"] == reverse("datasets:detail", args=[dataset.slug])
    assert [one.name for one in current_version(dataset).columns.all()] == ["age"]


@pytest.mark.parametrize("said", ["", "on", "[]", '["age"]', '["age", "sex"]', '["sex", "city"]'])
def test_a_tick_for_other_columns_says_nothing_of_these(
    browser: Client, dataset: Dataset, said: str
) -> None:
    """It stood on a page that was read; meanwhile something else is left out."""
    address = _page(dataset, uploaded(browser, OTHER))
    assert browser.post(address, TYPED | {"without": said}).status_code == 422
    assert DatasetVersion.objects.count() == 1


def test_a_column_that_is_there_and_left_out_is_asked_about_too(
    browser: Client, dataset: Dataset
) -> None:
    """The file has it, so that only what was typed says that it goes."""
    address = _page(dataset, uploaded(browser, CSV + b"30,f,Bern\n"))
    assert "not in this file" not in _words(browser.get(address))
    assert browser.post(address, TYPED).status_code == 422
    assert browser.post(address, declared()).status_code == 302


def test_the_private_check_asks_the_same_before_its_button(
    browser: Client, dataset: Dataset
) -> None:
    """Its button adds the version: what was ticked before is asked for anew, and once."""
    upload = uploaded(browser, OTHER)
    checked: Any = browser.post(_page(dataset, upload, "check_version"), TYPED | {"without": "[]"})
    text = _words(checked)
    assert checked.status_code == 200
    assert "Declared so far, but not in this file: sex" in text
    assert "In this file, but not declared so far: town, gender" in text
    assert text.count('name="without"') == 1
    assert text.index('name="without"') < text.index('class="btn btn-primary" type="submit"')
    hidden = dict(checked.context["fields"])
    assert browser.post(_page(dataset, upload), hidden).status_code == 422
    ticked = hidden | {"without": WITHOUT_SEX}
    assert browser.post(_page(dataset, upload), ticked).status_code == 302


def test_the_check_of_a_first_registration_compares_with_nothing(browser: Client) -> None:
    upload = uploaded(browser, OTHER)
    page: Any = browser.post(reverse("datasets:check", args=[upload.pk]), TYPED)
    assert page.status_code == 200
    assert "so far: " not in _words(page)
