"""Allocations: how they are given, changed and withdrawn, and that the dataset's limit binds."""

import uuid

import pytest

from dpgov.audit.actor import OPERATOR
from dpgov.audit.models import AuditEntry
from dpgov.budgets.allocated import (
    AllocationGone,
    AllocationNeeded,
    ChooseAllocation,
    allocations_of,
    choose_allocation,
)
from dpgov.budgets.errors import BudgetClosed, InsufficientBudget, LimitBelowCommitted
from dpgov.budgets.findings import ledger_findings
from dpgov.budgets.models import Allocation, Budget
from dpgov.budgets.services import (
    AllocationEnded,
    Line,
    NotAHolder,
    allocate,
    reserve,
    settle,
    withdraw,
)
from dpgov.budgets.ways import ways_for
from dpgov.operation.clock import database_now
from dpgov.tenants.models import Membership, Project, ProjectMember, Role, Tenant, User
from tests.cast import join
from tests.integration.budgets.conftest import NANO
from tests.integration.children import run_at_once
from tests.made_once import made_once

pytestmark = pytest.mark.django_db

PROCESSES = 16


def grant(budget: Budget, holder: User | Project, nano: int = NANO) -> Allocation:
    return allocate(
        dataset_budget=budget, holder=holder, limit_nano=nano, actor=OPERATOR, reason="study"
    )


def use(budget: Budget, allocation: Allocation, nano: int) -> uuid.UUID:
    """Hold an amount on the dataset and under the allocation."""
    query_id = uuid.uuid4()
    lines = [Line(budget.pk, nano), Line(allocation.pk, nano)]
    reserve(query_id=query_id, tenant_id=budget.tenant_id, lines=lines)
    return query_id


def admitted(budget: Budget, allocation: Allocation, nano: int = 1) -> int:
    try:
        use(budget, allocation, nano)
    except InsufficientBudget:
        return 0
    return 1


@made_once
def anna(budget: Budget) -> Membership:
    return join(budget.tenant, Role.ANALYST, "anna")


def project(budget: Budget, name: str, *people: Membership) -> Project:
    made = Project.objects.create(tenant=budget.tenant, name=name)
    for person in people:
        ProjectMember.objects.create(tenant=budget.tenant, project=made, user=person.user)
    return made


def test_an_allocation_is_a_limit_of_its_own_with_one_entry(
    budget: Budget, anna: Membership
) -> None:
    """G1: who got how much of what, and why."""
    allocation = grant(budget, anna.user, 2 * NANO)
    assert (allocation.budget.kind, allocation.budget.limit_nano) == ("allocation", 2 * NANO)
    entry = AuditEntry.objects.get()
    assert entry.action == "BUDGET_ALLOCATED"
    assert entry.subject == f"budget:{allocation.pk}"
    assert f"user:{anna.user_id}" in entry.detail
    assert '"before_epsilon":"0"' in entry.detail
    assert '"after_epsilon":"2"' in entry.detail


def test_granting_again_changes_the_same_allocation(budget: Budget, anna: Membership) -> None:
    first = grant(budget, anna.user, NANO)
    assert grant(budget, anna.user, 3 * NANO).pk == first.pk
    assert Budget.objects.get(pk=first.pk).limit_nano == 3 * NANO
    assert AuditEntry.objects.count() == 2


def test_an_allocation_is_not_lowered_below_what_is_used(budget: Budget, anna: Membership) -> None:
    """A8: refused with the numbers; nothing has changed and nothing was recorded."""
    allocation = grant(budget, anna.user, NANO)
    use(budget, allocation, 600)
    with pytest.raises(LimitBelowCommitted) as refusal:
        grant(budget, anna.user, 599)
    assert refusal.value.committed_nano == 600
    assert Budget.objects.get(pk=allocation.pk).limit_nano == NANO
    assert AuditEntry.objects.count() == 1
    grant(budget, anna.user, 600)
    assert admitted(budget, allocation) == 0


