"""The ask page: compose a question, see its price, send it once.

Shows declared metadata and the ledger only. Whatever is refused changes nothing.
"""

from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import version_or_404
from dpgov.privacy.plan.schema import DatasetSchema
from dpgov.queries.asking.once import Submission
from dpgov.queries.asking.submit import submit
from dpgov.queries.models import Query, SavedQuestion
from dpgov.queries.selectors import find_by_key, get_query
from dpgov.queries.web.forms import state
from dpgov.queries.web.forms.arranging import answer_address
from dpgov.queries.web.forms.page import (
    Ground,
    blank_page,
    charging,
    form_on,
    form_page,
    ground_of,
    notebook_of,
    offer_on,
    refused_form,
    remembered,
)
from dpgov.queries.web.forms.sending import NotSent, send
from dpgov.queries.web.forms.state import from_plan
from dpgov.queries.workbench.saved import get_saved
from dpgov.tenants.permissions import Permission, membership_of, requires
from dpgov.web.picking import is_key


@requires(Permission.SUBMIT_QUERIES)
@require_http_methods(["GET", "POST"])
def ask(request: HttpRequest, slug: str) -> HttpResponse:
    """The form. Adding rows and looking at the price are POSTs too, so it works without scripts."""
    ground = ground_of(request, version_or_404(request, slug))
    if request.method != "POST":
        data = _asked_before(request, ground)
        if data is None:
            return blank_page(request, ground)
        return form_page(request, ground, data, quiet=True)
    data = _with_changes(request.POST, ground.schema)
    if "price" in request.POST:
        return _ask(request, ground, data)
    quiet = request.POST.get("action", "price") != "price"
    return form_page(request, ground, data, quiet=quiet)


@requires(Permission.SUBMIT_QUERIES)
@require_POST
def quote(request: HttpRequest, slug: str) -> HttpResponse:
    """The price of the form as it stands: a fragment for the page to swap in."""
    ground = ground_of(request, version_or_404(request, slug))
    form, dataset = form_on(ground, request.POST), ground.dataset
    offer = offer_on(request, ground, form)
    lines = notebook_of(request, dataset, form, offer)
    context = {"offer": offer, "dataset": dataset, "lines": lines}
    return render(request, "queries/ask/_quote.html", context)


def _asked_before(request: HttpRequest, ground: Ground) -> QueryDict | None:
    """The plan of the question named by `?again=`, if this person may see it; None for a new one.

    Tables that are chosen adaptively are no question of this form, which would ask all in one.
    `?asked=` is the key of the form that a browser goes back to: what was asked with it, if it was.
    """
    dataset, schema = ground.dataset, ground.schema
    if is_key(asked := request.GET.get("asked", "")):
        mine = find_by_key(membership_of(request), asked)
        if mine is not None and mine.dataset_id == dataset.pk and "adaptive" not in mine.plan:
            return charging(request, ground, from_plan(mine.plan, schema))
    if again := request.GET.get("again"):
        try:
            query = get_query(membership_of(request), UUID(again))
        except (Query.DoesNotExist, ValueError, ValidationError) as missing:
            raise Http404 from missing
        if "adaptive" in query.plan:
            raise Http404
        if query.dataset_id == dataset.pk:
            return charging(request, ground, from_plan(query.plan, schema))
    if saved := request.GET.get("saved"):
        return charging(request, ground, from_plan(_saved_plan(request, dataset, saved), schema))
    return None


def _saved_plan(request: HttpRequest, dataset: Dataset, saved_id: str) -> dict[str, Any]:
    """The plan of a saved question of this person's own; raises Http404 for every other."""
    try:
        saved = get_saved(membership_of(request), UUID(saved_id))
    except (SavedQuestion.DoesNotExist, ValueError) as missing:
        raise Http404 from missing
    if saved.dataset_id != dataset.pk:
        raise Http404
    plan: dict[str, Any] = saved.plan
    return plan


def _with_changes(posted: QueryDict, schema: DatasetSchema) -> QueryDict:
    return state.filled(state.changed(posted, posted.get("action", ""), schema))


def _ask(request: HttpRequest, ground: Ground, data: QueryDict) -> HttpResponse:
    form, dataset = form_on(ground, data), ground.dataset
    offer = offer_on(request, ground, form)

    def accept(plan: dict[str, Any], key: str) -> Submission:
        return submit(
            membership=membership_of(request),
            dataset=dataset,
            raw_plan=plan,
            idempotency_key=key,
            allocation_id=form.allocation_id,
        )

    changed = _("The price of this question is now {price}. Look at it and ask again.")
    used = _("This form was already used for another question. Press ask to send this one.")
    try:
        submission = send(offer, data, accept, changed=changed, used=used)
    except NotSent as refusal:
        if refusal.stale:
            ground = ground_of(request, version_or_404(request, dataset.slug))
            form, dataset = form_on(ground, data), ground.dataset
            offer = offer_on(request, ground, form)
        return refused_form(request, dataset, form, offer, refusal.notice)
    if form.allocation_id is not None:
        request.session[remembered(dataset)] = str(form.allocation_id)
    if shown := data.get("shown"):
        return redirect(answer_address(submission.query.pk, shown))
    return redirect("queries:detail", submission.query.pk)
