"""An analyst asks for budget with a reason; an owner answers once, also with a reason.

Granting is the ordinary allocation, and a higher limit of the dataset is the ordinary request that
two persons decide: a request here only leads there. Each step makes one audit entry. Nothing is
given to whoever was removed, suspended or moved since they asked: the request ends as STALE.
"""

from datetime import date
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from dpgov.audit.actions import Action
from dpgov.audit.services import append
from dpgov.budgets.services import allocate
from dpgov.budgets.services.raising import request_raise
from dpgov.datasets.audience import seen
from dpgov.datasets.models import Dataset
from dpgov.datasets.services import permit
from dpgov.operation import clock
from dpgov.privacy.accounting.decimals import as_text
from dpgov.queries.models import BudgetRequest
from dpgov.queries.wording.words import lower_first
from dpgov.queries.workbench.no_more import refuse_no_more
from dpgov.tenants.models import Membership, Role
from dpgov.tenants.permissions import Permission, may
from dpgov.tenants.roles import having_since
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


class YourOwn(ValueError):
    """Nobody answers what they asked for themselves, in whichever role."""

    def __init__(self) -> None:
        super().__init__(
            _("You asked for this yourself. Another data owner has to answer. Nothing was changed.")
        )


@transaction.atomic
def ask_for_budget(
    *, membership: Membership, dataset: Dataset, about: str, epsilon_nano: int, reason: str
) -> BudgetRequest:
    """Ask for so much in all, in nano-ε as an owner would type it.

    Raises MayNot, AlreadyAsked, and NotMore for what is none above what they have.
    """
    if not may(membership, Permission.SUBMIT_QUERIES):
        raise MayNot
    refuse_no_more(user=membership.user, dataset=dataset, about=about, epsilon_nano=epsilon_nano)
    budget_request = BudgetRequest(
        tenant_id=membership.tenant_id,
        dataset=dataset,
        asked_by=membership.user,
        about=About(about),
        epsilon_nano=epsilon_nano,
        reason=reason,
    )
    try:
        with transaction.atomic():
            budget_request.save(force_insert=True)
    except IntegrityError as twin:
        raise AlreadyAsked from twin
    _record(budget_request, membership, Action.BUDGET_REQUESTED, reason=reason)
    return budget_request


@transaction.atomic
def grant_request(
    *, membership: Membership, request_id: UUID, limit_nano: int, answer: str
) -> BudgetRequest:
    """Give the analyst an allocation of this size in all; the entry is that of the allocation.

    Raises AlreadyAnswered, MayNot, YourOwn, and what `budgets.services.allocate` raises:
    AllocationNotMore among it, so that nobody loses by asking what they have.
    """
    budget_request = waiting_request(membership, request_id, About.ALLOCATION)
    if not is_still_there(budget_request):
        return lapse(budget_request, membership)
    allocate(
        dataset_budget=budget_request.dataset.budget,
        holder=budget_request.asked_by,
        limit_nano=limit_nano,
        actor=actor_of(membership.user),
        reason=_why(budget_request, answer),
        only_more=True,
        needed=budget_request.dataset.needs_allocation,
    )
    return end_request(budget_request, State.GRANTED, membership, answer, granted_nano=limit_nano)


@transaction.atomic
def grant_permit(
    *, membership: Membership, request_id: UUID, epsilon_nano: int, last_day: date, answer: str
) -> BudgetRequest:
    """Let the analyst ask questions up to this pure ε until a day; the entry is that of the permit.

    Raises AlreadyAnswered, MayNot, YourOwn, and what `datasets.services.permit` raises:
    PermitNotMore among it, so that nobody loses by asking what they have.
    """
    budget_request = waiting_request(membership, request_id, About.PERMIT)
    if not is_still_there(budget_request):
        return lapse(budget_request, membership)
    permit(
        dataset=budget_request.dataset,
        user=budget_request.asked_by,
        limit_nano=budget_request.dataset.budget.currency.price_of(epsilon_nano),
        last_day=last_day,
        owner=membership.user,
        reason=_why(budget_request, answer),
        only_more=True,
    )
    return end_request(budget_request, State.GRANTED, membership, answer, granted_nano=epsilon_nano)


