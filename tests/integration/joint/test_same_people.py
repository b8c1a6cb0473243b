"""M50: organisations that agreed that their datasets are about the same people add up no total.

What could overspend: somebody who is in two of the tables moves the total twice as far, and loses
four times ρ by it, of which the budget that both share would count two.
"""

import pytest
from django.utils import timezone

from dpgov.audit.actor import OPERATOR
from dpgov.budgets.models import Budget, SharedBudgetMember
from dpgov.budgets.services.shared_budgets import join_shared_budget, open_shared_budget
from dpgov.joint.errors import SharesBudget
from dpgov.joint.models import JointQuestion, Party
from dpgov.joint.services import joint_round
from dpgov.privacy.accounting.decimals import NANO
from dpgov.queries.models import Query
from tests.integration.budgets.shared.two_sides import Two
from tests.integration.joint.made import (
    PRICE,
    RHO,
    Side,
    all_joined,
    approved,
    asked,
    finished,
    joined,
    look,
    proposed,
    query_of,
)
from tests.triggers import without_triggers


def _opened(one: Side) -> Budget:
    """A shared budget that one organisation's dataset is in."""
    shared = open_shared_budget(
        tenant=one.tenant, name="Residents", limit_nano=5 * NANO, currency=RHO, actor=OPERATOR
    )
    join_shared_budget(shared_budget=shared, dataset_budget=one.dataset.budget, actor=OPERATOR)
    return shared


def _share(here: Side, there: Side, shared: Budget) -> None:
    """Another organisation's dataset comes into it, as four persons agree."""
    two = Two(
        here.owner,
        here.officer,
        there.owner,
        there.officer,
        shared,
        here.dataset.budget,
        there.dataset.budget,
    )
    assert two.accept(two.enter(two.code())).state == "approved"


def test_two_that_share_a_budget_do_not_take_part_in_one(sides: list[Side]) -> None:
    """M50: said to the officer of the second, before anything is held there."""
    shared = _opened(sides[0])
    _share(sides[0], sides[1], shared)
    question, code = proposed(sides[0])
    joined(sides[0], question, code)
    joined(sides[2], question, code)
    request = asked(sides[1], question, code)
    with pytest.raises(SharesBudget, match="the same people"):
        approved(sides[1], request)
    assert sides[1].spent == (0, 0)
    shared.refresh_from_db()
    assert shared.committed_nano == PRICE
    assert Party.objects.filter(question=question).count() == 2


def test_two_that_come_to_share_one_before_the_opening_do_not_open_it(sides: list[Side]) -> None:
    """M50: the people of both would be charged twice and lose four times as much."""
    question = all_joined(sides)
    _share(sides[0], sides[1], _opened(sides[0]))
    look(sides), joint_round()
    question.refresh_from_db()
    assert question.opened_at is None
    JointQuestion.objects.update(expires_at=question.proposed_at)
    joint_round()
    assert {query_of(one, question).state for one in sides} == {Query.State.EXPIRED}
    assert [one.spent for one in sides] == [(0, 0)] * 3


def test_a_hold_on_the_budget_of_another_one_counts_though_its_dataset_has_left(
    sides: list[Side],
) -> None:
    """M50: what is held there is charged there, whoever is a member when it opens."""
    shared = _opened(sides[0])
    question = all_joined(sides)
    _share(sides[0], sides[1], shared)
    mine = SharedBudgetMember.objects.filter(dataset_budget=sides[0].dataset.budget)
    with without_triggers():
        mine.update(left_at=timezone.now())
    look(sides), joint_round()
    question.refresh_from_db()
    assert question.opened_at is None


def test_those_that_share_with_nobody_of_them_do(sides: list[Side]) -> None:
    """M50: a shared budget of one's own is charged like every other."""
    shared = _opened(sides[0])
    question = all_joined(sides)
    finished(sides)
    assert query_of(sides[1], question).state == Query.State.RELEASED
    shared.refresh_from_db()
    assert (shared.spent_nano, shared.reserved_nano) == (PRICE, 0)
