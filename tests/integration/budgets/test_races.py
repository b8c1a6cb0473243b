"""Sixteen processes and one budget."""

import uuid

import pytest
from django.db import transaction

from dpgov.budgets.errors import InsufficientBudget
from dpgov.budgets.findings import ledger_findings
from dpgov.budgets.models import Budget
from dpgov.budgets.services import Line, open_budget, reserve, settle, take
from tests.integration.budgets.conftest import NANO, Balances
from tests.integration.children import run_at_once

PROCESSES = 16


@pytest.mark.django_db(transaction=True)
def test_sixteen_processes_never_pass_the_limit(budget: Budget, balances: Balances) -> None:
    """A1: room for 20 units, 16 processes that each want 5: exactly 20 are admitted."""
    reserve(
        query_id=uuid.uuid4(), tenant_id=budget.tenant_id, lines=[Line(budget.id, 10 * NANO - 20)]
    )

    def want_five() -> int:
        return sum(_admitted(budget) for _ in range(5))

    admitted = run_at_once([want_five] * PROCESSES)
    assert sum(admitted) == 20
    assert balances() == (10 * NANO, 10 * NANO, 0)
    assert ledger_findings() == []


def _admitted(budget: Budget) -> int:
    try:
        reserve(query_id=uuid.uuid4(), tenant_id=budget.tenant_id, lines=[Line(budget.pk, 1)])
    except InsufficientBudget:
        return 0
    return 1


@pytest.mark.django_db(transaction=True)
def test_one_hold_is_settled_by_one_of_sixteen_processes(
    budget: Budget, balances: Balances
) -> None:
    """A1: sixteen settles of one reservation book it once."""
    query_id = uuid.uuid4()
    reserve(query_id=query_id, tenant_id=budget.tenant_id, lines=[Line(budget.id, NANO)])

    def try_to_settle() -> int:
        try:
            settle(query_id=query_id, amount_nano=NANO)
        except Exception as refusal:
            return 0 if type(refusal).__name__ == "NothingHeld" else 99
        return 1

    assert sorted(run_at_once([try_to_settle] * PROCESSES)) == [0] * (PROCESSES - 1) + [1]
    assert balances() == (10 * NANO, 0, NANO)


@pytest.mark.django_db(transaction=True)
def test_nested_budgets_named_in_opposing_orders_do_not_deadlock(budget: Budget) -> None:
    """A2: every process takes both budgets, half of them naming them the other way round."""
    other = open_budget(tenant=budget.tenant, label="other", limit_nano=30)
    ways = [(budget.pk, other.pk), (other.pk, budget.pk)]

    def want_both(first: uuid.UUID, second: uuid.UUID) -> int:
        admitted = 0
        for _ in range(5):
            try:
                reserve(
                    query_id=uuid.uuid4(),
                    tenant_id=budget.tenant_id,
                    lines=[Line(first, 1), Line(second, 1)],
                )
                admitted += 1
            except InsufficientBudget:
                pass
        return admitted

    steps = [lambda way=ways[n % 2]: want_both(*way) for n in range(PROCESSES)]
    assert sum(run_at_once(steps)) == 30
    assert set(Budget.objects.values_list("reserved_nano", flat=True)) == {30}


@pytest.mark.django_db(transaction=True)
def test_batches_that_reserve_their_budgets_in_opposing_orders_do_not_deadlock(
    budget: Budget,
) -> None:
    """A2: one query after the other in one transaction, half of them beginning at the other end."""
    other = open_budget(tenant=budget.tenant, label="other", limit_nano=10 * NANO)
    ways = [(budget.pk, other.pk), (other.pk, budget.pk)]

    def reserve_one_after_the_other(*order: uuid.UUID) -> int:
        for _ in range(10):
            lines = [Line(budget_id, 1) for budget_id in order]
            with transaction.atomic():
                take(lines)
                for line in lines:
                    reserve(query_id=uuid.uuid4(), tenant_id=budget.tenant_id, lines=[line])
        return 7

    steps = [lambda way=ways[n % 2]: reserve_one_after_the_other(*way) for n in range(PROCESSES)]
    assert run_at_once(steps) == [7] * PROCESSES
    assert set(Budget.objects.values_list("reserved_nano", flat=True)) == {10 * PROCESSES}
