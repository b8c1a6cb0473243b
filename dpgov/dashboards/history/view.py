"""The history of questions as a page and as a file. Changes nothing."""

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dpgov.budgets.standing import allocations_charged
from dpgov.dashboards.history.filter import history_filter
from dpgov.dashboards.history.newest import MOST, NewestPages, newest
from dpgov.dashboards.history.spreadsheet import csv_lines
from dpgov.dashboards.history.table import (
    NEWEST_FIRST,
    columns_for,
    in_order,
    question_table,
    sorting,
)
from dpgov.tenants.permissions import Permission, membership_of, requires

_PAGE = 25


@requires(Permission.VIEW_DATASETS)
@require_safe
def history(request: HttpRequest) -> HttpResponse:
    """The questions that this person may see, filtered, sorted and in pages."""
    membership = membership_of(request)
    filtered = history_filter(membership, request.GET)
    sort = sorting(request.GET.get("sort", ""))
    listed = filtered.qs if sort == NEWEST_FIRST else in_order(newest(filtered.qs), sort)
    page = NewestPages(listed, _PAGE, of=filtered.qs).get_page(request.GET.get("page"))
    shown = list(page)
    allocations = allocations_charged(query.pk for query in shown)
    context = {
        "filter": filtered,
        "page": page,
        "table": question_table(shown, columns_for(membership), sort=sort, allocations=allocations),
        "most": MOST,
        "is_filtered": any(filtered.form.cleaned_data.values()) or filtered.form.errors,
    }
    return render(request, "dashboards/history.html", context)


@requires(Permission.VIEW_DATASETS)
@require_safe
def history_export(request: HttpRequest) -> StreamingHttpResponse:
    """The same rows as a CSV file."""
    filtered = history_filter(membership_of(request), request.GET)
    response = StreamingHttpResponse(csv_lines(filtered.qs), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="questions.csv"'
    return response
