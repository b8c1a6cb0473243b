"""Codes by which another organisation's datasets come to share a budget.

Two persons here agree to invite, two persons there to accept. A code is shown once, stored as a
hash, good for one use and a week. Must never say why a code does not work, nor which organisation
stands behind one.
"""

from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from django.db import transaction

from dpgov.approvals.models import ChangeRequest
from dpgov.approvals.services import request_change
from dpgov.budgets import crossing
from dpgov.budgets.errors import LedgerRefusal
from dpgov.budgets.models import Budget, SharedBudgetInvitation, SharedBudgetMember
from dpgov.budgets.services.shared_budgets import AlreadyShares, CannotShare
from dpgov.language.said import said
from dpgov.operation import clock
from dpgov.privacy.accounting.decimals import as_text
from dpgov.tenants import codes
from dpgov.tenants.models import Membership, Tenant

ACCEPT_SHARED_BUDGET = "accept_shared_budget"
LIFETIME = timedelta(days=7)


class InvalidCode(LedgerRefusal):
    """Wrong, used, expired, withdrawn, one's own, or of or for people who practise: unsaid."""

    def __init__(self) -> None:
        super().__init__(
            said(
                "This code does not work. It may be mistyped, used or out of date. Ask the person "
                "who gave it to you for a new one."
            )
        )


class OwnersPractise(LedgerRefusal):
    """The owners of a shared budget practise: their invented questions would charge it."""

    def __init__(self) -> None:
        super().__init__(
            said(
                "People practise here on invented rows: their questions would use up what real "
                "people may lose. Share a budget of your own organisation."
            )
        )


class TooManyCodes(LedgerRefusal):
    """Codes are not for guessing."""

    def __init__(self) -> None:
        super().__init__(said("Too many codes were tried. Wait an hour and try again."))


def new_invitation(shared_budget: Budget) -> tuple[SharedBudgetInvitation, str]:
    """An invitation and its code, in groups that can be read out; the caller records it. Raises
    OwnersPractise.
    """
    check_inviter(shared_budget.tenant)
    code, code_hash = codes.new_code()
    invitation = SharedBudgetInvitation.objects.create(
        tenant_id=shared_budget.tenant_id,
        shared_budget=shared_budget,
        code_hash=code_hash,
        expires_at=clock.now() + LIFETIME,
    )
    return invitation, code


def check_inviter(tenant: Tenant) -> None:
    """Raise OwnersPractise where nobody else's data may share a budget."""
    if tenant.is_practice:
        raise OwnersPractise


def look_at(*, code: str, tenant_id: UUID) -> crossing.Preview:
    """What the code offers; uses one of the tenant's tries. Raises InvalidCode, TooManyCodes."""
    _count_a_try(tenant_id)
    preview = crossing.preview_of(_hash_of(code), tenant_id)
    # Where people practise they change their roles freely: no budget of real people is theirs.
    if preview is None or Tenant.objects.get(pk=tenant_id).is_practice:
        raise InvalidCode
    return preview


@transaction.atomic
def request_to_join(
    *, membership: Membership, code: str, dataset_budgets: Sequence[Budget], reason: str
) -> ChangeRequest:
    """Use the code up and ask a second person to let these datasets share that budget.

    Raises InvalidCode, TooManyCodes, AlreadyShares, CannotShare and what `request_change` does.
    """
    preview = look_at(code=code, tenant_id=membership.tenant_id)
    _check_free(membership, dataset_budgets)
    claimed = crossing.claim(_hash_of(code), membership.tenant_id)
    if claimed is None:
        raise InvalidCode
    return request_change(
        membership=membership,
        kind=ACCEPT_SHARED_BUDGET,
        subject=f"budget:{claimed.shared_budget_id}",
        payload={
            "invitation": str(claimed.invitation_id),
            "name": preview.label,
            "limit_nano": preview.limit_nano,
            "limit_epsilon": as_text(preview.limit_epsilon_nano),
            **({"delta": preview.delta} if preview.delta else {}),
            "dataset_budgets": [str(budget.pk) for budget in dataset_budgets],
            "datasets": [budget.label for budget in dataset_budgets],
        },
        reason=reason,
        dataset=", ".join(budget.label for budget in dataset_budgets)[:200],
    )


def _check_free(membership: Membership, dataset_budgets: Sequence[Budget]) -> None:
    foreign = [b for b in dataset_budgets if b.tenant_id != membership.tenant_id]
    if foreign or not dataset_budgets:
        raise CannotShare
    taken = SharedBudgetMember.objects.filter(
        dataset_budget__in=[budget.pk for budget in dataset_budgets], left_at__isnull=True
    )
    if taken.exists():
        raise AlreadyShares


def _count_a_try(tenant_id: UUID) -> None:
    if not codes.may_try("shared-budget", tenant_id):
        raise TooManyCodes


def _hash_of(code: str) -> str:
    """Raises InvalidCode for what no code looks like."""
    found = codes.hash_of(code)
    if found is None:
        raise InvalidCode
    return found
