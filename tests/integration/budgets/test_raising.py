"""No limit goes up by one person's hand."""

import ast
import json
from pathlib import Path

import pytest
from django.conf import settings

from dpgov.approvals.errors import NotApproved
from dpgov.approvals.services import approve
from dpgov.audit.actor import OPERATOR
from dpgov.audit.models import AuditEntry
from dpgov.budgets.errors import AmountOutOfRange, NotRaised, RaisingTakesTwo
from dpgov.budgets.models import Budget, LimitChange
from dpgov.budgets.services import change_limit, open_budget, open_parts
from dpgov.budgets.services.raising import raise_limit, request_raise
from dpgov.language.translation import retold
from dpgov.tenants.models import Membership
from tests.made_once import made_once

NANO = 10**9
ROOM = Path(settings.BASE_DIR) / "dpgov"
# Where a limit is set, and why it cannot be raised there by one person.
SETTERS = {
    "budgets/services/limits.py": "refuses to raise anything but an allocation",
    "budgets/services/raising.py": "carries out what two persons agreed on",
    "budgets/services/allocations.py": "allocations, under the dataset's limit, which binds",
    "budgets/services/dividing.py": "merging and splitting, approved by two persons",
    "datasets/services/upkeep.py": "refuses what is not lower",
    "limits/web/shared_budgets/pages.py": "lowers, by the step that refuses to raise",
}


@made_once
def budget(owner: Membership) -> Budget:
    return open_budget(tenant=owner.tenant, label="visits", limit_nano=3 * NANO)


def limit(budget: Budget) -> int:
    return Budget.objects.get(pk=budget.pk).limit_nano


@pytest.mark.parametrize("kind", ["dataset", "shared_budget", "partition"])
def test_one_person_cannot_raise(kind: str, owner: Membership) -> None:
    """F8: refused without a trace."""
    budget = open_budget(
        tenant=owner.tenant, label="visits", limit_nano=3 * NANO, kind=Budget.Kind(kind)
    )
    with pytest.raises(RaisingTakesTwo):
        change_limit(budget=budget, limit_nano=5 * NANO, actor=OPERATOR, reason="more")
    assert limit(budget) == 3 * NANO
    assert not AuditEntry.objects.exists()
    assert LimitChange.objects.count() == 1


def test_two_persons_raise_it_and_the_log_says_from_where_to_where(
    budget: Budget, owner: Membership, officer: Membership
) -> None:
    """F8: the lines of a partition follow."""
    open_parts(budget=budget, parts=["north", "south"])
    request = request_raise(
        membership=owner, budget=budget, limit_nano=5 * NANO, reason="the study goes on"
    )
    assert limit(budget) == 3 * NANO
    approve(request_id=request.pk, decider=officer, reason="agreed", carry_out=raise_limit)
    assert set(Budget.objects.values_list("limit_nano", flat=True)) == {5 * NANO}
    effect = json.loads(AuditEntry.objects.latest("sequence").detail)["effect"]
    assert effect == {"budget": str(budget.pk), "before_epsilon": "3", "after_epsilon": "5"}


def test_a_limit_that_moved_since_makes_the_request_stale(
    budget: Budget, owner: Membership, officer: Membership
) -> None:
    """F8: both persons agree on a step from 3 to 5, not on any step to 5."""
    request = request_raise(membership=owner, budget=budget, limit_nano=5 * NANO, reason="more")
    change_limit(budget=budget, limit_nano=2 * NANO, actor=OPERATOR, reason="less")
    decision = approve(request_id=request.pk, decider=officer, reason="ok", carry_out=raise_limit)
    assert (decision.request.state, limit(budget)) == ("stale", 2 * NANO)
    assert "is ε 2 now" in retold(decision.request.outcome)


def test_what_was_not_approved_is_not_carried_out(budget: Budget, owner: Membership) -> None:
    """F8"""
    request = request_raise(membership=owner, budget=budget, limit_nano=5 * NANO, reason="more")
    with pytest.raises(NotApproved):
        raise_limit(request)
    assert limit(budget) == 3 * NANO


def test_a_request_names_a_higher_limit_of_an_own_budget(
    budget: Budget, owner: Membership, stranger: Membership
) -> None:
    """F8, H1"""
    for nano in (3 * NANO, NANO):
        with pytest.raises(NotRaised):
            request_raise(membership=owner, budget=budget, limit_nano=nano, reason="more")
    with pytest.raises(AmountOutOfRange):
        request_raise(membership=stranger, budget=budget, limit_nano=5 * NANO, reason="more")
    assert not AuditEntry.objects.exists()


def test_nothing_else_in_the_code_sets_a_limit() -> None:
    """F8: every call that moves a limit, and every update of the column, is in the table."""
    found = {
        str(path.relative_to(ROOM))
        for path in ROOM.rglob("*.py")
        if "migrations" not in path.parts and _sets_a_limit(path.read_text())
    }
    assert found <= set(SETTERS)
    assert {"budgets/services/limits.py", "budgets/services/raising.py"} <= found


def _sets_a_limit(source: str) -> bool:
    """Parsed where one of the words stands at all: the others are most of the code."""
    if not any(word in source for word in (*_MOVES, _COLUMN)):
        return False
    calls = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    return any(_moves(call) for call in calls)


_MOVES = ("change_limit", "move_limit")
_COLUMN = "limit_nano"


def _moves(call: ast.Call) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if name in _MOVES:
        return True
    return name == "update" and _COLUMN in {keyword.arg for keyword in call.keywords}
