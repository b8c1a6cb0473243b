"""F5, A9: a part that is new to a restored database may have been there before, and asked about."""

import pytest

from dpgov.audit.actor import OPERATOR
from dpgov.budgets.findings import ledger_findings
from dpgov.budgets.models import Budget, BudgetPart
from dpgov.budgets.services import confirm_budget, freeze_tenant
from dpgov.budgets.services.opening import add_parts
from dpgov.datasets.models import Dataset
from dpgov.oversight.reconciliation.report import reconcile
from tests.integration.budgets.conftest import NANO
from tests.integration.budgets.test_partition import PARTS, committed, divide

pytestmark = pytest.mark.django_db


@pytest.fixture
def divided(dataset: Dataset) -> Dataset:
    return divide(dataset)


def restored(dataset: Dataset, missing_nano: int, reason: str = "receipts") -> None:
    """The officer books this much on every part that there is."""
    freeze_tenant(tenant_id=dataset.tenant_id, reason="restored")
    confirm_budget(
        budget=Budget.objects.get(pk=dataset.budget_id),
        actor=OPERATOR,
        reason=reason,
        missing_nano=missing_nano,
    )


def test_a_part_that_comes_again_after_a_restore_has_lost_what_the_others_have(
    divided: Dataset,
) -> None:
    """F5, A9: the backup lacks the version that brought it, and the questions about it."""
    restored(divided, 9 * NANO)
    add_parts(budget_id=divided.budget_id, parts=["West"])
    assert committed(divided) == dict.fromkeys((*PARTS, "West"), 9 * NANO)
    assert Budget.objects.get(pk=divided.budget_id).remaining_nano == NANO


def test_each_booking_is_one_of_the_new_part_s_too_so_that_the_log_agrees(divided: Dataset) -> None:
    """F5, A9, G8: with its reason; the recount finds nothing."""
    restored(divided, 2 * NANO, "the first restore")
    restored(divided, 3 * NANO, "the second restore")
    add_parts(budget_id=divided.budget_id, parts=["West"])
    west = BudgetPart.objects.get(dataset_budget=divided.budget_id, part="West").budget
    booked = west.corrections.order_by("spent_after_nano")
    assert list(booked.values_list("kind", "amount_nano", "reason")) == [
        ("after_restore", 2 * NANO, "the first restore"),
        ("after_restore", 3 * NANO, "the second restore"),
    ]
    assert ledger_findings() == []
    assert reconcile(divided.tenant).findings == ()


def test_a_new_part_where_nothing_was_missing_has_lost_nothing(divided: Dataset) -> None:
    """F5: units that come for the first time."""
    add_parts(budget_id=divided.budget_id, parts=["West"])
    assert committed(divided)["West"] == 0
