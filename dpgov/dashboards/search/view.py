"""The box and the page that lead anywhere. Changes nothing."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dpgov.dashboards.search.finding import find_anything
from dpgov.dashboards.search.suggesting import suggestions
from dpgov.tenants.permissions import Permission, membership_of, requires
from dpgov.web.lists import typed_words
from dpgov.web.picking import Suggested

_LONGEST = 100


@requires(Permission.VIEW_DATASETS)
@require_safe
def anything(request: HttpRequest) -> HttpResponse:
    """What the words of `?q=` lead to: a page, or for the box only its list."""
    membership = membership_of(request)
    text = request.GET.get("q", "")[:_LONGEST].strip()
    found = find_anything(membership, text)
    template = "_found.html" if request.headers.get("HX-Request") else "anything.html"
    return render(request, f"dashboards/search/{template}", {"q": text, "kinds": found})


@requires(Permission.VIEW_DATASETS)
@require_safe
def suggest(request: HttpRequest) -> HttpResponse:
    """Options for a line in which somebody types a name: `of` says of what, `in` where it is.

    None where it says nothing that there are names of.
    """
    of, typed = request.GET.get("of", ""), request.GET.get(request.GET.get("in", "q"), "")
    words = typed_words(typed).split()
    known = of in list(Suggested)
    found = suggestions(membership_of(request), Suggested(of), words) if known else []
    return render(request, "dashboards/search/_suggested.html", {"found": found})
