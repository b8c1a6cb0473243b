"""Saved questions: the list, saving from the ask form, removing and putting back."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from dpgov.budgets.words import question
from dpgov.datasets.selectors import dataset_or_404
from dpgov.privacy.accounting.decimals import parse_epsilon
from dpgov.queries.models import SavedQuestion
from dpgov.queries.web.forms.page import priced_form, refused_form
from dpgov.queries.wording.words import in_words
from dpgov.queries.workbench.saved import (
    LONGEST_NAME,
    SavedNameTaken,
    TooManySaved,
    get_saved,
    put_back,
    remove_saved,
    save_question,
    saved_questions,
)
from dpgov.tenants.models import Membership
from dpgov.tenants.permissions import Permission, membership_of, requires


@requires(Permission.SUBMIT_QUERIES)
@require_POST
def save(request: HttpRequest, slug: str) -> HttpResponse:
    """Keep the question of the ask form under the typed name."""
    dataset = dataset_or_404(request, slug)
    form, offer = priced_form(request, dataset)
    if offer.quote is None:
        return refused_form(request, dataset, form, offer)
    name = " ".join(request.POST.get("saved_name", "").split())
    if not 1 <= len(name) <= LONGEST_NAME:
        notice = _("Type a name of 1 to {most} characters to save this question.")
        return refused_form(request, dataset, form, offer, notice.format(most=LONGEST_NAME))
    try:
        save_question(
            membership=membership_of(request),
            dataset=dataset,
            name=name,
            plan=offer.quote.plan.as_json(),
        )
    except (SavedNameTaken, TooManySaved) as refusal:
        return refused_form(request, dataset, form, offer, str(refusal))
    kept = _("Saved as “{name}”. Nothing was asked or charged.")
    messages.success(request, kept.format(name=name))
    return redirect("queries:saved")


@requires(Permission.SUBMIT_QUERIES)
@require_safe
def saved(request: HttpRequest) -> HttpResponse:
    """The person's saved questions with the price that each names."""
    membership = membership_of(request)
    rows = [(one, in_words(one.plan), _price(one)) for one in saved_questions(membership)]
    context = {"rows": rows, "removed": _just_removed(request, membership)}
    return render(request, "queries/saved.html", context)


@requires(Permission.SUBMIT_QUERIES)
@require_POST
def remove(request: HttpRequest, saved_id: UUID) -> HttpResponse:
    """Remove one; the list offers to undo it."""
    try:
        remove_saved(membership=membership_of(request), saved_id=saved_id)
    except SavedQuestion.DoesNotExist as missing:
        raise Http404 from missing
    return redirect(f"{reverse('queries:saved')}?removed={saved_id}")


@requires(Permission.SUBMIT_QUERIES)
@require_POST
def restore(request: HttpRequest, saved_id: UUID) -> HttpResponse:
    """Put a removed one back."""
    try:
        put_back(membership=membership_of(request), saved_id=saved_id)
    except SavedQuestion.DoesNotExist as missing:
        raise Http404 from missing
    except SavedNameTaken as refusal:
        messages.error(request, str(refusal))
    return redirect("queries:saved")


def _price(one: SavedQuestion) -> str:
    """What it named when it was saved; the ask page says what it costs now."""
    currency, named = one.dataset.budget.currency, one.plan
    if "rho" in named:
        return question(parse_epsilon(named["rho"]), currency)
    return question(currency.price_of(parse_epsilon(named["epsilon"])), currency)


def _just_removed(request: HttpRequest, membership: Membership) -> SavedQuestion | None:
    try:
        found = get_saved(membership, UUID(request.GET.get("removed", "")))
    except (SavedQuestion.DoesNotExist, ValueError):
        return None
    return found if found.removed_at is not None else None
