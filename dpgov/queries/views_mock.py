"""Pages of invented data: try the question of the ask form, and take the rows to a notebook.

Shows nothing of any dataset but its declarations; spends and stores nothing.
"""

from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from dpgov.datasets.lookup import dataset_or_404
from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import current_version, schema_of
from dpgov.privacy.mock_data import MOST_ROWS, USUAL_ROWS
from dpgov.queries.trial import rows_as_csv, try_plan
from dpgov.queries.views_ask import form_with, priced_form, refused_form
from dpgov.tenants.permissions import Permission, requires


@requires(Permission.SUBMIT_QUERIES)
@require_POST
def try_mock(request: HttpRequest, slug: str) -> HttpResponse:
    """What an answer to the posted form would look like; a part of the page, or all of it."""
    dataset = dataset_or_404(request, slug)
    form, offer = priced_form(request, dataset)
    asked = offer.quote
    if asked is None and request.headers.get("HX-Request"):
        return render(request, "queries/_mock.html", {"dataset": dataset, "offer": offer})
    if asked is None:
        return refused_form(request, dataset, form, offer)
    trial = try_plan(asked.plan, schema_of(current_version(dataset)), form.assumed_rows)
    if request.headers.get("HX-Request"):
        context = {"dataset": dataset, "offer": offer, "trial": trial}
        return render(request, "queries/_mock.html", context)
    return form_with(request, dataset, form, offer, trial=trial)


@requires(Permission.VIEW_DATASETS)
@require_safe
def mock_file(request: HttpRequest, slug: str) -> HttpResponse:
    """Invented rows as CSV."""
    return csv_response(dataset_or_404(request, slug), request.GET.get("rows", ""))


def csv_response(dataset: Dataset, wanted: str) -> HttpResponse:
    """The file, or 400 for a number of rows that cannot be made."""
    short = wanted.isascii() and wanted.isdigit() and len(wanted) < 8
    rows = USUAL_ROWS if not wanted else int(wanted) if short else 0
    if not 1 <= rows <= MOST_ROWS:
        refusal = _("Give a number of rows from 1 to {most}.").format(most=MOST_ROWS)
        return HttpResponseBadRequest(refusal, content_type="text/plain; charset=utf-8")
    content = rows_as_csv(schema_of(current_version(dataset)), rows)
    response = HttpResponse(content, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="invented-{dataset.slug}.csv"'
    response["X-Content-Type-Options"] = "nosniff"
    return response
