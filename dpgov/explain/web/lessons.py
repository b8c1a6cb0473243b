"""The lessons: a page of contents, and a page for each, for anybody, signed in or not.

Invented and computed numbers; beside one of them, for members, the amounts that their role sees of
the ledger. What could leak: anything of an organisation to a stranger. Nothing here is read but the
membership, which a stranger has none of.
"""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dpgov.explain.lessons.adding import databases
from dpgov.explain.lessons.registry import BY_SLUG, CHAPTERS, LESSONS, beside
from dpgov.explain.own_losses import own_losses
from dpgov.tenants.models import Membership
from dpgov.tenants.strangers import open_to_strangers


@open_to_strangers
@require_safe
def lessons(request: HttpRequest) -> HttpResponse:
    """Every lesson by its title and question."""
    context = {"chapters": CHAPTERS, "number": len(LESSONS)}
    return render(request, "explain/lessons/contents.html", context)


@open_to_strangers
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
    membership: Membership | None = getattr(request, "membership", None)
    if one is databases.LESSON and membership is not None:
        context["own_losses"] = own_losses(membership)
    return render(request, "explain/lessons/lesson.html", context)
