"""L2: new rows are added to those of a version, which are not sent again."""

import json
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import pytest
from django.test import Client
from django.urls import reverse

from dpgov.audit.models import AuditEntry
from dpgov.budgets.models import Budget
from dpgov.datasets import storage
from dpgov.datasets.models import Arrival, Dataset, DatasetVersion, Upload
from dpgov.datasets.selectors import current_version
from dpgov.datasets.services import change_new_data_rule, engine_for
from dpgov.engines import child
from dpgov.engines.likeness import Likeness
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.plan.request import ExactRequest, Measure, MeasureKind
from dpgov.tenants.models import Membership, Role
from tests.cast import join
from tests.eager import arrived, read_waiting
from tests.integration.datasets.arriving import arrives
from tests.integration.datasets.invented import Rows, as_csv, people
from tests.integration.datasets.registering import declared, register, uploaded
from tests.integration.datasets.test_same_data import spend
from tests.made_once import made_once

SignIn = Callable[[Membership], Client]
OLD, NEW = people(1), people(2, 40)
ADDS = {"holds": "new_rows"}


@made_once
def dataset_of_people(browser: Client) -> Dataset:
    """Sixty invented people with ε 3, of which 2 are spent."""
    register(browser, uploaded(browser, as_csv(OLD)))
    dataset = Dataset.objects.get()
    spend(dataset, 2 * NANO)
    return dataset


def _address(browser: Client, dataset: Dataset, rows: Rows, **form: Any) -> str:
    upload = uploaded(browser, as_csv(rows, **form))
    return reverse("datasets:add_version", args=[dataset.slug, upload.pk])


def add(browser: Client, dataset: Dataset, rows: Rows = NEW, **changes: str) -> Any:
    """Post the page of a version with these rows as new ones, and look where it leads."""
    posted = declared(**changes) | ADDS
    return arrived(browser, browser.post(_address(browser, dataset, rows), posted))


def rows_of(version: DatasetVersion) -> int:
    """The true number of rows that questions are asked of."""
    ((rows,),) = engine_for(version).answer(ExactRequest((), (), (Measure(MeasureKind.ROWS),)))
    return int(rows)


def test_new_rows_follow_those_that_are_there(browser: Client, dataset_of_people: Dataset) -> None:
    """L2, G1: a version of all of them, the same budget, one entry that says so."""
    first = current_version(dataset_of_people)
    response = add(browser, dataset_of_people)
    assert response.url == reverse("datasets:detail", args=["people"])
    second = current_version(dataset_of_people)
    assert (rows_of(first), rows_of(second), second.number) == (60, 100, 2)
    assert Budget.objects.get().spent_nano == 2 * NANO
    entry = AuditEntry.objects.latest("sequence")
    assert entry.action == "DATASET_VERSION_ADDED"
    assert json.loads(entry.detail)["rows_added_to"] == 1
    add(browser, dataset_of_people, people(3, 5))
    assert rows_of(current_version(dataset_of_people)) == 105


def test_all_of_them_sent_again_are_the_same_data(
    browser: Client, dataset_of_people: Dataset
) -> None:
    """L2, L3: they share the budget; the new ones alone, which nobody registered, do as well."""
    add(browser, dataset_of_people)
    for rows, name in (((*OLD, *NEW)[::-1], "All"), (NEW[::-1], "Alone")):
        found = arrives(browser, as_csv(list(rows)), name=name)
        assert found.held_at is not None or found.budget_id == dataset_of_people.budget_id, name


def test_only_who_brought_the_rows_adds_to_them(
    browser: Client, dataset_of_people: Dataset, owner: Membership, client_for: SignIn
) -> None:
    """L1: whether rows are there, and how many, would show in what becomes of the file."""
    colleague = client_for(join(owner.tenant, Role.OWNER, "otto"))
    pages = []
    for rows in (OLD, NEW):
        address = _address(colleague, dataset_of_people, rows)
        assert 'value="new_rows"' not in colleague.get(address).content.decode()
        with patch.object(child, "ingest", side_effect=AssertionError):
            response = colleague.post(address, declared() | ADDS)
        assert response.status_code == 422
        pages.append([problem["message"] for problem in response.context["problems"]])
    assert pages[0] == pages[1]
    assert "Someone else brought" in pages[0][0]
    assert DatasetVersion.objects.count() == 1


