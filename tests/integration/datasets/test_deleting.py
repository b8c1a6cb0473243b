"""The data of an archived dataset can be deleted; what people were promised stays."""

from collections.abc import Callable
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from django.test import Client
from django.urls import reverse

from dpgov.audit.actor import OPERATOR
from dpgov.audit.models import AuditEntry
from dpgov.budgets.models import Budget, Charge
from dpgov.budgets.services import open_parts, reserve, settle, void
from dpgov.budgets.services.line import Line
from dpgov.datasets import storage
from dpgov.datasets.models import Dataset, VersionFingerprint
from dpgov.datasets.selectors import current_version
from dpgov.datasets.services import archive_dataset, end_retention, finish_deletions
from dpgov.datasets.services.deleting import QuestionsOnTheirWay, delete_files
from dpgov.operation import clock
from dpgov.privacy.accounting.decimals import NANO
from dpgov.queries.models import Release
from dpgov.tenants.models import Membership
from tests.cast import Ask
from tests.made_once import made_once
from tests.small_dataset import register_small_dataset

pytestmark = pytest.mark.django_db(transaction=True)
NAMED = {"name": "Visits"}


@made_once
def browser(owner: Membership, client_for: Callable[[Membership], Client]) -> Client:
    return client_for(owner)


@made_once
def archived(
    dataset: Dataset,
    owner: Membership,
    analyst: Membership,
    ask: Ask,
    answer_all: Callable[[], int],
) -> Dataset:
    """Asked once for ε 0.5, answered, and archived."""
    ask(analyst)
    assert answer_all() == 1
    archive_dataset(dataset=dataset, user=owner.user)
    return dataset


def address(dataset: Dataset) -> str:
    return reverse("datasets:delete_data", args=[dataset.pk])


def test_the_file_goes_and_ledger_log_answers_and_fingerprints_stay(
    browser: Client, archived: Dataset, owner: Membership
) -> None:
    """L22: consequences first, the name typed, one entry; the same people stay recognised."""
    path = storage.data_path(current_version(archived).pk)
    told = browser.get(address(archived)).text
    assert "It cannot be undone" in told
    assert "What was spent: ε&nbsp;0.5" in told
    assert path.exists()
    assert browser.post(address(archived), NAMED).status_code == 302
    assert not path.exists()
    assert not storage.leaving_path(current_version(archived).pk).exists()
    assert AuditEntry.objects.latest("pk").action == "DATASET_DATA_DELETED"
    assert (Charge.objects.count(), Release.objects.count()) == (1, 1)
    assert VersionFingerprint.objects.count() == 1
    again = register_small_dataset(owner, name="Visits again")
    assert again.budget_id == archived.budget_id, "the same people, the same budget"
    assert again.budget.spent_nano == NANO // 2
    assert "deleted" in browser.get(reverse("datasets:archived")).text
    assert browser.post(address(archived), NAMED).status_code == 404, "once"


@pytest.mark.parametrize("typed", ["", "visits", "Other"])
def test_nothing_goes_before_the_name_is_typed(
    browser: Client, archived: Dataset, typed: str
) -> None:
    """L22: a slip deletes nothing."""
    entries = AuditEntry.objects.count()
    assert browser.post(address(archived), {"name": typed}).status_code == 422
    assert storage.data_path(current_version(archived).pk).exists()
    assert AuditEntry.objects.count() == entries


def test_a_dataset_in_use_has_no_such_page(browser: Client, dataset: Dataset) -> None:
    """L22: only what is archived can be deleted."""
    assert browser.post(address(dataset), NAMED).status_code == 404
    assert storage.data_path(current_version(dataset).pk).exists()


def test_questions_on_their_way_are_answered_first(
    browser: Client,
    dataset: Dataset,
    owner: Membership,
    analyst: Membership,
    ask: Ask,
    answer_all: Callable[[], int],
) -> None:
    """L22: an accepted question keeps its data."""
    ask(analyst)
    archive_dataset(dataset=dataset, user=owner.user)
    refused = browser.post(address(dataset), NAMED)
    assert refused.status_code == 422
    assert "still on their way" in refused.text
    assert answer_all() == 1
    assert browser.post(address(dataset), NAMED).status_code == 302


@made_once
def held_on_south(dataset: Dataset) -> UUID:
    """A question about South that is on its way, while more was spent on North."""
    open_parts(budget=dataset.budget, parts=["North", "South"])
    parts = Budget.objects.filter(as_part__dataset_budget=dataset.budget)
    north, south = parts.order_by("as_part__position")
    asked = uuid4(), uuid4()
    for query_id, part, nano in zip(asked, (north, south), (NANO, NANO // 10), strict=True):
        reserve(query_id=query_id, tenant_id=dataset.tenant_id, lines=[Line(part.pk, nano)])
    settle(query_id=asked[0], amount_nano=NANO)
    assert Budget.objects.get(pk=dataset.budget_id).reserved_nano == 0, "the control"
    return asked[1]


def test_what_one_part_holds_is_on_its_way_though_another_has_spent_more(
    dataset: Dataset, owner: Membership, held_on_south: UUID
) -> None:
    """L22: the budget's own figures are those of its largest part."""
    archive_dataset(dataset=dataset, user=owner.user)
    with pytest.raises(QuestionsOnTheirWay):
        delete_files(dataset=dataset, actor=OPERATOR)
    void(query_id=held_on_south)
    delete_files(dataset=dataset, actor=OPERATOR)
    assert Dataset.objects.get().data_deleted_at is not None


def test_nor_does_its_last_day_take_it_away(dataset: Dataset, held_on_south: UUID) -> None:
    """L22, L28: the sweeper waits for it."""
    Dataset.objects.update(kept_until=clock.today() - timedelta(days=2))
    assert end_retention() == 0
    assert storage.data_path(current_version(dataset).pk).exists()
    void(query_id=held_on_south)
    assert end_retention() == 1


def test_the_sweeper_ends_what_a_process_began_that_died(archived: Dataset) -> None:
    """L22: a mark deletes nothing by itself; with the decision in the database it does."""
    version = current_version(archived).pk
    path = storage.data_path(version)
    storage.leaving_path(version).touch()
    storage.leaving_path(uuid4()).touch()
    assert finish_deletions() == 0
    assert path.exists()
    Dataset.objects.update(data_deleted_at=archived.created_at)
    assert finish_deletions() == 1
    assert not path.exists()
