"""M63: what is charged to a derived dataset is charged to both parents, all or none.

What could overspend: a question about two joined tables that takes of one budget only. Its analyst
would learn as much of the other table's people as if nothing had been spent there. So the ledger
itself asks for every part of both parents and for what these share, whatever a caller forgets.
"""

import json
from uuid import UUID, uuid4

import pytest
from django.db import DatabaseError, transaction

from dpgov.audit.actor import OPERATOR
from dpgov.audit.models import AuditEntry
from dpgov.budgets.charging import Parts, limits_touched, limits_within_reach, lines_of_query
from dpgov.budgets.errors import BudgetsMoved, InsufficientBudget
from dpgov.budgets.models import (
    Budget,
    BudgetAccess,
    Charge,
    DerivedBudget,
    Reservation,
    SharedBudgetMember,
)
from dpgov.budgets.services import (
    change_limit,
    confirm_budget,
    derive_budget,
    extend,
    freezing,
    open_parts,
    reserve,
    settle,
    void,
)
from dpgov.budgets.services.freezing import freeze_tenant
from dpgov.budgets.services.line import Line
from dpgov.budgets.services.shared_budgets import CannotShare
from dpgov.budgets.shared_budgets import without_shared
from dpgov.budgets.together import Together, charged_together
from dpgov.budgets.ways import for_life, ways_for
from dpgov.oversight.reconciliation.report import reconcile
from dpgov.tenants.models import Tenant
from tests.integration.budgets.shared.sharing import (
    NANO,
    charge,
    committed,
    dataset_budget,
    shared_budget,
)
from tests.threads import at_once

FAMILY = ("derived", "costs", "north", "other", "shared")


class Family:
    """A budget derived from two, of which one is divided, both in one shared budget."""

    def __init__(self, tenant: Tenant, limit: int = 10 * NANO) -> None:
        self.tenant = tenant
        self.visits = dataset_budget(tenant, "visits", limit)
        open_parts(budget=self.visits, parts=["North", "other"])
        self.costs = dataset_budget(tenant, "costs", limit)
        self.shared = shared_budget(tenant, "people", self.visits, self.costs, limit=limit)
        self.derived = dataset_budget(tenant, "both", limit)
        derive_budget(budget=self.derived, parents=[self.visits, self.costs])
        self.north, self.other = Budget.objects.filter(as_part__isnull=False).order_by(
            "as_part__position"
        )

    def charged(self) -> dict[str, int]:
        """What each of them has spent or reserved, by name."""
        return {name: committed(getattr(self, name)) for name in FAMILY}

    def lines(self, nano: int) -> list[Line]:
        """What a question of this price takes."""
        return lines_of_query(
            dataset_budget_id=self.derived.pk, cost_nano=nano, parts=Parts(), allocation=None
        )


@pytest.fixture
def family(tenant: Tenant) -> Family:
    return Family(tenant)


def test_a_question_is_held_booked_and_given_back_on_all_of_them(family: Family) -> None:
    """M63: own budget, the one parent, every part of the other, and the shared budget once."""
    kept, voided = charge(family.derived, 3), charge(family.derived, 4)
    assert family.charged() == dict.fromkeys(FAMILY, 7)
    assert committed(family.visits) == 7
    void(query_id=voided)
    settle(query_id=kept, amount_nano=3)
    assert family.charged() == dict.fromkeys(FAMILY, 3)
    assert Charge.objects.filter(query_id=kept).count() == len(FAMILY)


@pytest.mark.parametrize("forgotten", ["costs", "north", "other", "shared"])
def test_the_ledger_refuses_a_hold_that_forgets_one(family: Family, forgotten: str) -> None:
    """M63: whatever the caller read, and when; then nothing was held on any."""
    without = [line for line in family.lines(1) if line.budget_id != getattr(family, forgotten).pk]
    with pytest.raises(BudgetsMoved):
        reserve(query_id=uuid4(), tenant_id=family.tenant.pk, lines=without)
    assert family.charged() == dict.fromkeys(FAMILY, 0)
    assert not Reservation.objects.exists()


@pytest.mark.parametrize("narrow", ["costs", "shared"])
def test_the_narrowest_of_them_decides_and_is_named(family: Family, narrow: str) -> None:
    """M63: price, desk and forecast see the same as the hold."""
    change_limit(
        budget=getattr(family, narrow), limit_nano=5, actor=OPERATOR, reason="narrower now"
    )
    seen = [
        limits_touched(family.lines(1)),
        limits_within_reach(family.derived.pk, []),
        ways_for(None, [family.derived.pk], needing=[])[family.derived.pk][0].limits,
    ]
    assert {limits[0].fit_nano for limits in seen} == {5}
    assert len({limits[0].words for limits in seen}) == 1
    assert (
        min(
            one.fit_nano
            for one in for_life([family.derived], [family.derived.pk])[family.derived.pk]
        )
        == 5
    )
    charge(family.derived, 5)
    with pytest.raises(InsufficientBudget):
        charge(family.derived, 1)
    assert family.charged() == dict.fromkeys(FAMILY, 5)


