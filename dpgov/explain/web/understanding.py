"""What ε means: for a dataset as it is in force, in general, and word by word.

Functions of declarations, of the ledger and of what the reader types; never of data.
"""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import dataset_or_404
from dpgov.explain.averaging import replay
from dpgov.explain.beliefs import BELIEFS, groups, moved, stage
from dpgov.explain.figures import understanding as figures
from dpgov.explain.glossary import THEMES
from dpgov.explain.promise import Promise, invented_promise, promise_of
from dpgov.explain.web.forms import ExampleForm, InventedForm
from dpgov.privacy.accounting.decimals import NANO
from dpgov.tenants.permissions import Permission, requires
from dpgov.web.pages import show_page


@requires(Permission.VIEW_DATASETS)
@require_safe
def understanding(request: HttpRequest, slug: str) -> HttpResponse:
    """What the ε of this dataset means, in force and so far."""
    dataset = dataset_or_404(request, slug)
    return _page(request, promise_of(dataset), dataset=dataset)


@requires(Permission.VIEW_DATASETS)
@require_safe
def understanding_general(request: HttpRequest) -> HttpResponse:
    """The same for an ε that the reader chooses."""
    invented = InventedForm(request.GET)
    limit_nano = invented.cleaned_data["limit"] if invented.is_valid() else NANO
    return _page(request, invented_promise(limit_nano), invented=invented)


@requires(Permission.VIEW_DATASETS)
@require_safe
def glossary(request: HttpRequest) -> HttpResponse:
    """The words of the field, each with an address of its own."""
    return render(request, "explain/glossary.html", {"themes": THEMES})


def _page(
    request: HttpRequest,
    promise: Promise,
    *,
    dataset: Dataset | None = None,
    invented: InventedForm | None = None,
) -> HttpResponse:
    form = ExampleForm(request.GET, promise=promise)
    context: dict[str, Any] = {
        "dataset": dataset,
        "invented": invented,
        "promise": promise,
        "form": form,
        "stages": _stages(promise),
        "beliefs": [moved(promise, before) for before in BELIEFS],
        "beliefs_figure": figures.beliefs(promise),
        "together": groups(promise),
    }
    if form.is_valid() and form.sides is not None:
        attack = replay(promise, form.cleaned_data["epsilon"])
        context |= {
            "sides": form.sides,
            "noises_figure": figures.noises(form.sides),
            "attack": attack,
            "averaging_figure": figures.averaging(attack),
        }
    refused = form.errors or (invented and invented.errors)
    return show_page(request, "explain/understanding.html", context, refused=refused)


def _stages(promise: Promise) -> list[Any]:
    named = [
        (_("One question of the largest size"), promise.question_nano),
        (_("All answers so far"), promise.committed_nano),
        (_("Every answer that the budget allows"), promise.limit_nano),
    ]
    return [stage(promise, name, nano) for name, nano in named if nano]
