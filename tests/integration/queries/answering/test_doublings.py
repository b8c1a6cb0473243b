"""L4: what a doubling of a question's class costs, whatever was decided since it was asked."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from django.utils import timezone

from dpgov.audit.actor import OPERATOR
from dpgov.budgets.errors import BudgetFrozen
from dpgov.budgets.models import Budget
from dpgov.budgets.services import allocate, confirm_budget, extend, freeze_tenant
from dpgov.datasets.models import Dataset
from dpgov.datasets.rules import own_rules_of
from dpgov.datasets.services import change_policy
from dpgov.operation import clock
from dpgov.privacy.accounting.decimals import NANO
from dpgov.queries.answering.publishing import publish_due
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from dpgov.tenants.selectors import actor_of
from tests.cast import answer_query
from tests.integration.budgets.shared.sharing import shared_budget
from tests.made_once import made_once

pytestmark = pytest.mark.django_db(transaction=True)
_LATER = timedelta(days=400)


def test_a_doubling_is_not_paid_by_a_least_price_that_came_after_the_question(
    analyst: Membership, owner: Membership, dataset: Dataset, ask: Callable[..., Query]
) -> None:
    """L4: it costs no more than the question did when it was accepted."""
    query = ask(analyst, epsilon=0.01)
    assert answer_query(query.pk)
    Query.objects.filter(pk=query.pk).update(doublings_owed=2)
    rules = replace(own_rules_of(dataset), least_nano=2 * NANO)
    change_policy(dataset=dataset, rules=rules, user=owner.user)
    assert publish_due(timezone.now() + _LATER) == 1
    query.refresh_from_db()
    assert (query.cost_nano, query.doublings) == (3 * NANO // 100, 2)


@made_once
def shared(dataset: Dataset) -> Budget:
    """What the dataset shares with others."""
    return shared_budget(dataset.tenant, "Residents", dataset.budget)


def confirm(budget: Budget) -> None:
    confirm_budget(budget=budget, actor=OPERATOR, reason="nothing is missing")


def test_doublings_stay_owed_while_what_the_dataset_shares_is_frozen(
    analyst: Membership, dataset: Dataset, ask: Callable[..., Query], shared: Budget
) -> None:
    """L4: the backup may lack that they were paid, and the officer leaves out what lies sealed."""
    query = ask(analyst)
    assert answer_query(query.pk)
    Query.objects.filter(pk=query.pk).update(doublings_owed=2, due_at=query.submitted_at)
    freeze_tenant(tenant_id=dataset.tenant_id, reason="restored from a backup")
    confirm(dataset.budget)
    before = timezone.now()
    assert publish_due() == 0
    query.refresh_from_db()
    assert (query.state, query.doublings_owed) == (Query.State.SEALED, 2)
    assert query.due_at is not None
    assert query.due_at > before, "it stands in nobody's way meanwhile"
    confirm(shared)
    assert publish_due(timezone.now() + _LATER) == 1
    query.refresh_from_db()
    assert query.doublings == 2
    charged = Budget.objects.filter(pk__in=[dataset.budget_id, shared.pk])
    assert set(charged.values_list("spent_nano", flat=True)) == {query.cost_nano}


@pytest.mark.parametrize("frozen_first", [True, False])
def test_a_freeze_is_told_before_an_end_in_whichever_order_the_budgets_are_looked_at(
    analyst: Membership,
    owner: Membership,
    dataset: Dataset,
    ask: Callable[..., Query],
    frozen_first: bool,
) -> None:
    """L4: with a withdrawn allocation and a frozen dataset doublings stay owed, by no id's luck."""
    given = allocate(
        dataset_budget=dataset.budget,
        holder=analyst.user,
        limit_nano=5 * NANO,
        actor=actor_of(owner.user),
        reason="a study",
    )
    query = ask(analyst)
    frozen, closed = sorted((dataset.budget_id, given.budget_id), reverse=not frozen_first)
    Budget.objects.filter(pk=frozen).update(frozen_at=clock.now(), frozen_reason={})
    Budget.objects.filter(pk=closed).update(closed_at=clock.now())
    with pytest.raises(BudgetFrozen):
        extend(query_id=query.pk, amount_nano=NANO // 2)
