"""An analyst asks for budget with a reason; an owner answers once, also with a reason.

Granting is the ordinary allocation, and a higher limit of the dataset is the ordinary request that
two persons decide: a request here only leads there. Each step makes one audit entry. Nothing is
given to whoever was removed, suspended or moved since they asked: the request ends as STALE.
"""

from datetime import date
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from dpgov.audit.actions import Action
from dpgov.audit.services import append
from dpgov.budgets.services import allocate
from dpgov.budgets.services.raising import request_raise
from dpgov.datasets.models import Dataset
from dpgov.datasets.services import permit
from dpgov.privacy.accounting.budget import as_text
from dpgov.queries.models import BudgetRequest
from dpgov.queries.wording.words import lower_first
from dpgov.tenants.models import Membership
from dpgov.tenants.permissions import Permission, may
from dpgov.tenants.selectors import actor_of

State, About = BudgetRequest.State, BudgetRequest.About
_LONGEST = 500


class AlreadyAsked(ValueError):
    """One request of a kind waits at a time."""

    def __init__(self) -> None:
        super().__init__(
            _(
                "You have asked for this already, and no owner has answered yet. Withdraw that "
                "request first if it should be another one."
            )
        )


class AlreadyAnswered(ValueError):
    """A request is answered once."""

    def __init__(self, state: str) -> None:
        refusal = _("This request was answered before: {state}. Nothing was changed.")
        super().__init__(refusal.format(state=lower_first(state)))


class MayNot(ValueError):
    """The person's role does not let them do this step."""

    def __init__(self) -> None:
        super().__init__(_("Analysts ask for budget, and data owners answer."))


@transaction.atomic
def ask_for_budget(
    *, membership: Membership, dataset: Dataset, about: str, epsilon_nano: int, reason: str
) -> BudgetRequest:
    """Ask for so much in all, in nano-ε as an owner would type it; raises MayNot, AlreadyAsked."""
    if not may(membership, Permission.SUBMIT_QUERIES):
        raise MayNot
    wish = BudgetRequest(
        tenant_id=membership.tenant_id,
        dataset=dataset,
        asked_by=membership.user,
        about=About(about),
        epsilon_nano=epsilon_nano,
        reason=reason,
    )
    try:
        with transaction.atomic():
            wish.save(force_insert=True)
    except IntegrityError as twin:
        raise AlreadyAsked from twin
    _record(wish, membership, Action.BUDGET_REQUESTED, reason=reason)
    return wish


@transaction.atomic
def grant_request(
    *, membership: Membership, request_id: UUID, limit_nano: int, answer: str
) -> BudgetRequest:
    """Give the analyst an allocation of this size in all; the entry is that of the allocation.

    Raises AlreadyAnswered, MayNot, and what `budgets.services.allocate` raises.
    """
    wish = _waiting(membership, request_id, About.ALLOCATION)
    if not _is_still_there(wish):
        return _lapse(wish, membership)
    allocate(
        dataset_budget=wish.dataset.budget,
        holder=wish.asked_by,
        limit_nano=limit_nano,
        actor=actor_of(membership.user),
        reason=_why(wish, answer),
    )
    return _end(wish, State.GRANTED, membership, answer, granted_nano=limit_nano)


@transaction.atomic
def grant_permit(
    *, membership: Membership, request_id: UUID, epsilon_nano: int, last_day: date, answer: str
) -> BudgetRequest:
    """Let the analyst ask questions up to this pure ε until a day; the entry is that of the permit.

    Raises AlreadyAnswered, MayNot.
    """
    wish = _waiting(membership, request_id, About.PERMIT)
    if not _is_still_there(wish):
        return _lapse(wish, membership)
    permit(
        dataset=wish.dataset,
        user=wish.asked_by,
        limit_nano=wish.dataset.budget.currency.price_of(epsilon_nano),
        last_day=last_day,
        owner=membership.user,
        reason=_why(wish, answer),
    )
    return _end(wish, State.GRANTED, membership, answer, granted_nano=epsilon_nano)


