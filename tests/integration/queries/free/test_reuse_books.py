"""F12: keys, refusals, sums, the reconciliation and the database know what was free."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import IntegrityError, connection
from django.test.utils import CaptureQueriesContext

from dpgov.audit.models import AuditEntry
from dpgov.dashboards.budget.selectors import outlook
from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import current_version
from dpgov.limits.ways import ways_to_ask
from dpgov.oversight.reconciliation.report import reconcile
from dpgov.privacy.reuse.derived import SourceChanged
from dpgov.queries.answering.refunding import NotRefundable, request_refund
from dpgov.queries.answering.tally import tally
from dpgov.queries.asking.once import IdempotencyConflict, InvalidKey
from dpgov.queries.asking.quote import priced_blueprint
from dpgov.queries.asking.taking import NothingFree
from dpgov.queries.free.finding import reusable_for
from dpgov.queries.models import DayTally, Query, Release, Tally
from dpgov.queries.selectors import receipt_of
from dpgov.tenants.models import Membership
from tests.integration.queries.reusing import BY_SEX, FEMALE, plan, taken

pytestmark = pytest.mark.django_db
Asking = Callable[..., Query]


def test_the_same_key_takes_it_once(
    analyst: Membership, dataset: Dataset, stored: Callable[..., Query]
) -> None:
    stored(plan())
    first = taken(analyst, dataset, plan(), key="k-1")
    assert taken(analyst, dataset, plan(), key="k-1") == first
    assert AuditEntry.objects.filter(action="QUERY_REUSED").count() == 1
    with pytest.raises(IdempotencyConflict):
        taken(analyst, dataset, plan(epsilon=1), key="k-1")
    with pytest.raises(InvalidKey):
        taken(analyst, dataset, plan(), key="two words")


def test_what_is_not_there_is_refused_and_changes_nothing(
    analyst: Membership,
    dataset: Dataset,
    stored: Callable[..., Query],
    unchanged: Callable[[], Any],
) -> None:
    stored(plan())
    with unchanged(), pytest.raises(NothingFree):
        taken(analyst, dataset, plan(where=[FEMALE]))
    with unchanged(), pytest.raises(NothingFree):
        taken(analyst, dataset, plan(), choice="0" * 16)


@pytest.mark.tampers_with_ledger
def test_a_source_that_was_drawn_otherwise_is_refused(
    analyst: Membership, dataset: Dataset, stored: Callable[..., Query]
) -> None:
    first = stored(plan())
    changed = {**first.plan, "epsilon": 0.25}
    Query.objects.filter(pk=first.pk).update(plan=changed)
    with pytest.raises(SourceChanged):
        taken(analyst, dataset, plan())
    assert not Query.objects.filter(reuse=True).exists()


def test_sums_balances_and_refunds_know_that_it_was_free(
    analyst: Membership, owner: Membership, dataset: Dataset, stored: Callable[..., Query]
) -> None:
    """A8: tallies add nothing, the outlook is not misled, nothing can be given back."""
    stored(plan())
    query = taken(analyst, dataset, plan())
    before = outlook(dataset, analyst, ways_to_ask(dataset, analyst))
    taken(analyst, dataset, plan())
    assert outlook(dataset, analyst, ways_to_ask(dataset, analyst)) == before
    assert tally(dataset.tenant_id) == 3
    assert [t.nano for t in Tally.objects.all()] == [500_000_000]
    assert [t.nano for t in DayTally.objects.all()] == [500_000_000]
    with pytest.raises(NotRefundable):
        request_refund(membership=owner, query=query, reason="never read")


def test_books_agree_and_a_receipt_is_given(
    analyst: Membership, dataset: Dataset, stored: Callable[..., Query]
) -> None:
    """G8: the reconciliation knows such questions, whatever is done to them afterwards."""
    stored(plan())
    query = taken(analyst, dataset, plan())
    assert list(reconcile(dataset.tenant).findings) == []
    assert receipt_of(query, Release.objects.get(query=query))["query"] == str(query.pk)
    Query.objects.filter(pk=query.pk).update(reuse=False, cost_nano=1)
    assert list(reconcile(dataset.tenant).findings)


@pytest.mark.parametrize("change", [{"cost_nano": 1}, {"state": "queued"}, {"reuse": False}])
def test_the_database_keeps_free_and_paid_apart(
    change: dict[str, Any],
    analyst: Membership,
    dataset: Dataset,
    stored: Callable[..., Query],
) -> None:
    """A1: nothing is free but a reuse, and a reuse costs nothing."""
    stored(plan())
    query = taken(analyst, dataset, plan())
    with pytest.raises(IntegrityError):
        Query.objects.filter(pk=query.pk).update(**change)


def test_offers_are_found_by_index_with_few_statements(
    dataset: Dataset, stored: Callable[..., Query]
) -> None:
    """K: the same number of statements for one stored answer and for several."""
    stored(plan())
    blueprint, version = priced_blueprint(dataset, plan()), current_version(dataset)
    with CaptureQueriesContext(
        connection,
    ) as one:
        reusable_for(version, blueprint)
    stored(BY_SEX)
    stored(plan(epsilon=0.25))
    with CaptureQueriesContext(connection) as three:
        reusable_for(version, blueprint)
    assert len(three) == len(one) <= 4
