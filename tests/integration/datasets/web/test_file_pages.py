"""I7: a German export and its kin, from the upload to the dataset, at the pages."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from dpgov.datasets.models import Dataset, Upload
from tests.integration.datasets.registering import declared, register, send_file
from tests.unit.engines.workbooks import workbook

pytestmark = pytest.mark.django_db

EXPORT = "Dauer;Wetter;Straße\n31,11;sun;Hof\n7,5;rain;Weg\n".encode("cp1252")
TYPED = {
    "age__kind": "number", "age__lower": "0", "age__upper": "100", "age__step": "0.01",
    "sex__kind": "category", "sex__categories": "sun\r\nrain",
}  # fmt: skip


def arrived(browser: Client, content: bytes) -> tuple[Upload, Any]:
    """The file, and the page that its owner sees next."""
    answer = send_file(browser, content)
    return Upload.objects.latest("created_at"), browser.get(answer.url)


def test_what_was_understood_is_said_first_and_can_be_changed(browser: Client) -> None:
    """I7: encoding, separator and decimal mark."""
    upload, page = arrived(browser, EXPORT)
    text = page.content.decode()
    assert "read as Windows-1252" in text
    assert "separated by semicolons" in text
    assert "a decimal point" in text
    where = reverse("datasets:file", args=[upload.pk])
    other = {"encoding": "cp1252", "delimiter": ";", "decimal": ",", "header": "names"}
    answer = browser.post(where, other)
    assert answer.headers["Location"] == reverse("datasets:register", args=[upload.pk])
    assert "a decimal comma" in browser.get(answer.headers["Location"]).content.decode()
    upload.refresh_from_db()
    assert upload.headers == ["Dauer", "Wetter", "Straße"]


def test_the_check_asks_for_the_decimal_comma_and_the_switch_is_beside_it(browser: Client) -> None:
    """I7, I5: from "none" to "all" in one click, then registered."""
    upload, _page = arrived(browser, EXPORT)
    where = reverse("datasets:check", args=[upload.pk])
    page = browser.post(where, declared(**TYPED)).content.decode()
    assert "None of “Dauer” can be read as numbers" in page
    assert "Read commas as decimal marks" in page
    assert "registering will be refused" in page
    again = browser.post(where, {**declared(**TYPED), "decimal": ","}).content.decode()
    assert "Read commas as decimal marks" not in again
    assert "refused" not in again
    assert "31,11" not in page + again
    register(browser, upload, **TYPED)
    assert Dataset.objects.get().versions.get().columns.count() == 2


def test_names_that_change_drop_what_was_typed_for_the_columns(browser: Client) -> None:
    upload, _page = arrived(browser, b"42;Bonn\n43;Ulm\n")
    assert upload.headers == ["column_1", "column_2"]
    browser.post(reverse("datasets:save_draft", args=[upload.pk]), declared())
    where = reverse("datasets:file", args=[upload.pk])
    browser.post(where, {"encoding": "utf-8", "delimiter": ";", "decimal": ".", "header": "names"})
    upload.refresh_from_db()
    assert upload.headers == ["42", "Bonn"]
    typed = upload.draft.typed
    assert typed["name"] == "People"
    assert not [name for name in typed if name.startswith("column-")]


def test_a_sheet_is_chosen(browser: Client) -> None:
    book = workbook({"Info": [["about"], ["x"]], "Data": [["age", "sex", "city"], [30, "f", "B"]]})
    upload, page = arrived(browser, book)
    assert "The workbook has 2 sheets; “Info” is read." in page.content.decode()
    where = reverse("datasets:file", args=[upload.pk])
    browser.post(where, {"sheet": "Data", "decimal": ".", "header": "names"})
    register(browser, upload)
    assert Dataset.objects.get().versions.get().columns.count() == 2


def test_a_reading_that_cannot_be_is_refused_and_changes_nothing(browser: Client) -> None:
    upload, _page = arrived(browser, EXPORT)
    where = reverse("datasets:file", args=[upload.pk])
    wrong = {"encoding": "utf-16", "delimiter": ";", "decimal": ",", "header": "names"}
    answer = browser.post(where, wrong)
    assert answer.status_code == 422
    assert "cannot be read in the encoding" in answer.content.decode()
    assert Upload.objects.get().reading == upload.reading


def test_a_plain_file_goes_straight_to_its_columns(browser: Client, upload: Upload) -> None:
    page = browser.get(reverse("datasets:register", args=[upload.pk])).content.decode()
    assert "Cells are separated by commas." in page
    assert reverse("datasets:file", args=[upload.pk]) in page


def test_the_file_of_a_version_is_checked_in_the_same_way(browser: Client, upload: Upload) -> None:
    """I5: against what is declared for the version."""
    register(browser, upload)
    slug = Dataset.objects.get().slug
    second, _page = arrived(browser, b"age,sex,city\nx,f,B\ny,m,B\n")
    where = reverse("datasets:check_version", args=[slug, second.pk])
    page = browser.post(where, declared()).content.decode()
    assert "No cell can be read as it is declared." in page
    assert reverse("datasets:add_version", args=[slug, second.pk]) in page
