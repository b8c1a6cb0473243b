"""The page that finds a dataset and shows its label: who is protected, what can be asked."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dpgov.datasets.finding import find
from dpgov.tenants.permissions import Permission, membership_of, requires

_LONGEST = 200


@requires(Permission.VIEW_DATASETS)
@require_safe
def search(request: HttpRequest) -> HttpResponse:
    """Datasets in which every word is found, each with its label."""
    text = request.GET.get("q", "")[:_LONGEST].strip()
    page, found = find(membership_of(request), text, request.GET.get("page"))
    return render(request, "datasets/find.html", {"q": text, "page": page, "found": found})
