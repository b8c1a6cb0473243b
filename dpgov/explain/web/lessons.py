"""The lessons: a page of contents, and a page for each, for all roles.

Invented and computed numbers; beside one of them the amounts that every role sees of the ledger.
"""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dpgov.explain.lessons.adding import databases
from dpgov.explain.lessons.registry import BY_SLUG, CHAPTERS, LESSONS, beside
from dpgov.explain.own_losses import own_losses
from dpgov.tenants.permissions import Permission, membership_of, requires


@requires(Permission.VIEW_DATASETS)
@require_safe
def lessons(request: HttpRequest) -> HttpResponse:
    """Every lesson by its title and question."""
    context = {"chapters": CHAPTERS, "number": len(LESSONS)}
    return render(request, "explain/lessons/contents.html", context)


@requires(Permission.VIEW_DATASETS)
@require_safe
def lesson(request: HttpRequest, lesson: str) -> HttpResponse:
    """One lesson at the chosen places; for who moves its control only what changed."""
    if lesson not in BY_SLUG:
        raise Http404
    one = BY_SLUG[lesson]
    places = one.chosen(request.GET)
    context: dict[str, Any] = {"lesson": one, "scene": one.at(places)}
    if request.headers.get("HX-Request"):
        return render(request, "explain/lessons/_scene.html", context)
    before, after = beside(one)
    context |= {"controls": one.moved(places), "before": before, "after": after}
    context |= {"place": LESSONS.index(one) + 1, "number": len(LESSONS)}
    if one is databases.LESSON:
        context["own_losses"] = own_losses(membership_of(request))
    return render(request, "explain/lessons/lesson.html", context)
