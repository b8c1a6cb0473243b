"""A refresh meets another one, a question, an archiving and a freeze at one moment."""

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import uuid4

import pytest
from django.db import transaction

from dpgov.budgets.models import Budget
from dpgov.budgets.services import freeze_tenant
from dpgov.datasets.models import Dataset
from dpgov.datasets.services import archive_dataset, declare_refresh
from dpgov.datasets.services.live.refreshing import FrozenRefresh, VersionMoved
from dpgov.queries.asking.submit import submit_batch
from dpgov.queries.models import Query
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.models import Membership, Role
from tests.cast import join
from tests.integration.children import run_at_once
from tests.integration.meeting import Turn, until_somebody_waits

pytestmark = pytest.mark.django_db(transaction=True)
MADE, MOVED, THERE, CLOSED = 3, 4, 5, 6
_BATCH: dict[str, Any] = {"plans": [{"statistics": [{"statistic": "count"}]}] * 2, "epsilon": 0.5}


def _refreshes(owner: Membership, dataset: Dataset) -> int:
    with acting_for(owner.tenant_id):
        try:
            found = declare_refresh(dataset=dataset, since=1, user=owner.user)
        except VersionMoved:
            return MOVED
        except (FrozenRefresh, Dataset.DoesNotExist):
            return CLOSED
    return MADE if found.is_new else THERE


@pytest.mark.parametrize("same", [True, False])
def test_of_two_at_once_one_is_made(same: bool, live: Dataset, owner: Membership) -> None:
    """M101: by two owners, or by one who pressed twice."""
    second = owner if same else join(live.tenant, Role.OWNER, "otto")
    tries = [partial(_refreshes, each, live) for each in (owner, second)]
    assert sorted(run_at_once(tries)) == [MADE, THERE if same else MOVED]
    assert list(live.versions.order_by("number").values_list("number", flat=True)) == [1, 2]


def _met(dataset: Dataset, work: Callable[[], object], refresh: Callable[[], int]) -> list[int]:
    """The work has done its part and not ended it when the refresh comes; how both ended."""
    holds, done = Turn(), Turn()

    def begin() -> None:
        with acting_for(dataset.tenant_id), transaction.atomic():
            work()
            holds.give()
            until_somebody_waits(done)

    def follow() -> int:
        holds.wait()
        try:
            return refresh()
        finally:
            done.give()

    return run_at_once([begin, follow])


def test_questions_and_a_refresh_wait_for_each_other_in_one_order(
    live: Dataset, owner: Membership, analyst: Membership
) -> None:
    """M101: those that were accepted first are of the first version, and hold what they cost."""

    def ask() -> None:
        submit_batch(
            membership=analyst, dataset=live, raw_batch=_BATCH, idempotency_key=str(uuid4())
        )

    assert _met(live, ask, partial(_refreshes, owner, live)) == [0, MADE]
    assert {query.version.number for query in Query.objects.all()} == {1}
    assert Budget.objects.get(pk=live.budget_id).reserved_nano == 500_000_000


@pytest.mark.parametrize("step", ["archive", "freeze"])
def test_what_is_closed_in_this_moment_is_not_refreshed(
    step: str, live: Dataset, owner: Membership
) -> None:
    """M101: the refresh waits for it, and then is refused."""

    def close() -> None:
        if step == "archive":
            archive_dataset(dataset=live, user=owner.user)
        else:
            freeze_tenant(tenant_id=live.tenant_id, reason="restored")

    assert _met(live, close, partial(_refreshes, owner, live)) == [0, CLOSED]
    assert live.versions.count() == 1