def test_where_the_number_of_people_is_public_no_rows_are_added(browser: Client) -> None:
    """L2: it would change."""
    register(browser, uploaded(browser, as_csv(OLD)), neighbouring="change_one")
    response = add(browser, Dataset.objects.get())
    assert response.status_code == 422
    assert "is public and has to stay" in response.content.decode()
    assert DatasetVersion.objects.count() == 1


@pytest.mark.parametrize(
    "changes",
    [
        {"age__upper": "121"},
        {"age__missing": "impute", "age__impute": "3"},
        {"sex__categories": "m\r\nf"},
        {"sex__kind": ""},
        {"city__kind": "category", "city__categories": "Basel", "city__missing": "drop"},
    ],
    ids=str,
)
def test_what_is_stored_keeps_its_meaning(
    browser: Client, dataset_of_people: Dataset, changes: dict[str, str]
) -> None:
    """D5: other bounds, rules or columns need all rows."""
    response = add(browser, dataset_of_people, NEW, **changes)
    assert response.status_code == 422
    assert "declared as they are" in response.content.decode()
    assert DatasetVersion.objects.count() == 1


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (OLD[::-1], "Most of these rows are there already"),
        (OLD[:40], "Most of these rows are there already"),
        (NEW + people(4, 901), "more than 1,000, the largest number"),
    ],
    ids=["all again", "some again", "too many"],
)
def test_rows_that_cannot_be_added_leave_nothing(
    browser: Client, dataset_of_people: Dataset, rows: Rows, said: str
) -> None:
    """L2, D5: where rows are units nobody is in two of them; and the form is there again."""
    response = add(browser, dataset_of_people, rows)
    assert said in response.content.decode()
    page = " ".join(response.content.decode().split())
    assert 'value="new_rows" id="id_holds_1" checked' in page
    assert DatasetVersion.objects.count() == 1
    assert Upload.objects.latest("created_at").state == Upload.State.READY


def test_people_who_come_again_are_not_added_as_other_ones(
    browser: Client, dataset_of_people: Dataset
) -> None:
    """L2: the same towns of the same people, with other ages: each would be two units."""
    again: list[tuple[str, ...]] = [(str(100 - int(age)), sex, town) for age, sex, town in OLD]
    response = add(browser, dataset_of_people, again)
    assert "anyone who is in both would count twice" in response.content.decode()
    assert DatasetVersion.objects.count() == 1


def test_a_version_that_came_between_is_looked_at_first(
    browser: Client, dataset_of_people: Dataset
) -> None:
    """L2, F11: rows are added to what their owner saw."""
    address = _address(browser, dataset_of_people, NEW)
    assert browser.post(address, declared() | ADDS).status_code == 302
    really = child.ingest

    def ingest(*args: Any, **kwargs: Any) -> Any:
        with patch.object(child, "ingest", really):
            other = _address(browser, dataset_of_people, OLD + people(5))
            browser.post(other, declared())
            read_waiting()
        return really(*args, **kwargs)

    with patch.object(child, "ingest", ingest):
        read_waiting()
    states = Arrival.objects.order_by("asked_at").values_list("state", flat=True)
    assert list(states)[-2:] == ["refused", "done"]
    assert "Another version came" in browser.get(address).content.decode()
    assert rows_of(current_version(dataset_of_people)) == 120


def test_without_the_stored_rows_nothing_is_added(
    browser: Client, dataset_of_people: Dataset
) -> None:
    """L12: a file that is gone is put back first."""
    storage.data_path(current_version(dataset_of_people).pk).unlink()
    assert "not on this machine" in add(browser, dataset_of_people).content.decode()
    assert DatasetVersion.objects.count() == 1


def test_new_rows_wait_for_an_officer_like_other_data(
    browser: Client, dataset_of_people: Dataset, officer: Membership, client_for: SignIn
) -> None:
    """L1: and the officer sees what the new rows resemble by themselves."""
    neighbour = join(officer.tenant, Role.OWNER, "otto")
    arrives(client_for(neighbour), as_csv(NEW), name="Theirs")
    change_new_data_rule(tenant=officer.tenant, waits=True, user=officer.user)
    add(browser, dataset_of_people)
    version = DatasetVersion.objects.get(dataset=dataset_of_people, number=2)
    assert version.dataset.held_reason == Dataset.HeldReason.NEW_DATA
    page = client_for(officer).get(reverse("datasets:look", args=[version.pk]))
    ((theirs, how),) = page.context["resembling"].own
    assert (theirs.name, how) == ("Theirs", Likeness.EXACT)
