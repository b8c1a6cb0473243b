"""A budget that several datasets about the same people share."""

import pytest

from dpgov.audit.actor import OPERATOR
from dpgov.audit.models import AuditEntry
from dpgov.budgets.errors import (
    BudgetClosed,
    BudgetFrozen,
    BudgetsMoved,
    InsufficientBudget,
    LedgerRefusal,
)
from dpgov.budgets.models import Budget, Correction, SharedBudgetMember
from dpgov.budgets.services import (
    Line,
    close_budget,
    confirm_budget,
    freeze_tenant,
    open_parts,
    reserve,
    settle,
    void,
)
from dpgov.budgets.services.shared_budgets import (
    AlreadyShares,
    CannotShare,
    SharedBudgetNameTaken,
    join_shared_budget,
    open_shared_budget,
)
from dpgov.tenants.models import Tenant
from tests.integration.budgets.shared.sharing import (
    NANO,
    charge,
    committed,
    dataset_budget,
    fresh,
    members,
    shared_budget,
)

pytestmark = pytest.mark.django_db


def test_a_question_on_one_dataset_leaves_less_for_the_other(tenant: Tenant) -> None:
    """A2: charged to the dataset and to the shared budget, all or none."""
    survey, register = dataset_budget(tenant, "survey"), dataset_budget(tenant, "register")
    shared = shared_budget(tenant, "Residents", survey, register, limit=3 * NANO)
    settle(query_id=charge(survey, 2 * NANO), amount_nano=2 * NANO)
    with pytest.raises(InsufficientBudget) as refusal:
        charge(register, 2 * NANO)
    assert "share with other datasets" in str(refusal.value)
    assert (committed(survey), committed(register), committed(shared)) == (2 * NANO, 0, 2 * NANO)
    charge(register, NANO)
    assert fresh(shared).remaining_nano == 0


def test_what_was_lost_before_counts_from_the_beginning(tenant: Tenant) -> None:
    """Spent and reserved are both carried over, as one signed row that names its source."""
    survey = dataset_budget(tenant, "survey")
    settle(query_id=charge(survey, 2 * NANO), amount_nano=2 * NANO)
    charge(survey, NANO)
    shared = shared_budget(tenant, "Residents", survey)
    assert committed(shared) == 3 * NANO
    carried = Correction.objects.get(budget=shared)
    assert (carried.kind, carried.amount_nano, carried.source) == (
        Correction.Kind.CARRIED_OVER,
        3 * NANO,
        survey,
    )


def test_a_hold_that_was_carried_over_settles_once_and_gives_nothing_back(tenant: Tenant) -> None:
    """The shared budget counted it when the dataset joined; nobody knows then how it will end."""
    survey = dataset_budget(tenant, "survey")
    kept, dropped = charge(survey, NANO), charge(survey, 2 * NANO)
    shared = shared_budget(tenant, "Residents", survey)
    settle(query_id=kept, amount_nano=NANO)
    void(query_id=dropped)
    assert (committed(survey), committed(shared)) == (NANO, 3 * NANO)


def test_a_dataset_in_parts_brings_its_largest_line(tenant: Tenant) -> None:
    """F5: a person lies in one part, so the largest part is what they may have lost."""
    survey = dataset_budget(tenant, "survey")
    open_parts(budget=survey, parts=["north", "south"])
    north, south = Budget.objects.filter(as_part__dataset_budget=survey).order_by("label")
    for line, amount in ((north, NANO), (south, 3 * NANO)):
        reserve(query_id=fresh(line).pk, tenant_id=tenant.pk, lines=[Line(line.pk, amount)])
    assert committed(shared_budget(tenant, "Residents", survey)) == 3 * NANO


def test_a_question_about_one_part_is_still_charged_to_the_shared_budget(tenant: Tenant) -> None:
    """A line alone is refused when its dataset shares a budget: the parent's lock tells."""
    survey = dataset_budget(tenant, "survey")
    open_parts(budget=survey, parts=["north", "south"])
    line = Budget.objects.filter(as_part__dataset_budget=survey).first()
    assert line is not None
    shared_budget(tenant, "Residents", survey)
    with pytest.raises(BudgetsMoved):
        reserve(query_id=survey.pk, tenant_id=tenant.pk, lines=[Line(line.pk, NANO)])
    assert committed(survey) == 0


def test_lines_that_were_read_before_the_dataset_joined_are_refused(tenant: Tenant) -> None:
    """A2: a stale reading of who shares cannot slip past; nothing is changed by the refusal."""
    survey = dataset_budget(tenant, "survey")
    stale = [Line(survey.pk, NANO)]
    shared = shared_budget(tenant, "Residents", survey)
    with pytest.raises(BudgetsMoved):
        reserve(query_id=survey.pk, tenant_id=tenant.pk, lines=stale)
    assert (committed(survey), committed(shared)) == (0, 0)


