"""After a restore: what is frozen, why, what to compare, and the officer's confirmation.

Of surveys that a budget was charged for the officer says whether reports may be missing: then they
are closed with the confirmation, both or neither. Of questions that waited, whether one may have
been answered: then they are ended and charged with it, so that what remains was never more.
"""

from collections.abc import Sequence
from contextlib import suppress
from uuid import UUID

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from dpgov.budgets.errors import InsufficientBudget
from dpgov.budgets.models import Budget
from dpgov.budgets.services import confirm_budget
from dpgov.budgets.services.freezing import NotFrozen
from dpgov.budgets.standing import frozen_budgets, get_freezable
from dpgov.datasets.models import Dataset
from dpgov.language.translation import retold
from dpgov.limits.web.forms.reasons import ConfirmForm
from dpgov.queries.answering.restored import end_what_waited, with_waiting
from dpgov.surveys.errors import NotADraft
from dpgov.surveys.models import Survey
from dpgov.surveys.selectors import open_on
from dpgov.surveys.services import close_survey, lock_to_close
from dpgov.tenants.models import Membership
from dpgov.tenants.permissions import Permission, membership_of, requires
from dpgov.tenants.selectors import actor_of
from dpgov.web.pages import show_page


@requires(Permission.REQUEST_CHANGES)
@require_safe
def frozen(request: HttpRequest) -> HttpResponse:
    """Every frozen dataset, shared budget and survey, each with what its officer has to say."""
    return _page(request)


@requires(Permission.DECIDE_CHANGES)
@require_POST
def confirm(request: HttpRequest, budget_id: UUID) -> HttpResponse:
    """Admit questions and reports again, after booking what the backup did not know."""
    budget = _budget(request, budget_id)
    surveys = open_on([budget.pk]).get(budget.pk, [])
    form = ConfirmForm(
        request.POST,
        prefix=str(budget.pk),
        budget=budget,
        has_surveys=bool(surveys),
        has_waiting=bool(with_waiting([budget.pk])),
    )
    if form.is_valid():
        try:
            _confirm(membership_of(request), budget, form, surveys)
        except InsufficientBudget as refusal:
            form.add_error("missing", str(refusal))
        except NotFrozen:
            return _page(request, problem=_("This was confirmed before. Nothing was changed."))
        else:
            messages.success(request, _said(budget, form.closes_surveys, bool(surveys)))
            return redirect("oversight:frozen")
    return _page(request, budget, form)


@transaction.atomic
def _confirm(
    membership: Membership, budget: Budget, form: ConfirmForm, surveys: Sequence[Survey]
) -> None:
    actor = actor_of(membership.user)
    if form.closes_surveys:
        lock_to_close(survey.pk for survey in surveys)
    if form.ends_questions:
        end_what_waited(budget_id=budget.pk, actor=actor)
    confirm_budget(
        budget=budget,
        actor=actor,
        reason=form.cleaned_data["reason"],
        missing_nano=form.cleaned_data.get("missing"),
    )
    if not form.closes_surveys:
        return
    for survey in surveys:
        # Its owner may have closed it in this moment.
        with suppress(NotADraft):
            close_survey(membership=membership, survey=survey)


def _said(budget: Budget, closed: bool, going: bool) -> str:
    is_survey = budget.kind == Budget.Kind.SURVEY
    if closed and not is_survey:
        words = _(
            "%(name)s is confirmed. Questions are admitted again, and its open surveys are closed."
        )
    elif not is_survey:
        words = _("%(name)s is confirmed. Questions are admitted again.")
    elif closed:
        words = _("%(name)s is confirmed. The survey is closed.")
    elif going:
        words = _("%(name)s is confirmed. Reports are taken again.")
    else:
        words = _("%(name)s is confirmed. The last day of this survey is over.")
    return words % {"name": _names([budget])[budget.pk]}


def _names(budgets: Sequence[Budget]) -> dict[UUID, str]:
    """As their pages call them: a dataset's budget bears what stands in addresses."""
    names = Dataset.objects.filter(budget__in=budgets).values_list("budget_id", "name")
    return {one.pk: one.label for one in budgets} | dict(names)


def _budget(request: HttpRequest, budget_id: UUID) -> Budget:
    try:
        return get_freezable(membership_of(request).tenant_id, budget_id)
    except Budget.DoesNotExist as missing:
        raise Http404 from missing


def _page(
    request: HttpRequest,
    refused: Budget | None = None,
    form: ConfirmForm | None = None,
    problem: str = "",
) -> HttpResponse:
    found = list(frozen_budgets(membership_of(request).tenant_id))
    names, surveys = _names(found), open_on(budget.pk for budget in found)
    waiting = with_waiting(budget.pk for budget in found)

    def empty(budget: Budget) -> ConfirmForm:
        return ConfirmForm(
            prefix=str(budget.pk),
            budget=budget,
            has_surveys=budget.pk in surveys,
            has_waiting=budget.pk in waiting,
        )

    rows = [
        (
            budget,
            names[budget.pk],
            form if form and budget == refused else empty(budget),
            retold(budget.frozen_reason),
            surveys.get(budget.pk, []),
        )
        for budget in found
    ]
    return show_page(
        request,
        "oversight/approvals/frozen.html",
        {"rows": rows, "problem": problem},
        refused=form or problem,
    )
