"""What bounds cost, for an owner who declares them: of what is typed, and of invented rows.

No upload is named and no file is opened: whatever a file holds, the page is the same.
"""

from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_http_methods, require_safe

from dpgov.datasets import selectors
from dpgov.datasets.models import Dataset
from dpgov.datasets.web.forms.bounds import BoundsForm, asked_of_a_row
from dpgov.datasets.web.forms.bounds_shown import shown
from dpgov.tenants.permissions import Permission, membership_of, requires


@requires(Permission.REGISTER_DATASETS)
@require_http_methods(["GET", "HEAD", "POST"])
def bounds(request: HttpRequest) -> HttpResponse:
    """The declared bounds of a row of the grid beside others: a box over the grid, or a page.

    A row is posted where there are no scripts, because a form of hundreds fits into no address.
    """
    sent = request.POST if request.method == "POST" else request.GET
    row = asked_of_a_row(sent, _dataset(request, sent)) if "bounds" in sent else sent
    in_part = request.headers.get("HX-Request")
    template = "_box.html" if in_part else "page.html"
    return render(request, f"datasets/bounds/{template}", _context(row))


@requires(Permission.REGISTER_DATASETS)
@require_safe
def bounds_now(request: HttpRequest) -> HttpResponse:
    """What the bounds that are typed now would cost."""
    return render(request, "datasets/bounds/_now.html", _context(request.GET))


def _dataset(request: HttpRequest, sent: QueryDict) -> Dataset | None:
    """Whose new version the grid is of; declarations are public in the organisation."""
    slug = sent.get("version_of", "")
    found = selectors.datasets_of(membership_of(request)).select_related("budget")
    return found.filter(slug=slug).first() if slug else None


def _context(typed: QueryDict | dict[str, str]) -> dict[str, Any]:
    form = BoundsForm(typed)
    form.is_valid()
    return {"form": form, "cost": shown(form.prices)}
