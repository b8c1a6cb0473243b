"""An analyst asks an owner to approve one question; the owner approves or declines it, once.

What is approved is one plan at one price for one person. Nothing is reserved or spent by asking,
approving or declining: the question is admitted when it is asked, see `queries.asking.approval`.
"""

from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from dpgov.audit.actions import Action
from dpgov.audit.services import append
from dpgov.budgets.errors import BudgetFrozen
from dpgov.budgets.words import noted
from dpgov.datasets.lineage import is_frozen, paused_by
from dpgov.datasets.models import Dataset, DatasetVersion
from dpgov.datasets.selectors import current_version
from dpgov.privacy.answer.blueprint import Blueprint
from dpgov.privacy.plan.canonical import canonical_sha256
from dpgov.queries.asking.approval import ends_at, holds_now, why_not
from dpgov.queries.asking.asked import read_plan
from dpgov.queries.asking.gate import refuse_unless_open, refuse_unless_open_to
from dpgov.queries.asking.policy import NeedsApproval, policy_for, refuse_outside
from dpgov.queries.models import BudgetRequest
from dpgov.queries.workbench.budget_requests import (
    AlreadyAsked,
    MayNot,
    end_request,
    is_still_there,
    lapse,
    waiting_request,
)
from dpgov.tenants.models import Membership
from dpgov.tenants.permissions import Permission, may
from dpgov.tenants.selectors import actor_of

State, About = BudgetRequest.State, BudgetRequest.About
MOST_WAITING = 20


class NotNeeded(ValueError):
    """Whoever may ask it needs nobody's approval."""

    def __init__(self) -> None:
        super().__init__(_("This question needs no approval: you can ask it."))


class TooManyWaiting(ValueError):
    """An owner reads each of them."""

    def __init__(self) -> None:
        refusal = _("You wait for {number} approvals. Withdraw one first.")
        super().__init__(refusal.format(number=MOST_WAITING))


@transaction.atomic
def ask_for_approval(
    *, membership: Membership, dataset: Dataset, raw_plan: object, purpose: str
) -> BudgetRequest:
    """Ask an owner to approve this question at its price of now. Reserves nothing.

    Raises MayNot, InvalidPlan, NotNeeded, AlreadyAsked, TooManyWaiting, NotOpen, TermsNotAccepted,
    and what `refuse_outside` raises where no approval would help.
    """
    if not may(membership, Permission.SUBMIT_QUERIES):
        raise MayNot
    refuse_unless_open_to(dataset, membership.user)
    version = current_version(dataset)
    (blueprint,) = read_plan(version, raw_plan).blueprints
    _refuse_unless_needed(membership, dataset, blueprint)
    waiting = approvals_of(membership, dataset).filter(state=State.WAITING)
    if waiting.count() >= MOST_WAITING:
        raise TooManyWaiting
    sent = _request(membership, version, blueprint, purpose)
    try:
        with transaction.atomic():
            sent.save(force_insert=True)
    except IntegrityError as twin:
        raise AlreadyAsked from twin
    _record(sent, membership, Action.APPROVAL_REQUESTED, plan=sent.plan, reason=purpose)
    return sent


def _refuse_unless_needed(membership: Membership, dataset: Dataset, blueprint: Blueprint) -> None:
    try:
        refuse_outside(blueprint, dataset, policy_for(dataset, membership.user))
    except NeedsApproval:
        return
    raise NotNeeded


def _request(
    membership: Membership, version: DatasetVersion, blueprint: Blueprint, purpose: str
) -> BudgetRequest:
    currency = version.dataset.budget.currency
    return BudgetRequest(
        tenant_id=membership.tenant_id,
        dataset=version.dataset,
        asked_by=membership.user,
        about=About.QUESTION,
        epsilon_nano=currency.question_for(blueprint.cost_nano),
        reason=purpose,
        plan=blueprint.plan.as_json(),
        cost_nano=blueprint.cost_nano,
        version=version,
        canonical_sha256=_form_of_version(version, blueprint),
    )


def _form_of_version(version: DatasetVersion, blueprint: Blueprint) -> str:
    """The plan's form is in codes of its version: of another one it may be another question."""
    form = canonical_sha256(blueprint.plan, blueprint.schema)
    return sha256(f"{version.pk} {form}".encode()).hexdigest()


@transaction.atomic
def approve_question(*, membership: Membership, request_id: UUID, answer: str) -> BudgetRequest:
    """Let just this question be asked once, as it was asked for; ends as STALE where it cannot be.

    Raises AlreadyAnswered, MayNot, YourOwn, and NotOpen or BudgetFrozen while nothing can be
    asked of the dataset.
    """
    found = waiting_request(membership, request_id, About.QUESTION)
    refuse_unless_open(found.dataset)
    if is_frozen(found.dataset):
        raise BudgetFrozen
    if not (is_still_there(found) and holds_now(found, current_version(found.dataset))):
        return lapse(found, membership)
    end_request(found, State.GRANTED, membership, answer, granted_nano=found.epsilon_nano)
    detail = {"person": found.asked_by.email, "ends_at": ends_at(found).isoformat()}
    _record(found, membership, Action.QUESTION_APPROVED, plan=found.plan, reason=answer, **detail)
    return found


def _record(sent: BudgetRequest, actor: Membership, action: Action, **detail: Any) -> None:
    append(
        tenant_id=sent.tenant_id,
        actor=actor_of(actor.user),
        action=action,
        subject=f"request:{sent.pk}",
        dataset=sent.dataset.slug,
        detail={**noted(sent.cost_nano, sent.dataset.budget.currency), **detail},
    )


def approvals_of(membership: Membership, dataset: Dataset) -> QuerySet[BudgetRequest]:
    """This person's own requests for approvals of a dataset, the newest first."""
    found = BudgetRequest.objects.filter(
        tenant_id=membership.tenant_id,
        dataset=dataset,
        asked_by_id=membership.user_id,
        about=About.QUESTION,
    )
    return found.select_related("dataset__budget", "asked_by").order_by("-asked_at", "-id")


@dataclass(frozen=True, slots=True)
class ApprovalStanding:
    """A request for an approval as it stands now; `why` is a key of what ended it, or ""."""

    request: BudgetRequest
    why: str

    @property
    def can_be_asked(self) -> bool:
        """Whether the question can be asked under it now, as far as the approval goes."""
        return not self.why and paused_by(self.request.dataset) is None


def standing_of(sent: BudgetRequest) -> ApprovalStanding:
    """Looked at now; decides nothing."""
    return ApprovalStanding(sent, why_not(sent, current_version(sent.dataset)))
