"""Putting two datasets together: with which one, how, and the page that waits for it.

Shows declarations alone: never how far it is, how long it still takes, or what it found.
"""

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from dpgov.datasets import services
from dpgov.datasets.models import Arrival, Dataset
from dpgov.datasets.selectors import current_version, dataset_or_404
from dpgov.datasets.tasks import wake
from dpgov.datasets.uploaded import derived_arrival_or_404, refusal_of
from dpgov.datasets.web.forms.deriving import DeriveForm, WithForm
from dpgov.language.translation import retold, translated
from dpgov.privacy.plan.schema import InvalidDomain
from dpgov.tenants.permissions import Permission, membership_of, requires
from dpgov.web.pages import show_page

_PAUSE = 2


@requires(Permission.REGISTER_DATASETS)
@require_http_methods(["GET", "HEAD", "POST"])
def derive(request: HttpRequest, slug: str) -> HttpResponse:
    """First with which dataset, which `?other=` says; then what is taken of each."""
    dataset = dataset_or_404(request, slug)
    others = services.can_be_joined(membership_of(request), dataset)
    chosen = WithForm(request.GET if "other" in request.GET else None, others=others)
    if not chosen.is_valid():
        context = {"dataset": dataset, "form": chosen, "others": others}
        return show_page(request, "datasets/deriving/choose.html", context, refused=chosen.errors)
    other = next(one for one in others if one.slug == chosen.cleaned_data["other"])
    return _declare(request, dataset, other)


def _declare(request: HttpRequest, dataset: Dataset, other: Dataset) -> HttpResponse:
    first, second = current_version(dataset), current_version(other)
    sent = request.POST if request.method == "POST" else None
    form = DeriveForm(sent, first=first, second=second)
    if form.is_valid():
        try:
            arrival = services.ask_derived(
                membership=membership_of(request), derivation=form.derivation()
            )
        except InvalidDomain as problem:
            known = problem.field if problem.field in form.fields else None
            form.add_error(known, translated(problem.args[0]))
        except (services.OneAtATime, services.TooManyFiles) as refusal:
            form.add_error(None, str(refusal))
        else:
            wake()
            return redirect("datasets:deriving", arrival.pk)
    context = {"dataset": dataset, "other": other, "form": form}
    return show_page(request, "datasets/deriving/derive.html", context, refused=form.errors)


@requires(Permission.REGISTER_DATASETS)
@require_safe
def deriving(request: HttpRequest, arrival_id: UUID) -> HttpResponse:
    """Wait for it; when it has ended, on to what it became, or why it did not."""
    arrival = derived_arrival_or_404(request, arrival_id)
    if arrival.is_running:
        return render(request, "datasets/deriving/deriving.html", _context(arrival))
    dataset = arrival.dataset
    if arrival.state == Arrival.State.DONE and dataset is not None and not dataset.archived_at:
        return _arrived(request, dataset)
    if outcome := refusal_of(arrival):
        messages.error(request, retold(outcome))
    return redirect("datasets:list")


@requires(Permission.REGISTER_DATASETS)
@require_safe
def deriving_now(request: HttpRequest, arrival_id: UUID) -> HttpResponse:
    """The part of that page that looks again; at the end it sends the browser on."""
    arrival = derived_arrival_or_404(request, arrival_id)
    if arrival.is_running:
        return render(request, "datasets/deriving/_deriving.html", _context(arrival))
    response = HttpResponse()
    response.headers["HX-Redirect"] = reverse("datasets:deriving", args=[arrival_id])
    return response


@requires(Permission.REGISTER_DATASETS)
@require_POST
def cancel_deriving(request: HttpRequest, arrival_id: UUID) -> HttpResponse:
    """Stop it; nothing is kept."""
    if services.cancel_derived(derived_arrival_or_404(request, arrival_id)):
        messages.success(request, _("Stopped. Nothing was kept."))
    return redirect("datasets:list")


def _context(arrival: Arrival) -> dict[str, object]:
    return {"arrival": arrival, "name": arrival.declared.get("name", ""), "pause": _PAUSE}


def _arrived(request: HttpRequest, dataset: Dataset) -> HttpResponse:
    if dataset.held_at:
        held = _("{name}: {state}.")
        state = dataset.get_held_reason_display()
        messages.warning(request, held.format(name=dataset.name, state=state))
        return redirect("datasets:held", dataset.pk)
    done = _("{name} is there. Analysts who see both datasets can ask about it now.")
    messages.success(request, done.format(name=dataset.name))
    return redirect("datasets:detail", dataset.slug)