@transaction.atomic
def pass_on(
    *, membership: Membership, request_id: UUID, limit_nano: int, answer: str
) -> BudgetRequest:
    """Request the higher limit of the dataset, which a compliance officer decides.

    Raises AlreadyAnswered, MayNot, YourOwn, and what `request_raise` raises.
    """
    budget_request = waiting_request(membership, request_id, About.LIMIT)
    if not is_still_there(budget_request):
        return lapse(budget_request, membership)
    request_raise(
        membership=membership,
        budget=budget_request.dataset.budget,
        limit_nano=limit_nano,
        reason=_why(budget_request, answer),
        asked_by=budget_request.asked_by_id,
    )
    return end_request(budget_request, State.PASSED_ON, membership, answer)


@transaction.atomic
def decline_request(*, membership: Membership, request_id: UUID, answer: str) -> BudgetRequest:
    """Say no, with a reason. Raises AlreadyAnswered, MayNot, YourOwn."""
    budget_request = waiting_request(membership, request_id)
    end_request(budget_request, State.DECLINED, membership, answer)
    _record(budget_request, membership, Action.BUDGET_REQUEST_DECLINED, answer=answer)
    return budget_request


@transaction.atomic
def withdraw_request(*, membership: Membership, request_id: UUID) -> BudgetRequest:
    """Take one's own request back. Raises AlreadyAnswered; DoesNotExist for anybody else's."""
    budget_request = _locked(membership, request_id, asked_by_id=membership.user_id)
    end_request(budget_request, State.WITHDRAWN, membership, "")
    _record(budget_request, membership, Action.BUDGET_REQUEST_WITHDRAWN)
    return budget_request


def waiting_request(membership: Membership, request_id: UUID, *about: str) -> BudgetRequest:
    """The request under its lock, for an owner who did not ask for it.

    Raises YourOwn, and MayNot for another kind than `about`.
    """
    budget_request = _locked(membership, request_id)
    if not may(membership, Permission.REGISTER_DATASETS) or (
        about and budget_request.about not in about
    ):
        raise MayNot
    if budget_request.asked_by_id == membership.user_id:
        raise YourOwn
    return budget_request


def is_still_there(budget_request: BudgetRequest) -> bool:
    """Whether who asked is still who they were; kept so until the end of the step."""
    rows = Membership.objects.filter(
        tenant_id=budget_request.tenant_id, user_id=budget_request.asked_by_id
    )
    same = rows.filter(having_since(Role.ANALYST, budget_request.asked_at), user__is_active=True)
    return same.select_for_update(of=("self",)).first() is not None


def lapse(budget_request: BudgetRequest, membership: Membership) -> BudgetRequest:
    """It is out of date: nothing is given; one entry."""
    end_request(budget_request, State.STALE, membership, "")
    _record(budget_request, membership, Action.BUDGET_REQUEST_LAPSED)
    return budget_request


def _locked(membership: Membership, request_id: UUID, **own: object) -> BudgetRequest:
    mine = seen(membership, "dataset__")
    found = BudgetRequest.objects.filter(mine, tenant_id=membership.tenant_id, **own)
    locked = found.select_related("dataset__budget", "asked_by").select_for_update(of=("self",))
    budget_request = locked.get(pk=request_id)
    if not budget_request.is_waiting:
        raise AlreadyAnswered(budget_request.get_state_display())
    return budget_request


def _why(budget_request: BudgetRequest, answer: str) -> str:
    return f"{answer} (Asked for by {budget_request.asked_by.email}: {budget_request.reason})"[
        :_LONGEST
    ]


def end_request(
    budget_request: BudgetRequest,
    state: str,
    membership: Membership,
    answer: str,
    *,
    granted_nano: int | None = None,
) -> BudgetRequest:
    """Write down who answered what; the caller makes the entry."""
    # Compared with the moments of other machines: an approval ends when a pause does.
    budget_request.state, budget_request.answer, budget_request.granted_nano = (
        state,
        answer,
        granted_nano,
    )
    budget_request.answered_by, budget_request.answered_at = membership.user, clock.database_now()
    budget_request.save(
        update_fields=["state", "answer", "granted_nano", "answered_by", "answered_at"]
    )
    return budget_request


def _record(
    budget_request: BudgetRequest, actor: Membership, action: Action, **detail: str
) -> None:
    append(
        tenant_id=budget_request.tenant_id,
        actor=actor_of(actor.user),
        action=action,
        subject=f"request:{budget_request.pk}",
        dataset=budget_request.dataset.slug,
        detail={
            "about": budget_request.about,
            "epsilon": as_text(budget_request.epsilon_nano),
            **detail,
        },
    )
