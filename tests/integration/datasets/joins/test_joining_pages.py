"""M60, M61: an owner joins a public table: refusals stand at their inputs, and nothing is lost."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from dpgov.audit.models import AuditEntry
from dpgov.datasets.models import Arrival, Dataset, DatasetVersion, Upload
from dpgov.datasets.selectors import current_version
from dpgov.tenants.models import Membership
from tests.eager import read_waiting, refused
from tests.integration.datasets.joins.public import (
    AREA,
    OTHER,
    TOWNS,
    choose,
    is_there,
    joined_upload,
    registered,
    send,
)
from tests.integration.datasets.registering import declared, register
from tests.integration.datasets.test_versions import add_version

SignIn = Callable[[Membership], Client]


@pytest.mark.parametrize(
    ("changes", "field", "words"),
    [
        ({"public_key": "area"}, "public_key", "stands there more than once"),
        ({"columns": []}, "columns", "Choose at least one column"),
        ({"key": "town"}, "key", "Select a valid choice"),
        ({"columns": ["city"]}, "columns", "Select a valid choice"),
    ],
)
def test_a_join_that_cannot_be_made_is_refused_where_it_is_wrong(
    browser: Client, upload: Upload, changes: dict[str, Any], field: str, words: str
) -> None:
    """Bad input: nothing is joined, nothing is lost, the message stands at its input."""
    send(browser, upload, b"town,area,people\nBasel,north,1\nBern,north,2\n")
    response = choose(browser, upload, **changes)
    assert response.status_code == 422
    assert words in str(response.context["form"].errors[field])
    upload.refresh_from_db()
    assert (upload.joined, upload.headers) == ({}, ["age", "sex", "city"])
    assert upload.public_tables.count() == 1


def test_a_column_of_both_is_refused(browser: Client, upload: Upload) -> None:
    """Nobody could say which one a question means."""
    send(browser, upload, b"town,sex\nBasel,f\n")
    response = choose(browser, upload, columns=["sex"])
    assert "“sex” of its own" in str(response.context["form"].errors["columns"])


def test_what_names_people_is_no_key(browser: Client) -> None:
    """M61: a table with a row for each person holds people; it would pass by unrecognised."""
    upload = joined_upload(browser)
    page = register(browser, upload, unit="person", private_id="city", max_rows_per_unit="2")
    assert refused(page)
    assert "cannot name people too" in page.content.decode()
    assert not Dataset.objects.exists()


def test_how_many_rows_find_their_key_is_told_to_nobody(browser: Client) -> None:
    """M60: two public tables, one with all keys and one with a single one: the pages are equal."""
    pages = []
    for content in (TOWNS, b"town,area,people\nBern,middle,134\nRome,south,2\n"):
        upload = joined_upload(browser, content)
        page = browser.get(reverse("datasets:register", args=[upload.pk])).content.decode()
        joining = browser.get(reverse("datasets:join", args=[upload.pk])).content.decode()
        pages.append(_without_secrets(page + joining, upload))
    assert pages[0] == pages[1]


def _without_secrets(page: str, upload: Upload) -> str:
    lines = [
        line for line in page.splitlines() if "csrf" not in line.lower() and "nonce" not in line
    ]
    return "\n".join(lines).replace(str(upload.pk), "")


def test_the_columns_are_there_in_the_private_check(browser: Client) -> None:
    """They are checked like all others, in the same coarse words."""
    upload = joined_upload(browser)
    address = reverse("datasets:check", args=[upload.pk])
    page = browser.post(address, declared(**AREA))
    assert [line.column for line in page.context["lines"]] == ["age", "sex", "area"]


def test_another_choice_forgets_what_was_typed_for_the_columns_before(browser: Client) -> None:
    """Its declarations would stand at another column."""
    upload = joined_upload(browser)
    browser.post(reverse("datasets:save_draft", args=[upload.pk]), declared(**AREA))
    choose(browser, upload, columns=["people"])
    form = browser.get(reverse("datasets:register", args=[upload.pk])).context["form"]
    assert [column.column for column in form.columns] == ["age", "sex", "city", "people"]
    assert form.columns[0].initial["kind"] == "number"
    assert not form.columns[3].initial


def test_taken_away_the_file_is_as_it_was(browser: Client) -> None:
    """One entry in the log, and nothing on the disk."""
    upload = joined_upload(browser)
    public = upload.public_tables.get()
    assert is_there(public)
    browser.post(reverse("datasets:unjoin", args=[upload.pk]))
    upload.refresh_from_db()
    assert (upload.joined, upload.headers) == ({}, ["age", "sex", "city"])
    assert is_there(upload)
    assert not is_there(public)
    assert AuditEntry.objects.latest("sequence").action == "UPLOAD_DISCARDED"


def test_a_second_table_takes_the_place_of_the_first(browser: Client) -> None:
    """The columns that were joined are gone until they are chosen again."""
    upload = joined_upload(browser)
    first = upload.public_tables.get()
    send(browser, upload, OTHER)
    upload.refresh_from_db()
    assert (upload.joined, upload.public_tables.count()) == ({}, 1)
    assert is_there(upload.public_tables.get())
    assert not is_there(first)


def test_new_rows_need_the_same_public_table(browser: Client) -> None:
    """M61: a version's table is one; rows beside another one make a version of all rows."""
    dataset = registered(browser)
    more = joined_upload(browser, OTHER)
    address = reverse("datasets:add_version", args=[dataset.slug, more.pk])
    page = browser.post(address, declared(**AREA, holds="new_rows"))
    assert "New rows need the same public table" in page.content.decode()
    assert DatasetVersion.objects.count() == 1
    plain = add_version(browser, dataset, b"age,sex,city\n20,m,Bern\n", holds="new_rows")
    assert "New rows need the same public table" in plain.content.decode()


