"""The list of questions as a page and as a file. Changes nothing.

A list that may be very long shows its newest questions; filters lead to older ones. So counting,
sorting and turning pages take as long after a million questions as after thousands.
"""

from functools import cached_property
from typing import TYPE_CHECKING, Any

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dpgov.budgets.standing import allocations_charged
from dpgov.dashboards.history.board import board
from dpgov.dashboards.history.filter import history_filter
from dpgov.dashboards.history.spreadsheet import csv_lines
from dpgov.dashboards.history.table import (
    NEWEST_FIRST,
    columns_for,
    in_order,
    question_table,
    sorting,
)
from dpgov.operation import clock
from dpgov.queries.models import Query
from dpgov.queries.selectors import PublicState, public_state
from dpgov.tenants.permissions import Permission, membership_of, requires
from dpgov.web.pages import CSV, as_file_in_parts, show_page
from dpgov.web.span import Span, with_range

MOST = 1_000

# Django's own class takes no argument when it runs.
if TYPE_CHECKING:
    _Paginator = Paginator[Query]
else:
    _Paginator = Paginator


def newest(queries: QuerySet[Query]) -> QuerySet[Query]:
    """The newest of them, to be sorted by something else."""
    ids = queries.order_by("-submitted_at", "-id").values("pk")[:MOST]
    rows = Query.objects.filter(pk__in=ids)
    return rows.select_related("dataset__budget", "analyst", "version")


class NewestPages(_Paginator):
    """Pages over the newest questions; `is_cut` says that there are older ones."""

    def __init__(self, rows: Any, per_page: int, *, of: QuerySet[Query]) -> None:
        super().__init__(rows, per_page)
        self._found = of.order_by("-submitted_at", "-id").values("pk")[: MOST + 1].count()

    @cached_property
    def count(self) -> int:
        """How many are listed."""
        return min(self._found, MOST)

    @property
    def is_cut(self) -> bool:
        """Whether older ones are left out."""
        return self._found > MOST


_PAGE = 25


@requires(Permission.VIEW_DATASETS)
@require_safe
def history(request: HttpRequest) -> HttpResponse:
    """The questions that this person may see, filtered, sorted and in pages.

    While one of them waits the list alone is asked for again.
    """
    membership = membership_of(request)
    today = clock.today()
    filtered = history_filter(membership, with_range(request.GET, today))
    sort = sorting(request.GET.get("sort", ""))
    listed = filtered.qs if sort == NEWEST_FIRST else in_order(newest(filtered.qs), sort)
    page = NewestPages(listed, _PAGE, of=filtered.qs).get_page(request.GET.get("page"))
    shown = list(page)
    allocations = allocations_charged(query.pk for query in shown)
    known = filtered.form.cleaned_data if filtered.form.is_valid() else {}
    context = {
        "chosen_dataset": known.get("dataset"),
        "chosen_analyst": known.get("analyst"),
        "filter": filtered,
        "page": page,
        "table": question_table(shown, columns_for(membership), sort=sort, allocations=allocations),
        "waits": any(public_state(query) is PublicState.WAITING for query in shown),
        "most": MOST,
        "is_filtered": any(filtered.form.cleaned_data.values()) or filtered.form.errors,
    }
    if request.headers.get("HX-Target", "").endswith("questions"):
        return render(request, "dashboards/history/_questions.html", context)
    context["board"] = board(membership, filtered, request.GET, Span.of(request, today))
    return show_page(request, "dashboards/history.html", context, refused=filtered.form.errors)


@requires(Permission.VIEW_DATASETS)
@require_safe
def history_export(request: HttpRequest) -> StreamingHttpResponse:
    """The same rows as a CSV file."""
    today = clock.today()
    filtered = history_filter(membership_of(request), with_range(request.GET, today))
    return as_file_in_parts(csv_lines(filtered.qs), "questions.csv", CSV)