@transaction.atomic
def pass_on(
    *, membership: Membership, request_id: UUID, limit_nano: int, answer: str
) -> BudgetRequest:
    """Request the higher limit of the dataset, which a compliance officer decides.

    Raises AlreadyAnswered, MayNot, and what `request_raise` raises.
    """
    wish = _waiting(membership, request_id, About.LIMIT)
    if not _is_still_there(wish):
        return _lapse(wish, membership)
    request_raise(
        membership=membership,
        budget=wish.dataset.budget,
        limit_nano=limit_nano,
        reason=_why(wish, answer),
    )
    return _end(wish, State.PASSED_ON, membership, answer)


@transaction.atomic
def decline_request(*, membership: Membership, request_id: UUID, answer: str) -> BudgetRequest:
    """Say no, with a reason. Raises AlreadyAnswered, MayNot."""
    wish = _end(_waiting(membership, request_id), State.DECLINED, membership, answer)
    _record(wish, membership, Action.BUDGET_REQUEST_DECLINED, answer=answer)
    return wish


@transaction.atomic
def withdraw_request(*, membership: Membership, request_id: UUID) -> BudgetRequest:
    """Take one's own request back. Raises AlreadyAnswered; DoesNotExist for anybody else's."""
    wish = _locked(membership, request_id, asked_by_id=membership.user_id)
    _end(wish, State.WITHDRAWN, membership, "")
    _record(wish, membership, Action.BUDGET_REQUEST_WITHDRAWN)
    return wish


def _waiting(membership: Membership, request_id: UUID, *about: str) -> BudgetRequest:
    """The request under its lock, for an owner. Raises MayNot for another kind than `about`."""
    wish = _locked(membership, request_id)
    if not may(membership, Permission.REGISTER_DATASETS) or (about and wish.about not in about):
        raise MayNot
    return wish


def _is_still_there(wish: BudgetRequest) -> bool:
    """Whether who asked is still who they were; kept so until the end of the step."""
    rows = Membership.objects.filter(tenant_id=wish.tenant_id, user_id=wish.asked_by_id)
    same = rows.filter(role_since__lte=wish.asked_at, user__is_active=True)
    return same.select_for_update(of=("self",)).first() is not None


def _lapse(wish: BudgetRequest, membership: Membership) -> BudgetRequest:
    _end(wish, State.STALE, membership, "")
    _record(wish, membership, Action.BUDGET_REQUEST_LAPSED)
    return wish


def _locked(membership: Membership, request_id: UUID, **own: object) -> BudgetRequest:
    found = BudgetRequest.objects.filter(tenant_id=membership.tenant_id, **own)
    locked = found.select_related("dataset__budget", "asked_by").select_for_update(of=("self",))
    wish = locked.get(pk=request_id)
    if not wish.is_waiting:
        raise AlreadyAnswered(wish.get_state_display())
    return wish


def _why(wish: BudgetRequest, answer: str) -> str:
    return f"{answer} (Asked for by {wish.asked_by.email}: {wish.reason})"[:_LONGEST]


def _end(
    wish: BudgetRequest,
    state: str,
    membership: Membership,
    answer: str,
    *,
    granted_nano: int | None = None,
) -> BudgetRequest:
    wish.state, wish.answer, wish.granted_nano = state, answer, granted_nano
    wish.answered_by, wish.answered_at = membership.user, timezone.now()
    wish.save(update_fields=["state", "answer", "granted_nano", "answered_by", "answered_at"])
    return wish


def _record(wish: BudgetRequest, actor: Membership, action: Action, **detail: str) -> None:
    append(
        tenant_id=wish.tenant_id,
        actor=actor_of(actor.user),
        action=action,
        subject=f"request:{wish.pk}",
        dataset=wish.dataset.slug,
        detail={"about": wish.about, "epsilon": as_text(wish.epsilon_nano), **detail},
    )
