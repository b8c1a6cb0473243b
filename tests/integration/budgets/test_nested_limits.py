"""Four kinds of limits at once, taken in opposing orders by sixteen processes."""

import random
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pytest

from dpgov.audit.actor import OPERATOR
from dpgov.budgets.errors import InsufficientBudget
from dpgov.budgets.findings import ledger_findings
from dpgov.budgets.models import Budget, BudgetPart, RateLimit
from dpgov.budgets.services import (
    Line,
    allocate,
    open_budget,
    open_parts,
    reserve,
    set_rate_limit,
    settle,
    void,
)
from dpgov.budgets.services.shared_budgets import join_shared_budget, open_shared_budget
from dpgov.tenants.models import Role
from tests.cast import join
from tests.integration.budgets.conftest import NANO
from tests.integration.children import run_at_once

pytestmark = pytest.mark.django_db

PROCESSES = 16


@dataclass(frozen=True)
class Nest:
    """A dataset in three parts, another one without, a shared budget and an allocation on each."""

    tenant_id: uuid.UUID
    parts: tuple[Budget, ...]
    plain: Budget
    shared_budget: Budget
    grants: tuple[Budget, ...]

    def ways(self) -> list[list[uuid.UUID]]:
        """Which budgets a question may touch; each is also taken the other way round."""
        divided, plain = ([*(b.pk for b in self.parts)], [self.plain.pk])
        shared, (first, second) = [self.shared_budget.pk], [b.pk for b in self.grants]
        ways = [
            [*divided, first, *shared],
            [divided[0], first, *shared],
            [divided[2], divided[1], *shared],
            [*plain, second, *shared],
        ]
        return ways + [way[::-1] for way in ways]


@pytest.fixture
def nest(budget: Budget) -> Nest:
    """Room for 40 in each part and for 60 in the shared budget."""
    tenant = budget.tenant
    divided = open_budget(tenant=tenant, label="divided", limit_nano=40)
    open_parts(budget=divided, parts=["North", "South", "other"])
    shared_budget = open_shared_budget(tenant=tenant, name="All", limit_nano=60, actor=OPERATOR)
    grants = []
    for number, owned in enumerate((divided, budget)):
        join_shared_budget(shared_budget=shared_budget, dataset_budget=owned, actor=OPERATOR)
        analyst = join(tenant, Role.ANALYST, f"a{number}").user
        grants.append(
            allocate(
                dataset_budget=owned, holder=analyst, limit_nano=25, actor=OPERATOR, reason="x"
            ).budget
        )
    lines = BudgetPart.objects.filter(dataset_budget=divided).select_related("budget")
    return Nest(tenant.pk, tuple(p.budget for p in lines), budget, shared_budget, tuple(grants))


def work(nest: Nest, seed: int, endings: Sequence[str]) -> int:
    """Twelve questions in a random order of ways; how many were admitted. Errors fail the child."""
    chance, taken = random.Random(seed), 0
    for _ in range(12):
        query_id, way = uuid.uuid4(), chance.choice(nest.ways())
        try:
            reserve(query_id=query_id, tenant_id=nest.tenant_id, lines=[Line(pk, 1) for pk in way])
        except InsufficientBudget:
            continue
        taken += 1
        ending: Callable[[uuid.UUID], object] = {
            "settle": lambda pk: settle(query_id=pk, amount_nano=1),
            "void": lambda pk: void(query_id=pk),
            "keep": lambda pk: None,
        }[chance.choice(endings)]
        ending(query_id)
    return taken


@pytest.mark.django_db(transaction=True)
def test_four_kinds_of_limits_in_opposing_orders_never_overspend_or_deadlock(nest: Nest) -> None:
    """A2: dataset parts, allocations and a shared budget; a deadlock would end a child with 1."""
    steps = [
        lambda seed=seed: 0 * work(nest, seed, ("settle", "void", "keep"))
        for seed in range(PROCESSES)
    ]
    assert run_at_once(steps) == [0] * PROCESSES
    assert all(budget.remaining_nano >= 0 for budget in Budget.objects.all())
    assert ledger_findings() == []


@pytest.mark.django_db(transaction=True)
def test_together_they_admit_exactly_what_the_tightest_holds(nest: Nest) -> None:
    """A2: nothing is given back, so the shared budget is filled to its last unit."""
    steps = [lambda seed=seed: work(nest, seed, ("keep",)) for seed in range(PROCESSES)]
    assert sum(run_at_once(steps)) == 60
    assert Budget.objects.get(pk=nest.shared_budget.pk).remaining_nano == 0
    assert ledger_findings() == []


@pytest.mark.django_db(transaction=True)
def test_a_rate_is_not_passed_by_sixteen_processes_either(budget: Budget) -> None:
    """A1, F7: room for 20 a month."""
    set_rate_limit(
        budget=budget, period=RateLimit.Period.MONTH, limit_nano=20, actor=OPERATOR, reason="slow"
    )

    def want_five() -> int:
        return sum(_admitted(budget) for _ in range(5))

    assert sum(run_at_once([want_five] * PROCESSES)) == 20
    assert Budget.objects.get(pk=budget.pk).remaining_nano == 10 * NANO - 20
    assert ledger_findings() == []


def _admitted(budget: Budget) -> int:
    try:
        reserve(query_id=uuid.uuid4(), tenant_id=budget.tenant_id, lines=[Line(budget.pk, 1)])
    except InsufficientBudget:
        return 0
    return 1
