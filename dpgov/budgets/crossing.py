"""What sharing a budget asks across tenants: a code's preview, its single use, who else is there.

The same questions through the wall on PostgreSQL and to the models on SQLite, always for the
tenant that is acting. Never a name, a number of questions or an identity of the other side.
"""

from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID

from django.db import connection
from django.db.models import QuerySet

from dpgov.budgets.models import Budget, BudgetAccess, SharedBudgetInvitation, SharedBudgetMember
from dpgov.operation import clock
from dpgov.privacy.accounting.loss import Currency, Mode
from dpgov.tenants.crossing import through_gate


@dataclass(frozen=True, slots=True)
class Preview:
    """What whoever holds a code may know before joining: the name, two amounts, their currency."""

    label: str
    limit_nano: int
    committed_nano: int
    mode: str = Mode.PURE
    delta: str = ""
    target_nano: int | None = None

    @property
    def currency(self) -> Currency:
        """What its amounts are counted in."""
        return Currency(Mode(self.mode), Decimal(self.delta) if self.delta else None)

    @property
    def limit_epsilon_nano(self) -> int:
        """The limit as its owner set it."""
        return self.limit_nano if self.target_nano is None else self.target_nano

    @property
    def remaining_nano(self) -> int:
        """What is left for all of them together."""
        return self.limit_nano - self.committed_nano


@dataclass(frozen=True, slots=True)
class UsedCode:
    """A code that was used: its invitation, and the shared budget that it leads to."""

    invitation_id: UUID
    shared_budget_id: UUID


def preview_of(code_hash: str, tenant_id: UUID) -> Preview | None:
    """The preview behind a code; None for a wrong, used, expired or own one, and one from where
    people practise, alike.
    """
    if connection.vendor == "postgresql":
        rows = through_gate(
            "SELECT label, limit_nano, committed_nano, mode, delta, target_nano"
            " FROM budgets_invitation(%s)",
            code_hash,
        )
        return Preview(*rows[0]) if rows else None
    found = _open(code_hash, tenant_id).select_related("shared_budget").first()
    if found is None:
        return None
    shared = found.shared_budget
    return Preview(
        shared.label,
        shared.limit_nano,
        shared.committed_nano,
        shared.mode,
        shared.delta,
        shared.target_nano,
    )


def claim(code_hash: str, tenant_id: UUID) -> UsedCode | None:
    """Use the code up for this tenant; None when there is nothing (more) to use."""
    if connection.vendor == "postgresql":
        rows = through_gate("SELECT id, shared_budget FROM budgets_claim_invitation(%s)", code_hash)
        return UsedCode(*rows[0]) if rows else None
    found = _open(code_hash, tenant_id).first()
    if found is None:
        return None
    found.accepted_at, found.accepted_by_id = clock.now(), tenant_id
    found.save(update_fields=["accepted_at", "accepted_by"])
    return UsedCode(found.pk, found.shared_budget_id)


def admit(invitation_id: UUID, tenant_id: UUID) -> UUID | None:
    """Let this tenant's queries charge the shared budget of an invitation that it used up.

    None once the code is out of date: whoever invited counts on its days, and cannot take it back.
    """
    if connection.vendor == "postgresql":
        found: UUID | None = through_gate("SELECT budgets_admit_by_invitation(%s)", invitation_id)[
            0
        ][0]
        return found
    used = SharedBudgetInvitation.objects.filter(
        pk=invitation_id,
        accepted_by=tenant_id,
        expires_at__gt=clock.now(),
        tenant__practice_of__isnull=True,
    ).first()
    if used is None:
        return None
    BudgetAccess.objects.get_or_create(budget_id=used.shared_budget_id, tenant_id=tenant_id)
    return used.shared_budget_id


def protect(shared_budget_id: UUID, promise: str) -> None:
    """Say what a shared budget protects, whoever's it is, if nobody has said so before."""
    if connection.vendor == "postgresql":
        through_gate("SELECT budgets_protect(%s, %s)", shared_budget_id, promise)
    else:
        Budget.objects.filter(pk=shared_budget_id, protects="").update(protects=promise)


def shared_with_others(shared_budget_id: UUID, tenant_id: UUID) -> bool:
    """Whether any other tenant's dataset is in a shared budget; not whose, nor how many.

    Yes, to be safe, for who is not acting for that tenant.
    """
    if connection.vendor == "postgresql":
        answer = "SELECT budgets_shared_with_others(%s, %s)"
        return bool(through_gate(answer, shared_budget_id, tenant_id)[0][0])
    members = SharedBudgetMember.objects.filter(
        shared_budget=shared_budget_id, left_at__isnull=True
    )
    return members.exclude(tenant=tenant_id).exists()


def _open(code_hash: str, tenant_id: UUID) -> QuerySet[SharedBudgetInvitation]:
    return SharedBudgetInvitation.objects.filter(
        code_hash=code_hash,
        accepted_at__isnull=True,
        expires_at__gt=clock.now(),
        shared_budget__closed_at__isnull=True,
        # Invented questions there would use up what real people here may lose.
        tenant__practice_of__isnull=True,
    ).exclude(tenant=tenant_id)
