"""Pages of surveys for an organisation's people: the list, a new one, and one of them."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from dpgov.approvals.errors import ApprovalRefusal
from dpgov.approvals.selectors import waiting_about
from dpgov.budgets.errors import LedgerRefusal
from dpgov.budgets.services.surveys import OPEN_SURVEY, survey_price
from dpgov.budgets.words import amount
from dpgov.privacy.accounting.loss import PURE
from dpgov.surveys.errors import SurveyRefusal
from dpgov.surveys.models import Survey
from dpgov.surveys.selectors import budgets_to_charge, get_survey, letters_of, surveys_of
from dpgov.surveys.services import (
    close_survey,
    make_survey,
    make_tokens,
    open_alone,
    request_opening,
    write_letters,
)
from dpgov.surveys.services.receiving import takes_reports
from dpgov.surveys.web.forms import LettersForm, OpenSurveyForm, SurveyForm, TokensForm
from dpgov.surveys.wording import (
    expected_error,
    figure_of,
    liars_effect,
    lines_of,
    rule_of,
    size_of,
)
from dpgov.tenants.letters import site_has_mail
from dpgov.tenants.permissions import Permission, membership_of, requires
from dpgov.web.pages import CSV, as_file, show_page


@requires(Permission.VIEW_SURVEYS)
@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """Every survey that this person may see."""
    found = list(surveys_of(membership_of(request)))
    return render(request, "surveys/surveys.html", {"surveys": found})


@requires(Permission.MAKE_SURVEYS)
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """Draft one."""
    membership = membership_of(request)
    posted = request.POST if request.method == "POST" else None
    form = SurveyForm(posted, budgets=budgets_to_charge(membership.tenant))
    if form.is_bound and form.is_valid():
        try:
            survey = make_survey(membership=membership, asked=form.asked())
        except SurveyRefusal as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(request, _("Saved as a draft. See what it costs, then open it."))
            return redirect("surveys:detail", survey.pk)
    return show_page(request, "surveys/new.html", {"form": form}, refused=form.errors)


@requires(Permission.VIEW_SURVEYS)
@require_safe
def detail(request: HttpRequest, survey_id: UUID) -> HttpResponse:
    """One survey: its rule, its price, its estimates."""
    return _page(request, _survey(request, survey_id))


@requires(Permission.VIEW_SURVEYS)
@require_safe
def estimates(request: HttpRequest, survey_id: UUID) -> HttpResponse:
    """The estimates so far, looked at again while it is open."""
    survey = _survey(request, survey_id)
    if survey.budget_id is None:
        raise Http404
    return render(request, "surveys/_estimates.html", {"survey": survey, **_so_far(survey)})


@requires(Permission.MAKE_SURVEYS)
@require_POST
def open_it(request: HttpRequest, survey_id: UUID) -> HttpResponse:
    """Open a draft, or ask for it where a shared budget is charged."""
    membership, survey = membership_of(request), _survey(request, survey_id)
    form = OpenSurveyForm(request.POST)
    if survey.shared_budget_id is not None and not form.is_valid():
        return _page(request, survey, opening=form)
    try:
        if survey.shared_budget_id is not None:
            reason = form.cleaned_data["reason"]
            change = request_opening(membership=membership, survey=survey, reason=reason)
            messages.success(request, _("Requested. An officer has to approve it before it opens."))
            return redirect("oversight:approval", change.pk)
        open_alone(membership=membership, survey=survey)
    except (SurveyRefusal, LedgerRefusal, ApprovalRefusal) as refusal:
        return _page(request, survey, refusal=str(refusal), opening=form)
    messages.success(request, _("The survey is open."))
    return redirect("surveys:detail", survey.pk)


@requires(Permission.MAKE_SURVEYS)
@require_POST
def close(request: HttpRequest, survey_id: UUID) -> HttpResponse:
    """Close it for good."""
    survey = _survey(request, survey_id)
    try:
        close_survey(membership=membership_of(request), survey=survey)
    except SurveyRefusal as refusal:
        return _page(request, survey, refusal=str(refusal))
    messages.success(request, _("The survey is closed."))
    return redirect("surveys:detail", survey.pk)


@requires(Permission.MAKE_SURVEYS)
@require_POST
def tokens(request: HttpRequest, survey_id: UUID) -> HttpResponse:
    """New links, one a line, in a file that is made this once."""
    survey, form = _survey(request, survey_id), TokensForm(request.POST)
    if not form.is_valid():
        return _page(request, survey, refusal=str(form.errors["number"][0]))
    try:
        made = make_tokens(
            membership=membership_of(request), survey=survey, number=form.cleaned_data["number"]
        )
    except SurveyRefusal as refusal:
        return _page(request, survey, refusal=str(refusal))
    address = _address(request, survey)
    lines = ["link", *(f"{address}#{token}" for token in made)]
    return as_file("\n".join(lines) + "\n", f"survey-{survey.code[:8]}.csv", CSV)


@requires(Permission.MAKE_SURVEYS)
@require_POST
def letters(request: HttpRequest, survey_id: UUID) -> HttpResponse:
    """A token by e-mail for each address; nothing is made while a line is wrong."""
    survey, form = _survey(request, survey_id), LettersForm(request.POST)
    if not form.is_valid():
        return _page(request, survey, letters=form)
    try:
        number = write_letters(
            membership=membership_of(request),
            survey=survey,
            addresses=form.cleaned_data["addresses"],
            form=form.cleaned_data["key"],
        )
    except SurveyRefusal as refusal:
        return _page(request, survey, refusal=str(refusal), letters=form)
    told = ngettext("{number} e-mail will be sent.", "{number} e-mails will be sent.", number)
    messages.success(request, told.format(number=number))
    return redirect("surveys:detail", survey.pk)


def _survey(request: HttpRequest, survey_id: UUID) -> Survey:
    try:
        return get_survey(membership_of(request), survey_id)
    except Survey.DoesNotExist as missing:
        raise Http404 from missing


def _page(
    request: HttpRequest,
    survey: Survey,
    refusal: str = "",
    letters: LettersForm | None = None,
    opening: OpenSurveyForm | None = None,
) -> HttpResponse:
    """`letters` and `opening` are forms that were refused, with what was typed."""
    budget = survey.shared_budget
    price = survey_price(budget, survey.epsilon_nano)
    context = {
        "survey": survey,
        "refusal": refusal,
        "rule": rule_of(survey.randomiser),
        "error": expected_error(survey),
        "liars": liars_effect(survey),
        "price": amount(price, budget.currency if budget else PURE),
        "address": _address(request, survey),
        "number_of_tokens": survey.tokens.count(),
        "letters": letters or LettersForm(),
        "opening": opening or OpenSurveyForm(),
        "letters_on_their_way": letters_of(survey),
        "has_mail": site_has_mail(),
        "waiting": waiting_about(survey.tenant_id, OPEN_SURVEY, f"survey:{survey.pk}"),
        **_so_far(survey),
    }
    return show_page(request, "surveys/detail.html", context, refused=refusal or letters or opening)


def _so_far(survey: Survey) -> dict[str, Any]:
    lines = lines_of(survey)
    return {
        "lines": lines,
        "figure": figure_of(lines) if lines else None,
        "size": size_of(lines),
        "so_far": liars_effect(survey, survey.tally.reports),
        "takes_reports": takes_reports(survey),
    }


def _address(request: HttpRequest, survey: Survey) -> str:
    return request.build_absolute_uri(reverse("surveys:respond", args=[survey.code]))
