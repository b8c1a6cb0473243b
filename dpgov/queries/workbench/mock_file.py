"""Invented rows as a file, for the page and the API alike."""

from django.http import HttpResponse, HttpResponseBadRequest
from django.utils.translation import gettext as _

from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import current_version, schema_of
from dpgov.privacy.mock.rows import MOST_ROWS, USUAL_ROWS
from dpgov.queries.workbench.trial import rows_as_csv


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
