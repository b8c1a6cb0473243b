"""A budget of ε 10 in a tenant of its own, and the numbers a ledger test compares."""

from collections.abc import Callable

import pytest

from dpgov.budgets.models import Budget
from dpgov.budgets.services import open_budget
from dpgov.tenants.models import Tenant
from tests.made_once import made_once

NANO = 10**9
Balances = Callable[[], tuple[int, int, int]]


@made_once
def budget(db: None) -> Budget:
    tenant = Tenant.objects.create(slug="ledger", name="Ledger Office")
    return open_budget(tenant=tenant, label="Census", limit_nano=10 * NANO)


@pytest.fixture
def balances(budget: Budget) -> Balances:
    """(limit, reserved, spent) as stored now."""

    def read() -> tuple[int, int, int]:
        stored = Budget.objects.get(pk=budget.pk)
        return stored.limit_nano, stored.reserved_nano, stored.spent_nano

    return read
