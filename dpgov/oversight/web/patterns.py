"""Patterns of attack on one dataset: for officers, and for the owners whose data it is."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dpgov.datasets.selectors import current_version, dataset_or_404
from dpgov.oversight.patterns import patterns_of
from dpgov.tenants.permissions import Permission, requires


@requires(Permission.VIEW_SPLIT_BY_ANALYST)
@require_safe
def patterns(request: HttpRequest, slug: str) -> HttpResponse:
    """What stands out among the newest questions."""
    dataset = dataset_or_404(request, slug)
    found = patterns_of(dataset, current_version(dataset))
    return render(request, "oversight/patterns.html", {"dataset": dataset, "found": found})
