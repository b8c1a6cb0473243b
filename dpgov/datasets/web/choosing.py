"""Help with choosing an ε: a page of its own, and the part that follows the registration form.

Functions of what is typed alone: no dataset, no upload and no data is looked at.
"""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dpgov.datasets.choosing import DEPLOYMENTS, HARMS, ladder
from dpgov.datasets.web.forms.choosing import ChoosingForm
from dpgov.tenants.permissions import Permission, requires


@requires(Permission.REGISTER_DATASETS)
@require_safe
def choosing(request: HttpRequest) -> HttpResponse:
    """The whole help with a form of its own, which needs no script."""
    context = {
        "form": ChoosingForm(request.GET),
        "harms": HARMS,
        "deployments": DEPLOYMENTS,
        "ladder": ladder(),
    }
    return render(request, "datasets/registering/choosing.html", context)


@requires(Permission.REGISTER_DATASETS)
@require_safe
def choosing_now(request: HttpRequest) -> HttpResponse:
    """What the amounts that are typed now would mean."""
    return render(
        request, "datasets/registering/_choosing_now.html", {"form": ChoosingForm(request.GET)}
    )
