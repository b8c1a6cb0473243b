"""Merging, splitting and leaving: what two persons agreed, and nothing that forgets a loss."""

import json
from collections.abc import Callable

import pytest

from dpgov.approvals.errors import NotApproved
from dpgov.approvals.kinds import CarryOut
from dpgov.approvals.models import ChangeRequest
from dpgov.approvals.services import Decision, approve
from dpgov.audit.actor import OPERATOR
from dpgov.audit.models import AuditEntry
from dpgov.budgets.errors import BudgetFrozen
from dpgov.budgets.models import Budget
from dpgov.budgets.services import change_limit, freeze_tenant, settle, void
from dpgov.budgets.services.agreed import (
    LEAVE_SHARED_BUDGET,
    leave_as_agreed,
    merge_as_agreed,
    split_as_agreed,
)
from dpgov.tenants.models import Membership, Tenant
from tests.integration.budgets.shared.sharing import (
    NANO,
    acting,
    ask_for,
    charge,
    committed,
    dataset_budget,
    fresh,
    leaving,
    members,
    merging,
    shared_budget,
)

pytestmark = pytest.mark.django_db
Agree = Callable[[ChangeRequest, CarryOut], Decision]


@pytest.fixture
def agree(officer: Membership) -> Agree:
    def by_the_officer(request: ChangeRequest, carry_out: CarryOut) -> Decision:
        with acting(officer.tenant):
            return approve(
                request_id=request.pk, decider=officer, reason="agreed", carry_out=carry_out
            )

    return by_the_officer


@pytest.mark.parametrize(
    ("limits", "spent", "after"),
    [
        ((10, 6), (1, 2), 6),
        ((6, 10), (1, 2), 6),
        ((5, 4), (3, 4), 7),
        ((9, 4), (3, 4), 7),
        ((3, 9), (3, 2), 5),
        ((10, 10), (0, 0), 10),
    ],
)
def test_a_merge_takes_the_smaller_limit_and_every_loss(
    owner: Membership, agree: Agree, limits: tuple[int, int], spent: tuple[int, int], after: int
) -> None:
    """A8: the limit is the smaller one, or exactly what is committed; never overspent."""
    one, two = (dataset_budget(owner.tenant, name) for name in ("one", "two"))
    into = shared_budget(owner.tenant, "A", one, limit=limits[0] * NANO)
    other = shared_budget(owner.tenant, "B", two, limit=limits[1] * NANO)
    for dataset, amount in ((one, spent[0]), (two, spent[1])):
        if amount:
            charge(dataset, amount * NANO)
    assert agree(merging(owner, into, other), merge_as_agreed).request.state == "approved"
    assert fresh(into).limit_nano == after * NANO
    assert committed(into) == sum(spent) * NANO
    assert members(into) == sorted([one.pk, two.pk])
    assert members(other) == []
    assert fresh(other).closed_at is not None


def test_what_was_held_on_the_ended_budget_settles_there(owner: Membership, agree: Agree) -> None:
    """The kept budget counted it when the two became one, and does not count it again."""
    one, two = (dataset_budget(owner.tenant, name) for name in ("one", "two"))
    into, other = shared_budget(owner.tenant, "A", one), shared_budget(owner.tenant, "B", two)
    kept, dropped = charge(two, NANO), charge(two, 2 * NANO)
    agree(merging(owner, into, other), merge_as_agreed)
    settle(query_id=kept, amount_nano=NANO)
    void(query_id=dropped)
    assert fresh(other).spent_nano == NANO
    assert (fresh(other).reserved_nano, committed(into)) == (0, 3 * NANO)
    charge(two, NANO)
    assert (committed(other), committed(into)) == (NANO, 4 * NANO)


def test_whoever_leaves_takes_everything_along(owner: Membership, agree: Agree) -> None:
    """F11: nobody can tell whose losses those were, so both sides keep all of them."""
    one, two, three = (dataset_budget(owner.tenant, name) for name in "123")
    shared = shared_budget(owner.tenant, "A", one, two, three, limit=8 * NANO)
    settle(query_id=charge(one, 2 * NANO), amount_nano=2 * NANO)
    charge(two, NANO)
    decision = agree(leaving(owner, shared, two, three), split_as_agreed)
    assert decision.request.state == "approved"
    apart = Budget.objects.get(label="B")
    assert (apart.limit_nano, committed(apart), committed(shared)) == (8 * NANO, 3 * NANO, 3 * NANO)
    assert (members(shared), members(apart)) == ([one.pk], sorted([two.pk, three.pk]))
    charge(two, NANO)
    assert (committed(apart), committed(shared)) == (4 * NANO, 3 * NANO)