def test_a_withdrawn_allocation_admits_nothing_and_settles_what_is_held(
    budget: Budget, anna: Membership
) -> None:
    """A5: withdrawn twice is refused."""
    allocation = grant(budget, anna.user)
    held = use(budget, allocation, 5)
    withdraw(allocation=allocation, actor=OPERATOR, reason="the study is over")
    with pytest.raises(BudgetClosed, match="Your allocation has ended"):
        use(budget, allocation, 1)
    settle(query_id=held, amount_nano=5)
    assert Budget.objects.get(pk=allocation.pk).spent_nano == 5
    with pytest.raises(AllocationEnded):
        withdraw(allocation=allocation, actor=OPERATOR, reason="again")
    assert [e.action for e in AuditEntry.objects.order_by("sequence")] == [
        "BUDGET_ALLOCATED",
        "ALLOCATION_WITHDRAWN",
    ]


def test_an_allocation_that_comes_back_still_has_what_was_spent(
    budget: Budget, anna: Membership
) -> None:
    """F11: withdrawing and granting again gives nothing back."""
    allocation = grant(budget, anna.user, 10)
    settle(query_id=use(budget, allocation, 7), amount_nano=7)
    withdraw(allocation=allocation, actor=OPERATOR, reason="pause")
    with pytest.raises(LimitBelowCommitted):
        grant(budget, anna.user, 6)
    assert grant(budget, anna.user, 10).pk == allocation.pk
    assert admitted(budget, allocation, 4) == 0
    assert admitted(budget, allocation, 3) == 1


@pytest.mark.parametrize("role", [Role.OWNER, Role.OFFICER, Role.ADMIN])
def test_only_analysts_hold_allocations(budget: Budget, role: Role) -> None:
    member = join(budget.tenant, role, "other")
    with pytest.raises(NotAHolder):
        grant(budget, member.user)
    assert not Allocation.objects.exists()


def test_nobody_elses_people_or_projects_hold_allocations(budget: Budget) -> None:
    """H2: the tenant of the dataset decides."""
    elsewhere = Tenant.objects.create(slug="elsewhere", name="Elsewhere")
    foreign = join(elsewhere, Role.ANALYST, "fiona")
    with pytest.raises(NotAHolder):
        grant(budget, foreign.user)
    with pytest.raises(NotAHolder):
        grant(budget, Project.objects.create(tenant=elsewhere, name="Theirs"))


def test_an_ended_project_gets_no_allocation(budget: Budget) -> None:
    ended = Project.objects.create(
        tenant=budget.tenant, name="Over", ended_at="2026-01-01T00:00:00Z"
    )
    with pytest.raises(NotAHolder):
        grant(budget, ended)


def test_ones_own_allocation_comes_before_the_projects(budget: Budget, anna: Membership) -> None:
    shared = grant(budget, project(budget, "Ageing", anna))
    own = grant(budget, anna.user)
    found = allocations_of(anna.user, budget.pk, needed=True)
    assert found == [own, shared]
    assert choose_allocation(found, wanted=None) == own
    assert choose_allocation(found, wanted=shared.pk) == shared


def test_of_two_projects_one_has_to_be_chosen(budget: Budget, anna: Membership) -> None:
    for name in ("Ageing", "Income"):
        grant(budget, project(budget, name, anna))
    with pytest.raises(ChooseAllocation, match="Ageing, Income"):
        choose_allocation(allocations_of(anna.user, budget.pk, needed=False), wanted=None)


def test_what_belongs_to_others_is_not_charged(budget: Budget, anna: Membership) -> None:
    """H8: a colleague's allocation looks like none at all."""
    colleague = join(budget.tenant, Role.ANALYST, "carla")
    theirs = grant(budget, colleague.user)
    grant(budget, project(budget, "Income", colleague))
    found = allocations_of(anna.user, budget.pk, needed=False)
    assert (found, found.is_missing) == ([], False)
    with pytest.raises(AllocationNeeded):
        choose_allocation(found, wanted=theirs.pk)