def test_joining_what_does_not_fit_is_refused_and_changes_nothing(tenant: Tenant) -> None:
    """A5"""
    survey = dataset_budget(tenant, "survey")
    charge(survey, 4 * NANO)
    shared = shared_budget(tenant, "Residents", limit=3 * NANO)
    entries = AuditEntry.objects.count()
    with pytest.raises(InsufficientBudget):
        join_shared_budget(shared_budget=shared, dataset_budget=survey, actor=OPERATOR)
    assert (members(shared), committed(shared)) == ([], 0)
    assert not Correction.objects.exists()
    assert AuditEntry.objects.count() == entries


def test_a_dataset_is_in_one_shared_budget_at_a_time(tenant: Tenant) -> None:
    """A5: a second one, or the same one again, is refused."""
    survey = dataset_budget(tenant, "survey")
    first, second = shared_budget(tenant, "One", survey), shared_budget(tenant, "Two")
    for shared in (first, second):
        with pytest.raises(AlreadyShares):
            join_shared_budget(shared_budget=shared, dataset_budget=survey, actor=OPERATOR)
    assert members(second) == []


def test_only_a_dataset_joins_and_only_a_shared_budget_is_joined(tenant: Tenant) -> None:
    """A5"""
    survey, register = dataset_budget(tenant, "survey"), dataset_budget(tenant, "register")
    shared = shared_budget(tenant, "Residents")
    for wrong, joining in ((survey, register), (shared, shared), (survey, survey)):
        with pytest.raises(CannotShare):
            join_shared_budget(shared_budget=wrong, dataset_budget=joining, actor=OPERATOR)
    assert not SharedBudgetMember.objects.exists()


def test_a_balance_that_may_be_wrong_or_is_final_does_not_join(tenant: Tenant) -> None:
    """A9: after a restore the dataset's loss is not known, so it cannot be carried over."""
    survey, shared = dataset_budget(tenant, "survey"), shared_budget(tenant, "Residents")
    ended = shared_budget(tenant, "Ended")
    close_budget(budget=ended, actor=OPERATOR, reason="over")
    with pytest.raises(BudgetClosed):
        join_shared_budget(shared_budget=ended, dataset_budget=survey, actor=OPERATOR)
    freeze_tenant(tenant_id=tenant.pk, reason="restored")
    with pytest.raises(BudgetFrozen):
        join_shared_budget(shared_budget=shared, dataset_budget=survey, actor=OPERATOR)
    assert not SharedBudgetMember.objects.exists()


def test_what_a_backup_forgot_is_booked_on_the_shared_budget_as_well(tenant: Tenant) -> None:
    """A9: people who lost it in the dataset lost it; on every line, and once for all of them."""
    survey = dataset_budget(tenant, "survey")
    open_parts(budget=survey, parts=["north", "south"])
    shared = shared_budget(tenant, "Residents", survey)
    freeze_tenant(tenant_id=tenant.pk, reason="restored")
    confirm_budget(budget=survey, actor=OPERATOR, reason="receipts", missing_nano=2 * NANO)
    confirm_budget(budget=shared, actor=OPERATOR, reason="nothing else")
    lines = Budget.objects.filter(as_part__dataset_budget=survey)
    assert [line.spent_nano for line in lines] == [2 * NANO, 2 * NANO]
    assert (committed(survey), committed(shared)) == (2 * NANO, 2 * NANO)
    entry = AuditEntry.objects.filter(action="BUDGET_CONFIRMED").order_by("sequence")[0]
    assert f'"shared_budgets":[{{"budget":"{shared.pk}"}}]' in entry.detail


def test_names_are_unique_within_a_tenant_only(tenant: Tenant) -> None:
    """H8: another tenant's names are nobody's business; an ended budget's name is free again."""
    elsewhere = Tenant.objects.create(slug="elsewhere", name="Elsewhere")
    ended = shared_budget(tenant, "Residents")
    shared_budget(elsewhere, "Residents")
    with pytest.raises(SharedBudgetNameTaken):
        shared_budget(tenant, "Residents")
    close_budget(budget=ended, actor=OPERATOR, reason="over")
    assert shared_budget(tenant, "Residents").label == "Residents"


@pytest.mark.parametrize("limit", [0, -1, True, 1.5, None])
def test_a_limit_that_cannot_be_booked_opens_nothing(tenant: Tenant, limit: object) -> None:
    """A5"""
    with pytest.raises(LedgerRefusal):
        open_shared_budget(tenant=tenant, name="x", limit_nano=limit, actor=OPERATOR)  # type: ignore[arg-type]
    assert not Budget.objects.exists()


def test_each_step_is_one_entry_with_budgets_and_amounts(tenant: Tenant) -> None:
    """G1"""
    survey = dataset_budget(tenant, "survey")
    charge(survey, 1_500_000_000)
    shared = shared_budget(tenant, "Residents", survey)
    opened, joined = AuditEntry.objects.order_by("sequence")
    assert opened.action == "SHARED_BUDGET_OPENED"
    assert joined.action == "SHARED_BUDGET_JOINED"
    assert joined.subject == f"budget:{shared.pk}"
    assert f'"dataset_budget":"{survey.pk}"' in joined.detail
    assert '"carried_epsilon":"1.5"' in joined.detail
