"""Patterns of attack on one dataset: for officers, and for the owners whose data it is."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from dpgov.budgets.meaning import whom
from dpgov.datasets.selectors import current_version, dataset_or_404
from dpgov.oversight.patterns import ORDERS, patterns_of, ranked
from dpgov.tenants.permissions import Permission, requires


@requires(Permission.VIEW_SPLIT_BY_ANALYST)
@require_safe
def patterns(request: HttpRequest, slug: str) -> HttpResponse:
    """What stands out among the newest questions."""
    dataset = dataset_or_404(request, slug)
    found = patterns_of(dataset, current_version(dataset))
    sort = request.GET.get("sort", "")
    context = {
        "dataset": dataset,
        "whom": whom(of_rows=not dataset.private_id),
        "found": found,
        "ranked": ranked(found, sort),
        "headings": _headings(sort),
    }
    return render(request, "oversight/patterns.html", context)


def _headings(sort: str) -> list[tuple[str, str, str]]:
    """Label, what it sorts by and how it stands now; by what could be learned unless told."""
    present = sort if sort in ORDERS else "learned"
    labels = {
        "pattern": _("Pattern"),
        "people": _("Asked by"),
        "number": _("Questions"),
        "learned": _("Price of all"),
    }
    how = "ascending" if present == "pattern" else "descending"
    return [(label, name, how if name == present else "") for name, label in labels.items()]
