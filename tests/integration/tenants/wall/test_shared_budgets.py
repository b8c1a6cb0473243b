"""H2: a budget that another tenant shares is seen and charged; nothing else of that tenant is."""

import pytest
from django.db import DatabaseError, connection, transaction

from dpgov.budgets.models import (
    Budget,
    BudgetAccess,
    Charge,
    Correction,
    LimitChange,
    Reservation,
)
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.models import Membership
from tests.made_once import made_once

pytestmark = pytest.mark.django_db
Two = tuple[Membership, Membership]


@made_once
def shared(two_tenants: Two) -> Budget:
    """A budget of the other tenant's that ours may charge."""
    ours, theirs = two_tenants
    budget = Budget.objects.filter(tenant=theirs.tenant).get()
    BudgetAccess.objects.create(budget=budget, tenant=ours.tenant)
    return budget


def test_a_shared_budget_is_seen_with_its_total_and_nothing_beside_it(
    shared: Budget, two_tenants: Two
) -> None:
    """H2: neither who asks there, nor how often."""
    ours, theirs = two_tenants
    with acting_for(ours.tenant_id):
        assert set(Budget.objects.values_list("tenant_id", flat=True)) == {
            ours.tenant_id,
            theirs.tenant_id,
        }
        assert Budget.objects.get(pk=shared.pk).committed_nano > 0
        for entries in (Charge, Correction, LimitChange, Reservation):
            assert not entries.objects.filter(budget=shared).exists()
        assert not BudgetAccess.objects.filter(tenant=theirs.tenant).exists()
        assert not Membership.objects.filter(tenant=theirs.tenant).exists()


def test_a_shared_budget_is_locked_but_not_changed_by_the_other_tenant(
    shared: Budget, two_tenants: Two
) -> None:
    """H2: its limit is its owner's."""
    with acting_for(two_tenants[0].tenant_id):
        assert Budget.objects.select_for_update().get(pk=shared.pk) == shared
        with pytest.raises(DatabaseError, match="as two persons approved"), transaction.atomic():
            Budget.objects.filter(pk=shared.pk).update(limit_nano=10**12)
        # A lower one needs no approval, and is refused by the wall between the tenants.
        with pytest.raises(DatabaseError, match="row-level security"), transaction.atomic():
            Budget.objects.filter(pk=shared.pk).update(limit_nano=1)


def test_nobody_gives_themselves_access_to_a_foreign_budget(two_tenants: Two) -> None:
    """H2: access comes with an invitation, through its own gate."""
    ours, theirs = two_tenants
    foreign = Budget.objects.filter(tenant=theirs.tenant).get()
    with (
        pytest.raises(DatabaseError, match="row-level security"),
        transaction.atomic(),
        acting_for(ours.tenant_id),
        connection.cursor() as cursor,
    ):
        cursor.execute(
            "INSERT INTO budgets_budgetaccess (budget_id, tenant_id, created_at)"
            " VALUES (%s, %s, now())",
            [foreign.pk, ours.tenant_id],
        )