def test_one_dataset_leaves_by_its_own_kind_of_request(owner: Membership, agree: Agree) -> None:
    one, two = (dataset_budget(owner.tenant, name) for name in "12")
    shared = shared_budget(owner.tenant, "A", one, two)
    charge(one, NANO)
    payload = leaving(owner, shared, two).payload
    request = ask_for(owner, LEAVE_SHARED_BUDGET, **payload)
    agree(request, leave_as_agreed)
    assert committed(Budget.objects.get(label="B")) == NANO


def test_one_approval_is_one_entry_with_the_budgets_and_amounts(
    owner: Membership, agree: Agree
) -> None:
    """G1: the approval's entry carries what was done."""
    one, two = (dataset_budget(owner.tenant, name) for name in "12")
    into, other = shared_budget(owner.tenant, "A", one), shared_budget(owner.tenant, "B", two)
    charge(two, NANO)
    request = merging(owner, into, other)
    before = AuditEntry.objects.count()
    agree(request, merge_as_agreed)
    entry = AuditEntry.objects.order_by("-sequence")[0]
    assert AuditEntry.objects.count() == before + 1
    assert json.loads(entry.detail)["effect"] == {
        "into": str(into.pk),
        "ended": str(other.pk),
        "members": [str(two.pk)],
        "carried_epsilon": "1",
        "before_epsilon": "10",
        "after_epsilon": "10",
    }


def test_a_merge_of_limits_that_nobody_saw_is_out_of_date(owner: Membership, agree: Agree) -> None:
    """A8: both persons decide about the numbers that they read."""
    into, other = shared_budget(owner.tenant, "A"), shared_budget(owner.tenant, "B")
    request = merging(owner, into, other)
    change_limit(budget=into, limit_nano=NANO, actor=OPERATOR, reason="less")
    decision = agree(request, merge_as_agreed)
    assert decision.request.state == "stale"
    assert fresh(other).closed_at is None


def test_what_happened_since_the_request_ends_it_without_a_trace(
    owner: Membership, agree: Agree
) -> None:
    """A5: a second merge, a member that left, nobody who stays, a name that is taken."""
    one, two = (dataset_budget(owner.tenant, name) for name in "12")
    into, other = shared_budget(owner.tenant, "A", one), shared_budget(owner.tenant, "B", two)
    everybody = leaving(owner, into, one, name="C")
    assert agree(everybody, split_as_agreed).request.state == "stale"
    not_a_member = leaving(owner, into, two, name="C")
    assert agree(not_a_member, split_as_agreed).request.state == "stale"
    agree(merging(owner, into, other), merge_as_agreed)
    named = leaving(owner, into, two, name="A")
    assert agree(named, split_as_agreed).request.state == "stale"
    assert agree(merging(owner, other, into), merge_as_agreed).request.state == "stale"
    assert members(into) == sorted([one.pk, two.pk])


def test_nothing_is_divided_while_a_balance_may_be_wrong(owner: Membership, agree: Agree) -> None:
    """A9: the request waits until an officer has confirmed the balances."""
    into, other = shared_budget(owner.tenant, "A"), shared_budget(owner.tenant, "B")
    request = merging(owner, into, other)
    freeze_tenant(tenant_id=owner.tenant_id, reason="restored")
    with pytest.raises(BudgetFrozen):
        agree(request, merge_as_agreed)
    assert ChangeRequest.objects.get(pk=request.pk).is_waiting


@pytest.mark.parametrize("effect", [merge_as_agreed, split_as_agreed, leave_as_agreed])
def test_nothing_happens_without_a_second_person(owner: Membership, effect: CarryOut) -> None:
    """F8: two persons: the effects look for the approval themselves."""
    into, other = shared_budget(owner.tenant, "A"), shared_budget(owner.tenant, "B")
    with pytest.raises(NotApproved):
        effect(merging(owner, into, other))


def test_another_tenant_s_budgets_are_not_merged(
    owner: Membership, agree: Agree, stranger: Membership
) -> None:
    """H1"""
    theirs = shared_budget(stranger.tenant, "Theirs")
    mine = shared_budget(owner.tenant, "Mine")
    for into, other in ((mine, theirs), (theirs, mine)):
        assert agree(merging(owner, into, other), merge_as_agreed).request.state == "stale"
    assert fresh(theirs).closed_at is None
    assert Tenant.objects.count() == 2
