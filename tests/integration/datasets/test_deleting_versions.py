"""L35: the data of an old version is deleted, and the promises that were made with it stay."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from django.db import DatabaseError, transaction
from django.test import Client
from django.urls import reverse

from dpgov.audit.models import AuditEntry
from dpgov.budgets.models import Charge
from dpgov.datasets import storage
from dpgov.datasets.models import Dataset, DatasetVersion, VersionFingerprint
from dpgov.datasets.services import (
    SameRowsAsNewest,
    change_unit_bounds,
    delete_version_data,
    finish_deletions,
)
from dpgov.operation import clock
from dpgov.privacy.accounting.decimals import NANO
from dpgov.tenants.models import Membership
from tests.integration.datasets.filing import (
    as_file,
    ask,
    columns,
    committed,
    people,
    registered,
    versioned,
)
from tests.made_once import made_once

pytestmark = pytest.mark.django_db(transaction=True)
FIRST = as_file(people(*[("North",)] * 12))
SECOND = as_file(people(*[("South",)] * 12))
SPECS = columns()


@made_once
def two(owner: Membership, analyst: Membership, answer_all: Callable[[], int]) -> Dataset:
    """A dataset that was asked for ε 1 before its second version came."""
    dataset = registered(owner, FIRST, SPECS)
    ask(analyst, dataset)
    assert answer_all() == 1
    versioned(owner, dataset, SECOND, SPECS)
    return dataset


def _version(dataset: Dataset, number: int) -> DatasetVersion:
    return dataset.versions.get(number=number)


def _path(dataset: Dataset, number: int) -> Path:
    return storage.data_path(_version(dataset, number).pk)


def _address(dataset: Dataset, number: int = 1) -> str:
    return reverse("datasets:delete_version", args=[dataset.slug, number])


def test_the_file_goes_and_the_newest_version_ledger_log_and_fingerprints_stay(
    two: Dataset,
    owner: Membership,
    analyst: Membership,
    client_for: Callable[[Membership], Client],
    answer_all: Callable[[], int],
) -> None:
    """L35: consequences first, the name typed, one entry; questions go on."""
    browser, entries, charges = (
        client_for(owner),
        AuditEntry.objects.count(),
        Charge.objects.count(),
    )
    told = browser.get(_address(two)).text
    assert "It cannot be undone" in told
    assert "What was spent: ε&nbsp;1" in told
    assert browser.post(_address(two), {"name": "other"}).status_code == 422
    assert (_path(two, 1).exists(), AuditEntry.objects.count()) == (True, entries)
    assert browser.post(_address(two), {"name": two.name}).status_code == 302
    assert (_path(two, 1).exists(), _path(two, 2).exists()) == (False, True)
    assert not storage.leaving_path(_version(two, 1).pk).exists()
    entry = AuditEntry.objects.latest("sequence")
    assert entry.action == "VERSION_DATA_DELETED"
    assert json.loads(entry.detail)["version"] == 1
    assert (AuditEntry.objects.count(), Charge.objects.count()) == (entries + 1, charges)
    assert VersionFingerprint.objects.count() == 2
    assert "its data deleted" in browser.get(reverse("datasets:versions", args=[two.slug])).text
    assert browser.post(_address(two), {"name": two.name}).status_code == 404, "once"
    ask(analyst, two)
    assert answer_all() == 1


def test_deleted_rows_that_come_back_get_no_fresh_budget(two: Dataset, owner: Membership) -> None:
    """L35: delete, then register the same rows: the budget that was spent, not a new one."""
    delete_version_data(version=_version(two, 1), user=owner.user)
    again = registered(owner, FIRST, SPECS)
    assert (again.budget_id, committed(again)) == (two.budget_id, NANO)


def test_the_newest_version_and_foreign_ones_have_no_such_page(
    two: Dataset,
    stranger: Membership,
    owner: Membership,
    client_for: Callable[[Membership], Client],
) -> None:
    """L35: what questions are asked of stays, whatever an address or plain SQL says."""
    assert client_for(owner).post(_address(two, 2), {"name": two.name}).status_code == 404
    assert client_for(stranger).post(_address(two), {"name": two.name}).status_code == 404
    with pytest.raises(DatasetVersion.DoesNotExist):
        delete_version_data(version=_version(two, 2), user=owner.user)
    with pytest.raises(DatabaseError, match="never that of the newest"), transaction.atomic():
        two.versions.filter(number=2).update(data_deleted_at=clock.now())
    assert _path(two, 2).exists()


def test_a_question_that_was_asked_of_it_is_answered_first(
    owner: Membership,
    analyst: Membership,
    client_for: Callable[[Membership], Client],
    answer_all: Callable[[], int],
) -> None:
    """L35: an accepted question keeps the data of the version that it was asked of."""
    dataset = registered(owner, FIRST, SPECS)
    ask(analyst, dataset)
    versioned(owner, dataset, SECOND, SPECS)
    browser = client_for(owner)
    refused = browser.post(_address(dataset), {"name": dataset.name})
    assert refused.status_code == 422
    assert "still on their way" in refused.text
    assert _path(dataset, 1).exists()
    assert answer_all() == 1
    assert browser.post(_address(dataset), {"name": dataset.name}).status_code == 302


def test_one_file_under_two_names_goes_under_both_or_stays(owner: Membership, two: Dataset) -> None:
    """L35: other limits for a person keep the file: one name alone would delete nothing."""
    change_unit_bounds(dataset=two, max_rows=1, max_groups=None, user=owner.user)
    with pytest.raises(SameRowsAsNewest):
        delete_version_data(version=_version(two, 2), user=owner.user)
    assert _path(two, 2).stat().st_size
    versioned(owner, two, FIRST, SPECS)
    delete_version_data(version=_version(two, 3), user=owner.user)
    assert not _path(two, 2).exists()
    assert not _path(two, 3).exists()
    assert _path(two, 1).exists()
    detail = json.loads(AuditEntry.objects.latest("sequence").detail)
    assert (detail["version"], detail["same_rows"]) == (3, [2])


def test_a_worker_that_has_the_file_open_reads_nothing_more_of_it(
    two: Dataset, owner: Membership
) -> None:
    """L35: a name that is gone would leave the rows on the disk for as long as it is open."""
    with _path(two, 1).open("rb") as opened:
        delete_version_data(version=_version(two, 1), user=owner.user)
        assert opened.read() == b""


def test_the_sweeper_ends_what_a_process_began_that_died(two: Dataset) -> None:
    """L35: a mark deletes nothing by itself; with the decision in the database it does."""
    first = _version(two, 1)
    storage.leaving_path(first.pk).touch()
    assert finish_deletions() == 0
    two.versions.filter(pk=first.pk).update(data_deleted_at=clock.now())
    assert finish_deletions() == 1
    assert (_path(two, 1).exists(), _path(two, 2).exists()) == (False, True)
    with pytest.raises(DatabaseError, match="deleted once"), transaction.atomic():
        two.versions.filter(pk=first.pk).update(data_deleted_at=None)


def test_with_a_divided_budget_the_next_version_ends_the_discount(
    owner: Membership, client_for: Callable[[Membership], Client]
) -> None:
    """L35: the file alone knew who was in which part; nobody is placed anew or stuck."""
    dataset = registered(owner, FIRST, SPECS)
    versioned(owner, dataset, SECOND, SPECS)
    told = client_for(owner).get(_address(dataset)).text
    assert "who was in which part of the budget" in told
    delete_version_data(version=_version(dataset, 1), user=owner.user)
    assert versioned(owner, dataset, SECOND, SPECS).number == 3
    detail = json.loads(AuditEntry.objects.latest("sequence").detail)
    assert detail["parts_charged_apart"] is False
