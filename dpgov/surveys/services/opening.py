"""Opening and closing: one charge for all respondents, with the opening, all or none.

A survey with a budget of its own is opened by an owner alone: nobody else's budget is touched. One
that names a shared budget takes two persons, because the questions of others are asked on it. What
could overspend: a charge without the opening, or an opening without its charge, by a crash between
the two; they are one transaction, and the database opens nothing that is not charged
(`guard_survey_state`).
"""

from collections.abc import Iterable
from uuid import UUID

from django.db import transaction

from dpgov.approvals.errors import Stale
from dpgov.approvals.kinds import Effect
from dpgov.approvals.models import ChangeRequest
from dpgov.approvals.services import approved, request_change
from dpgov.audit.actions import Action
from dpgov.audit.services import append
from dpgov.budgets.crossing import shared_with_others
from dpgov.budgets.errors import AlreadyCorrected, BudgetClosed
from dpgov.budgets.models import Correction
from dpgov.budgets.services.shared_budgets import CannotShare
from dpgov.budgets.services.surveys import (
    OPEN_SURVEY,
    NotTheirsAlone,
    OtherPrice,
    charge_survey,
    charge_survey_alone,
    end_survey_budget,
    survey_price,
)
from dpgov.budgets.words import noted
from dpgov.operation import clock
from dpgov.privacy.accounting.decimals import as_text
from dpgov.privacy.accounting.loss import PURE
from dpgov.surveys.errors import LastDayOver, NotADraft, TakesTwoPersons
from dpgov.surveys.models import Survey, Tally
from dpgov.tenants.models import Membership
from dpgov.tenants.selectors import actor_of

_OVERTAKEN = (NotADraft, LastDayOver, BudgetClosed, CannotShare, OtherPrice, AlreadyCorrected)


@transaction.atomic
def open_alone(*, membership: Membership, survey: Survey) -> Survey:
    """Open a survey with a budget of its own. Raises as `_draft`, TakesTwoPersons, BudgetFrozen."""
    locked = _draft(survey.pk, membership.tenant_id)
    if locked.shared_budget_id is not None:
        raise TakesTwoPersons
    charge = charge_survey_alone(
        survey_id=locked.pk,
        tenant=membership.tenant,
        label=locked.question,
        epsilon_nano=locked.epsilon_nano,
    )
    _opened(locked, charge)
    append(
        tenant_id=locked.tenant_id,
        actor=actor_of(membership.user),
        action=Action.SURVEY_OPENED,
        subject=f"survey:{locked.pk}",
        detail={
            "name": locked.question,
            "own_budget": str(charge.budget_id),
            **noted(charge.amount_nano, PURE, "charged"),
        },
    )
    return locked


def request_opening(*, membership: Membership, survey: Survey, reason: str) -> ChangeRequest:
    """Ask for a survey that charges a shared budget to be opened.

    Raises NotADraft, LastDayOver, NotTheirsAlone where another organisation shares the budget, and
    what `approvals.services.request_change` raises.
    """
    budget = survey.shared_budget
    if budget is None:
        raise NotADraft
    _refuse_unless_openable(survey)
    return request_change(
        membership=membership,
        kind=OPEN_SURVEY,
        subject=f"survey:{survey.pk}",
        dataset=budget.label,
        payload={
            "survey": str(survey.pk),
            "question": survey.question,
            "epsilon": as_text(survey.epsilon_nano),
            "budget": str(budget.pk),
            "name": budget.label,
            "charged_nano": survey_price(budget, survey.epsilon_nano),
        },
        reason=reason,
    )


def could_be_opened(survey: Survey) -> bool:
    """Whether it could be opened now, and its price charged, by whoever may: it is no promise."""
    budget = survey.shared_budget
    try:
        _refuse_unless_openable(survey)
    except (NotADraft, LastDayOver, NotTheirsAlone):
        return False
    if budget is None:
        return True
    stands_still = budget.frozen_at is not None or budget.closed_at is not None
    return not stands_still and survey_price(budget, survey.epsilon_nano) <= budget.remaining_nano


def _refuse_unless_openable(survey: Survey) -> None:
    """Raises NotADraft, LastDayOver, NotTheirsAlone."""
    if survey.state != Survey.State.DRAFT:
        raise NotADraft
    if survey.last_day_over:
        raise LastDayOver
    budget = survey.shared_budget
    if budget is not None and shared_with_others(budget.pk, survey.tenant_id):
        raise NotTheirsAlone


def open_as_agreed(request: ChangeRequest) -> Effect:
    """OPEN_SURVEY: charge the shared budget and open. Raises Stale, and InsufficientBudget."""
    payload = approved(request, OPEN_SURVEY)
    try:
        survey = _draft(UUID(payload["survey"]), request.tenant_id)
        charge = charge_survey(
            survey_id=survey.pk,
            tenant=request.tenant,
            budget_id=UUID(payload["budget"]),
            epsilon_nano=survey.epsilon_nano,
            agreed_nano=payload["charged_nano"],
            reason=survey.question,
        )
    except _OVERTAKEN as overtaken:
        raise Stale(overtaken) from overtaken
    _opened(survey, charge)
    return Effect(
        {
            "survey": payload["survey"],
            "name": survey.question,
            "budget": payload["budget"],
            **noted(charge.amount_nano, charge.budget.currency, "charged"),
        }
    )


def lock_to_close(surveys: Iterable[UUID]) -> None:
    """What closing these surveys changes is the caller's until the end of their transaction.

    Before any budget and the log: whoever closes one of them as well waits here, and not beyond.
    """
    ids = list(surveys)
    list(Tally.objects.filter(survey__in=ids).order_by("survey").select_for_update())
    # Not what the tokens of a survey refer to: they may be made meanwhile.
    list(Survey.objects.filter(pk__in=ids).order_by("pk").select_for_update(no_key=True))


@transaction.atomic
def close_survey(*, membership: Membership, survey: Survey) -> Survey:
    """Take no more reports, for good; of a draft: never any. Raises NotADraft when it is closed."""
    lock_to_close([survey.pk])
    tally = Tally.objects.get(survey=survey.pk)
    present = Survey.objects.filter(pk=survey.pk, tenant=membership.tenant_id)
    present = present.exclude(state=Survey.State.CLOSED)
    if not present.update(state=Survey.State.CLOSED, closed_at=clock.now()):
        raise NotADraft
    if survey.budget_id is not None:
        end_survey_budget(survey.budget_id)
    append(
        tenant_id=survey.tenant_id,
        actor=actor_of(membership.user),
        action=Action.SURVEY_CLOSED,
        subject=f"survey:{survey.pk}",
        detail={"name": survey.question, "reports": tally.reports, "counts": tally.counts},
    )
    survey.refresh_from_db()
    return survey


def _draft(survey_id: UUID, tenant_id: UUID) -> Survey:
    """One that may open. Raises NotADraft; LastDayOver: nobody could answer what was charged."""
    rows = Survey.objects.select_for_update(of=("self",)).filter(tenant=tenant_id)
    survey = rows.filter(pk=survey_id, state=Survey.State.DRAFT).first()
    if survey is None:
        raise NotADraft
    if survey.last_day_over:
        raise LastDayOver
    return survey


def _opened(survey: Survey, charge: Correction) -> None:
    survey.state, survey.opened_at = Survey.State.OPEN, clock.now()
    survey.budget_id, survey.charged_nano = charge.budget_id, charge.amount_nano
    survey.save(update_fields=["state", "opened_at", "budget", "charged_nano"])