def test_nothing_is_joined_while_the_file_is_read(browser: Client) -> None:
    """The reader would read another table than the one that the version names."""
    upload = joined_upload(browser)
    browser.post(reverse("datasets:register", args=[upload.pk]), declared(**AREA))
    assert Arrival.objects.get().is_running
    posted: tuple[Any, ...] = (
        send(browser, upload, OTHER),
        choose(browser, upload, columns=["people"]),
        browser.post(reverse("datasets:unjoin", args=[upload.pk])),
    )
    for response in posted:
        assert response.url == reverse("datasets:reading", args=[upload.pk])
    read_waiting()
    assert current_version(Dataset.objects.get()).joined["columns"] == ["area"]


def test_the_file_of_somebody_else_looks_missing(
    browser: Client, elsewhere: Client, upload: Upload
) -> None:
    """The wall: neither a table for it, nor a choice, nor taking it away."""
    assert send(elsewhere, upload).status_code == 404
    assert choose(elsewhere, upload).status_code == 404
    assert elsewhere.post(reverse("datasets:unjoin", args=[upload.pk])).status_code == 404
    assert send(browser, upload).status_code == 302


def test_read_differently_the_file_keeps_what_is_joined_to_it(browser: Client) -> None:
    """As long as its columns stay the same; otherwise the key may be another column."""
    upload = joined_upload(browser)
    address = reverse("datasets:file", args=[upload.pk])
    wanted = {"encoding": "utf-8", "delimiter": ",", "decimal": ",", "header": "names"}
    browser.post(address, wanted)
    upload.refresh_from_db()
    assert upload.headers == ["age", "sex", "city", "area"]
    browser.post(address, wanted | {"header": "values"})
    upload.refresh_from_db()
    assert (upload.joined, len(upload.headers)) == ({}, 3)


@pytest.mark.parametrize("step", ["ingest", "record"])
def test_a_registration_that_breaks_off_keeps_both_files(
    browser: Client, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """Nothing is lost: after a failure the same file and table are registered in a second try."""
    upload = joined_upload(browser)
    browser.post(reverse("datasets:register", args=[upload.pk]), declared(**AREA))
    where = {
        "ingest": "dpgov.engines.child.ingest",
        "record": "dpgov.datasets.services.registration.create_version",
    }

    def breaks(*_args: Any, **_named: Any) -> None:
        raise RuntimeError(step)

    with monkeypatch.context() as patched:
        patched.setattr(where[step], breaks)
        with pytest.raises(RuntimeError, match=step):
            read_waiting()
    assert not Dataset.objects.exists()
    assert len(list(filter(is_there, Upload.objects.all()))) == 2
    read_waiting()
    assert current_version(Dataset.objects.get()).joined["columns"] == ["area"]
    assert not any(map(is_there, Upload.objects.all()))
