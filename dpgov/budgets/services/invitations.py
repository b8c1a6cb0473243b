"""Codes by which another organisation's datasets come to share a budget.

Two persons here agree to invite, two persons there to accept. A code is shown once, stored as a
hash, good for one use and a week. Must never say why a code does not work, nor which organisation
stands behind one.
"""

import base64
import hashlib
import re
import secrets
from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from django.core.cache import cache
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
from dpgov.tenants.models import Membership

ACCEPT_SHARED_BUDGET = "accept_shared_budget"
LIFETIME = timedelta(days=7)
_BYTES = 15
_CODE = re.compile(r"[A-Z2-7]{24}", re.ASCII)
_MOST_TRIES = 20
_TRIES_SECONDS = 3600


class InvalidCode(LedgerRefusal):
    """The code is wrong, used, expired, withdrawn or the tenant's own; the words do not say."""

    def __init__(self) -> None:
        super().__init__(
            said(
                "This code does not work. It may be mistyped, used or out of date. Ask whoever "
                "gave it to you for a new one."
            )
        )


class TooManyCodes(LedgerRefusal):
    """Codes are not for guessing."""

    def __init__(self) -> None:
        super().__init__(said("Too many codes were tried. Wait an hour and try again."))


def new_invitation(shared_budget: Budget) -> tuple[SharedBudgetInvitation, str]:
    """An invitation and its code, in groups that can be read out; the caller records it."""
    code = base64.b32encode(secrets.token_bytes(_BYTES)).decode()
    invitation = SharedBudgetInvitation.objects.create(
        tenant_id=shared_budget.tenant_id,
        shared_budget=shared_budget,
        code_hash=_hash(code),
        expires_at=clock.now() + LIFETIME,
    )
    return invitation, "-".join(code[start : start + 4] for start in range(0, len(code), 4))


def look_at(*, code: str, tenant_id: UUID) -> crossing.Preview:
    """What the code offers; uses one of the tenant's tries. Raises InvalidCode, TooManyCodes."""
    _count_a_try(tenant_id)
    preview = crossing.preview_of(_hash(_normal(code)), tenant_id)
    if preview is None:
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
    claimed = crossing.claim(_hash(_normal(code)), membership.tenant_id)
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
    key = f"shared-budget-codes:{tenant_id}"
    cache.add(key, 0, timeout=_TRIES_SECONDS)
    try:
        tries = cache.incr(key)
    except ValueError:
        # The hour ended between the two calls.
        tries = 1
    if tries > _MOST_TRIES:
        raise TooManyCodes


def _normal(code: str) -> str:
    """As it was made, however it was typed; raises InvalidCode for what no code looks like."""
    text = re.sub(r"[\s-]", "", code).upper()
    if not _CODE.fullmatch(text):
        raise InvalidCode
    return text


def _hash(code: str) -> str:
    return hashlib.sha256(code.encode()).hexdigest()
