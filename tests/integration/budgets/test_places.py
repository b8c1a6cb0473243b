"""Who leaves a project: its allocation limits them still, and lets them ask nothing more."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from dpgov.audit.actor import OPERATOR
from dpgov.budgets.allocated import AllocationGone, allocations_of, choose_allocation
from dpgov.budgets.models import Allocation, Budget
from dpgov.budgets.services import allocate, withdraw
from dpgov.budgets.ways import ways_for
from dpgov.operation import clock
from dpgov.operation.clock import database_now
from dpgov.tenants.models import Membership, Project, ProjectMember, Role, User
from dpgov.tenants.projects import add_project_member, remove_project_member
from dpgov.tenants.services import change_role, remove_member
from tests.cast import join
from tests.integration.budgets.conftest import NANO
from tests.made_once import made_once

pytestmark = pytest.mark.django_db


@made_once
def anna(budget: Budget) -> Membership:
    return join(budget.tenant, Role.ANALYST, "anna")


@made_once
def ageing(budget: Budget, anna: Membership) -> Project:
    """She works on it."""
    made = Project.objects.create(tenant=budget.tenant, name="Ageing")
    add_project_member(project=made, membership=anna, actor=OPERATOR)
    return made


def grant(budget: Budget, holder: User | Project) -> Allocation:
    return allocate(
        dataset_budget=budget, holder=holder, limit_nano=NANO, actor=OPERATOR, reason="study"
    )


def take_off(project: Project, person: Membership) -> None:
    remove_project_member(project=project, user_id=person.user_id, actor=OPERATOR)


def leave_and_come_back(project: Project, person: Membership) -> None:
    """An administrator alone removes somebody from the organisation, and invites them again."""
    remove_member(membership=person, actor=OPERATOR)
    Membership.objects.create(tenant=person.tenant, user=person.user, role=Role.ANALYST)


def turn_away_and_back(project: Project, person: Membership) -> None:
    """An administrator alone gives somebody another role, and the old one again."""
    join(person.tenant, Role.ADMIN, "ada")
    for role in (Role.ADMIN, Role.ANALYST):
        change_role(membership=person, role=role, actor=OPERATOR)


def charged(budget: Budget, person: Membership) -> Allocation | None:
    """What a question on the whole dataset, which needs no allocation, would be charged to."""
    return choose_allocation(allocations_of(person.user, budget.pk, needed=False), wanted=None)


@pytest.mark.parametrize("leave", [take_off, leave_and_come_back, turn_away_and_back])
@pytest.mark.parametrize("withdrawn", [False, True])
def test_who_leaves_a_project_with_an_allocation_has_the_rest_of_the_budget_no_more_than_before(
    budget: Budget,
    anna: Membership,
    ageing: Project,
    leave: Callable[[Project, Membership], None],
    withdrawn: bool,
) -> None:
    """Whoever takes them off it lifts no limit; one of their own lets them ask again."""
    given = grant(budget, ageing)
    if withdrawn:
        withdraw(allocation=given, actor=OPERATOR, reason="misuse")
    leave(ageing, anna)
    with pytest.raises(AllocationGone):
        charged(budget, anna)
    assert ways_for(anna.user, [budget.pk], needing=[]) == {budget.pk: []}
    own = grant(budget, anna.user)
    assert charged(budget, anna) == own


@pytest.mark.parametrize("leave", [take_off, leave_and_come_back, turn_away_and_back])
def test_who_left_before_their_project_was_granted_anything_is_limited_by_nothing(
    budget: Budget, anna: Membership, ageing: Project, leave: Callable[[Project, Membership], None]
) -> None:
    """Nor is who works on a project that has no allocation of this dataset."""
    assert charged(budget, anna) is None
    leave(ageing, anna)
    grant(budget, ageing)
    assert charged(budget, anna) is None
    assert len(ways_for(anna.user, [budget.pk], needing=[])[budget.pk]) == 1


@pytest.mark.parametrize("leave", [take_off, leave_and_come_back, turn_away_and_back])
def test_a_clock_that_was_ahead_at_the_grant_takes_nobody_s_part_in_it_away(
    budget: Budget,
    anna: Membership,
    ageing: Project,
    leave: Callable[[Project, Membership], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """L14: it is set back before she leaves, which is at an earlier moment by then."""
    with monkeypatch.context() as patch:
        patch.setattr(clock, "database_now", lambda: database_now() + timedelta(hours=3))
        grant(budget, ageing)
    leave(ageing, anna)
    with pytest.raises(AllocationGone):
        charged(budget, anna)


def test_who_comes_back_to_a_project_uses_its_allocation_again(
    budget: Budget, anna: Membership, ageing: Project
) -> None:
    given = grant(budget, ageing)
    take_off(ageing, anna)
    add_project_member(project=ageing, membership=anna, actor=OPERATOR)
    take_off(ageing, anna)
    add_project_member(project=ageing, membership=anna, actor=OPERATOR)
    assert allocations_of(anna.user, budget.pk, needed=False) == [given]
    assert ProjectMember.objects.filter(ended_at__lte=database_now()).count() == 2
