"""Pages of invented data: try the question of the ask form, and take the rows to a notebook.

Shows nothing of any dataset but its declarations; spends and stores nothing.
"""

from dataclasses import replace

from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import render
from django.views.decorators.http import require_POST, require_safe

from dpgov.datasets.selectors import current_version, dataset_or_404, schema_of
from dpgov.privacy.plan.plan import InvalidPlan
from dpgov.queries.web.forms.page import form_with, priced_form, refused_form
from dpgov.queries.workbench.trial import invented_rows, try_plan
from dpgov.tenants.permissions import Permission, requires
from dpgov.web.pages import CSV, as_file


@requires(Permission.SUBMIT_QUERIES)
@require_POST
def try_mock(request: HttpRequest, slug: str) -> HttpResponse:
    """What an answer to the posted form would look like; a part of the page, or all of it."""
    dataset = dataset_or_404(request, slug)
    form, offer = priced_form(request, dataset)
    asked = offer.quote
    if asked is None and request.headers.get("HX-Request"):
        return render(request, "queries/ask/_mock.html", {"dataset": dataset, "offer": offer})
    if asked is None:
        return refused_form(request, dataset, form, offer)
    try:
        trial = try_plan(asked.plan, schema_of(current_version(dataset)), form.assumed_rows)
    except InvalidPlan as refusal:
        form.place(refusal)
        offer, trial = replace(offer, problems=form.problems()), None
    if request.headers.get("HX-Request"):
        context = {"dataset": dataset, "offer": offer, "trial": trial}
        return render(request, "queries/ask/_mock.html", context)
    if trial is None:
        return refused_form(request, dataset, form, offer)
    return form_with(request, dataset, form, offer, trial=trial)


@requires(Permission.VIEW_DATASETS)
@require_safe
def mock_file(request: HttpRequest, slug: str) -> HttpResponse:
    """Invented rows as CSV."""
    dataset = dataset_or_404(request, slug)
    try:
        content = invented_rows(dataset, request.GET.get("rows", ""))
    except ValueError as refusal:
        return HttpResponseBadRequest(str(refusal), content_type="text/plain; charset=utf-8")
    return as_file(content, f"invented-{dataset.slug}.csv", CSV)