@pytest.mark.parametrize("end", ["own withdrawn", "project's withdrawn", "project ended"])
def test_an_allocation_that_ends_opens_the_rest_of_the_budget_to_nobody(
    budget: Budget, anna: Membership, end: str
) -> None:
    """H8: also where none is needed; another one, or the same granted again, is charged."""
    ageing = project(budget, "Ageing", anna)
    holder = anna.user if end == "own withdrawn" else ageing
    ended = grant(budget, holder)
    if end == "project ended":
        Project.objects.filter(pk=ageing.pk).update(ended_at="2026-01-01T00:00:00Z")
    else:
        withdraw(allocation=ended, actor=OPERATOR, reason="misuse")
    with pytest.raises(AllocationGone):
        choose_allocation(allocations_of(anna.user, budget.pk, needed=False), wanted=None)
    assert ways_for(anna.user, [budget.pk], needing=[]) == {budget.pk: []}
    again = grant(budget, anna.user)
    found = allocations_of(anna.user, budget.pk, needed=False)
    assert choose_allocation(found, wanted=None) == again
    assert len(ways_for(anna.user, [budget.pk], needing=[])[budget.pk]) == 1


@pytest.mark.parametrize("needed", [True, False])
def test_who_was_removed_and_came_back_is_let_in_by_no_allocation_of_before(
    budget: Budget, anna: Membership, needed: bool
) -> None:
    """H8: where one lets them in, an owner decides anew; elsewhere it still limits them."""
    before = grant(budget, anna.user)
    Membership.objects.filter(pk=anna.pk).update(role_since=database_now())
    needing = [budget.pk] if needed else []
    found = allocations_of(anna.user, budget.pk, needed=needed)
    assert found == ([] if needed else [before])
    assert len(ways_for(anna.user, [budget.pk], needing=needing)[budget.pk]) == len(found)
    grant(budget, anna.user)
    assert allocations_of(anna.user, budget.pk, needed=needed) == [before]


@pytest.mark.django_db(transaction=True)
def test_sixteen_processes_never_pass_an_allocation(budget: Budget, anna: Membership) -> None:
    """A1: room for 20 under the allocation, far more in the dataset: exactly 20 are admitted."""
    allocation = grant(budget, anna.user, 20)

    def want_five() -> int:
        return sum(admitted(budget, allocation) for _ in range(5))

    assert sum(run_at_once([want_five] * PROCESSES)) == 20
    assert set(Budget.objects.values_list("reserved_nano", flat=True)) == {20}
    assert ledger_findings() == []


@pytest.mark.django_db(transaction=True)
def test_two_owners_who_allocate_at_once_make_one_allocation(
    budget: Budget, anna: Membership
) -> None:
    """A1: the second one changes what the first one made; both are recorded."""
    steps = [lambda n=n: grant(budget, anna.user, n * NANO) for n in range(1, 9)]
    assert run_at_once(steps) == [0] * 8
    assert Allocation.objects.count() == 1
    assert AuditEntry.objects.filter(action="BUDGET_ALLOCATED").count() == 8
    assert ledger_findings() == []


def _a_day_of(budget: Budget, allocation: Allocation, wishes: int) -> int:
    return sum(admitted(budget, allocation, NANO // 100) for _ in range(wishes))


def test_the_dataset_binds_whatever_the_allocations_add_up_to(budget: Budget) -> None:
    """F4: fifty analysts with ε 1 each on a dataset with ε 10; no allocation is used up, it is."""
    grants = [grant(budget, join(budget.tenant, Role.ANALYST, f"a{n}").user) for n in range(50)]
    taken = [_a_day_of(budget, allocation, 21) for allocation in grants]
    assert sum(taken) == 1000
    assert max(taken) == 21
    assert Budget.objects.get(pk=budget.pk).remaining_nano == 0


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_fifty_analysts_at_once_are_bound_by_the_dataset(budget: Budget) -> None:
    """F4: fifty processes, each within its own allocation."""
    grants = [grant(budget, join(budget.tenant, Role.ANALYST, f"a{n}").user) for n in range(50)]
    steps = [lambda one=one: _a_day_of(budget, one, 100) for one in grants]
    assert sum(run_at_once(steps)) == 1000
    assert Budget.objects.get(pk=budget.pk).remaining_nano == 0
    assert all(one.budget.reserved_nano <= NANO for one in Allocation.objects.all())
    assert ledger_findings() == []
