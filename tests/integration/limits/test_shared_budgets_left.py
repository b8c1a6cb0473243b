"""An organisation that left another one's shared budget: no way back in, and no look at it."""

from datetime import timedelta
from uuid import UUID

import pytest
from django.db import DatabaseError, transaction
from django.urls import reverse
from django.utils import timezone

from dpgov.audit.actor import OPERATOR
from dpgov.budgets.models import Budget, SharedBudgetInvitation, SharedBudgetMember
from dpgov.budgets.services.invitations import ACCEPT_SHARED_BUDGET
from dpgov.budgets.services.shared_budgets import CannotShare, join_shared_budget
from dpgov.datasets.models import Dataset
from dpgov.privacy.accounting.decimals import NANO
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.models import Membership
from tests.agreed import agree
from tests.cast import Ask
from tests.integration.dashboards.reading import page
from tests.integration.datasets.quick import registered
from tests.integration.limits.test_shared_budgets_across import Sides, sides  # noqa: F401

pytestmark = pytest.mark.django_db


@pytest.fixture
def left(sides: Sides) -> Sides:  # noqa: F811
    """Both joined, and the other organisation went with the whole total."""
    sides.joined()
    path = reverse("limits:shared_budget_divide", args=[sides.shared.pk])
    body = {"datasets": [sides.theirs.budget_id], "name": "Ours", "reason": "not the same"}
    request = sides.their_owner.post(path, body).headers["Location"]
    assert sides.their_officer.post(request + "approve/", {"reason": "yes"}).status_code == 302
    return sides


@pytest.fixture
def more(stranger: Membership) -> Dataset:
    """Another dataset of theirs, which shares nothing."""
    rows = [("a", number) for number in range(60)] + [("b", number) for number in range(40)]
    return registered(stranger, rows, ["kind", "n"], name="More")


def _is_in(shared: Budget, budget_id: UUID) -> bool:
    present = SharedBudgetMember.objects.filter(shared_budget=shared, left_at__isnull=True)
    return present.filter(dataset_budget=budget_id).exists()


def test_who_left_comes_back_only_with_a_new_code(left: Sides, more: Dataset) -> None:
    """H1: two persons here and two there, as at first; one owner there alone finds no page."""
    for name in ("join", "divide"):
        path = reverse(f"limits:shared_budget_{name}", args=[left.shared.pk])
        assert left.their_owner.get(path).status_code == 404
        assert left.their_owner.post(path, {"dataset": more.budget_id}).status_code == 404
    with acting_for(more.tenant_id), pytest.raises(CannotShare):
        join_shared_budget(shared_budget=left.shared, dataset_budget=more.budget, actor=OPERATOR)
    assert not _is_in(left.shared, more.budget_id)
    back = Sides(**{**vars(left), "theirs": more})
    request = back.entered(back.invited())
    assert left.their_officer.post(request + "approve/", {"reason": "yes"}).status_code == 302
    assert _is_in(left.shared, more.budget_id)


def test_a_dataset_joins_beside_one_that_is_there_by_one_owner(sides: Sides, more: Dataset) -> None:  # noqa: F811
    """H1: while they take part it only tightens; the pages and the database let them."""
    sides.joined()
    path = reverse("limits:shared_budget_join", args=[sides.shared.pk])
    assert sides.their_owner.post(path, {"dataset": more.budget_id}).status_code == 302
    assert _is_in(sides.shared, more.budget_id)


def test_the_database_lets_nobody_in_without_an_invitation(left: Sides, more: Dataset) -> None:
    """H2: by plain SQL neither what is new nor what the used invitation once let in."""
    for budget_id in (more.budget_id, left.theirs.budget_id):
        with (
            acting_for(more.tenant_id),
            pytest.raises(DatabaseError, match="by an invitation"),
            transaction.atomic(),
        ):
            SharedBudgetMember.objects.create(
                tenant_id=more.tenant_id, shared_budget=left.shared, dataset_budget_id=budget_id
            )


def test_who_left_reads_their_own_history_and_no_balance(
    left: Sides, analyst: Membership, ask: Ask
) -> None:
    """H8: neither what is asked here afterwards, nor a limit that is set here afterwards."""
    path = reverse("limits:shared_budget_raise", args=[left.shared.pk])
    body = {"epsilon_limit": "9", "reason": "ours alone", "confirmed": str(9 * NANO)}
    request = left.owner.post(path, body).headers["Location"]
    left.officer.post(request + "approve/", {"reason": "yes"})
    ask(analyst, epsilon=1.25)
    path = reverse("limits:shared_budget", args=[left.shared.pk])
    here, there = page(left.owner, path), page(left.their_owner, path)
    for number in ("ε&nbsp;9", "ε&nbsp;1.25", "ε&nbsp;7.75"):
        assert number in here
        assert number not in there
    assert "No dataset of yours shares this budget any more" in there
    assert "Foreign left" in there
    assert "Datasets of another organisation" not in there
    assert reverse("limits:shared_budget_join", args=[left.shared.pk]) not in there


def test_who_is_left_alone_in_a_shared_budget_elsewhere_may_leave_it(
    sides: Sides,  # noqa: F811
    dataset: Dataset,
) -> None:
    """F11: by two persons and with the whole total; of one's own budget somebody still stays."""
    sides.joined()
    for owner, officer, budget_id in (
        (sides.owner, sides.officer, dataset.budget_id),
        (sides.their_owner, sides.their_officer, sides.theirs.budget_id),
    ):
        path = reverse("limits:shared_budget_divide", args=[sides.shared.pk])
        body = {"datasets": [budget_id], "name": "Apart", "reason": "other people"}
        request = owner.post(path, body).headers["Location"]
        assert officer.post(request + "approve/", {"reason": "yes"}).status_code == 302
        assert not _is_in(sides.shared, budget_id)
    assert Budget.objects.filter(label="Apart").count() == 2


def test_the_database_asks_for_a_code_that_was_good_when_two_persons_accepted_it(
    left: Sides, more: Dataset
) -> None:
    """H2: the same agreement, with the days of the code over and not over."""
    used = SharedBudgetInvitation.objects.get()
    lists = {"invitation": str(used.pk), "dataset_budgets": [str(more.budget_id)]}
    agree(more.tenant, ACCEPT_SHARED_BUDGET, **lists)
    new = SharedBudgetMember(
        tenant_id=more.tenant_id, shared_budget=left.shared, dataset_budget_id=more.budget_id
    )
    SharedBudgetInvitation.objects.update(expires_at=timezone.now() - timedelta(days=1))
    with pytest.raises(DatabaseError, match="by an invitation"), transaction.atomic():
        new.save(force_insert=True)
    SharedBudgetInvitation.objects.update(expires_at=timezone.now() + timedelta(days=1))
    new.save(force_insert=True)