def test_what_a_backup_lacks_is_booked_on_all_of_them(family: Family) -> None:
    """A9, M63: on its confirmation alone, and named in its entry."""
    without_datasets = reconcile(family.tenant).findings
    freeze_tenant(tenant_id=family.tenant.pk, reason="restored")
    confirm_budget(budget=family.derived, actor=OPERATOR, reason="compared", missing_nano=2)
    assert family.charged() == dict.fromkeys(FAMILY, 2)
    assert committed(family.visits) == 2
    told = json.loads(AuditEntry.objects.get(action="BUDGET_CONFIRMED").detail)
    assert told["shared_budgets"] == [{"budget": str(family.shared.pk)}]
    assert told["parents"] == [{"budget": str(family.costs.pk)}]
    assert reconcile(family.tenant).findings == without_datasets, "no booking looks forged"


def test_a_shared_budget_that_is_joined_meanwhile_is_booked_on_too(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A9: what was read before the locks were there is read again."""
    lone = dataset_budget(tenant, "alone")
    others = shared_budget(tenant, "others")
    freeze_tenant(tenant_id=tenant.pk, reason="restored")
    moved: list[bool] = []

    def joined_after_the_first_look(wholes: list[UUID]) -> dict[UUID, Together]:
        found = charged_together(wholes)
        if not moved:
            SharedBudgetMember.objects.create(
                tenant=tenant, shared_budget=others, dataset_budget=lone
            )
        moved.append(True)
        return found

    monkeypatch.setattr(freezing, "charged_together", joined_after_the_first_look)
    confirm_budget(budget=lone, actor=OPERATOR, reason="compared", missing_nano=2)
    assert (committed(lone), committed(others)) == (2, 2)


def test_more_is_held_only_where_all_of_it_counts(family: Family) -> None:
    """L4, M63: whoever came to share a budget since it was held is extended on none."""
    lone = dataset_budget(family.tenant, "alone")
    held = charge(lone, 3)
    assert extend(query_id=held, amount_nano=1)
    others = shared_budget(family.tenant, "others", lone)
    assert committed(others) == 4
    with pytest.raises(BudgetsMoved):
        extend(query_id=held, amount_nano=1)
    assert (committed(lone), committed(others)) == (4, 4)
    settle(query_id=held, amount_nano=4)
    assert extend(query_id=charge(family.derived, 1), amount_nano=1)
    assert family.charged() == dict.fromkeys(FAMILY, 2)


def test_a_parent_is_called_by_its_name(family: Family) -> None:
    """Beside the dataset's own budget nobody could tell it apart."""
    words = {limit.words for limit in limits_within_reach(family.derived.pk, [])}
    assert "the budget of “costs”, which this dataset was derived from" in words


@pytest.mark.parametrize("charged_before", ["budget", "parent"])
def test_who_has_which_parents_is_fixed_before_anything_is_charged(
    family: Family, charged_before: str
) -> None:
    """M63: the database asks: nothing charged yet, one currency and tenant, no grandparents."""
    fresh = dataset_budget(family.tenant, "fresh")
    other = dataset_budget(family.tenant, "more")
    if charged_before == "budget":
        charge(fresh, 1)
        wrong = (fresh, other)
    else:
        wrong = (fresh, family.derived)
    with pytest.raises(DatabaseError), transaction.atomic():
        derive_budget(budget=wrong[0], parents=[wrong[1]])
    for change in (DerivedBudget.objects.all().delete, lambda: _moved(other)):
        with pytest.raises(DatabaseError), transaction.atomic():
            change()


def _moved(other: Budget) -> int:
    return DerivedBudget.objects.update(parent=other)


@pytest.mark.django_db(transaction=True)
def test_questions_on_it_and_on_its_parents_at_once_never_pass_a_limit(tenant: Tenant) -> None:
    """M63: a race near the limit: as many are taken as fit, and all budgets agree which."""
    family = Family(tenant, limit=10)
    targets = [family.derived, family.costs, family.visits] * 8
    taken = at_once(4, _taken, targets)
    ours = sum(taken[place] for place in range(0, len(taken), 3))
    assert committed(family.shared) == 10 == sum(taken)
    assert committed(family.costs) == ours + sum(taken[1::3])
    assert committed(family.north) == ours + sum(taken[2::3])
    assert committed(family.derived) == ours
    assert BudgetAccess.objects.count() >= len(FAMILY)


def _taken(budget: Budget) -> int:
    from dpgov.tenants.boundary import acting_for

    try:
        with acting_for(budget.tenant_id):
            charge(budget, 1)
    except InsufficientBudget:
        return 0
    return 1


def test_what_was_derived_joins_no_shared_budget_by_itself(family: Family) -> None:
    """M63: it takes of that of its parents, and is offered for none."""
    budgets = Budget.objects.filter(tenant=family.tenant, kind=Budget.Kind.DATASET)
    assert budgets.exists()
    assert not without_shared(family.tenant, budgets, "pk").exists()
    with pytest.raises(CannotShare):
        shared_budget(family.tenant, "others", family.derived)
