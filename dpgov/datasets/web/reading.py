"""The page of a file that is being read: how far it is, a way to stop, and where it led.

Its uploader's own, and nobody else's: it tells true numbers of the file.
"""

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from dpgov.budgets.words import amount, limit_text
from dpgov.datasets import selectors, services, uploaded
from dpgov.datasets.models import Arrival, Dataset, Upload
from dpgov.datasets.uploaded import upload_or_404, used
from dpgov.operation import clock
from dpgov.tenants.permissions import Permission, requires

_SLOWEST = 10
_PATIENT_AFTER = 10
# Before a fiftieth is read, and in the first seconds, a speed is a guess.
_TELLING = 50
_TELLING_SECONDS = 3


@requires(Permission.REGISTER_DATASETS)
@require_safe
def reading(request: HttpRequest, upload_id: UUID) -> HttpResponse:
    """How far it is; when it has ended, on to what it became."""
    chosen = upload_or_404(request, upload_id)
    arrival = uploaded.arrival_of(chosen)
    if arrival is None:
        return _back(request, chosen, None)
    if arrival.is_running:
        return render(request, "datasets/registering/reading.html", _context(chosen, arrival))
    if arrival.state == Arrival.State.DONE and arrival.dataset is not None:
        return _arrived(request, arrival, arrival.dataset)
    return _back(request, chosen, arrival)


@requires(Permission.REGISTER_DATASETS)
@require_safe
def reading_now(request: HttpRequest, upload_id: UUID) -> HttpResponse:
    """The part of that page that changes; at the end it sends the browser on."""
    chosen = upload_or_404(request, upload_id)
    arrival = uploaded.arrival_of(chosen)
    if arrival is not None and arrival.is_running:
        return render(request, "datasets/registering/_reading.html", _context(chosen, arrival))
    response = HttpResponse()
    response.headers["HX-Redirect"] = reverse("datasets:reading", args=[upload_id])
    return response


@requires(Permission.REGISTER_DATASETS)
@require_POST
def cancel_reading(request: HttpRequest, upload_id: UUID) -> HttpResponse:
    """Stop it. The file and what was typed stay."""
    chosen = upload_or_404(request, upload_id)
    if services.cancel_arrival(upload=chosen):
        messages.success(request, _("Stopped. The file and what you typed are kept."))
    return redirect("datasets:reading", upload_id)


def _context(chosen: Upload, arrival: Arrival) -> dict[str, object]:
    """With the pause until the next look, which grows with the time that it takes."""
    waited = (clock.now() - arrival.asked_at).total_seconds()
    pause = min(_SLOWEST, 1 + int(max(0.0, waited)) // _PATIENT_AFTER)
    left = _minutes_left(chosen, arrival)
    return {"upload": chosen, "arrival": arrival, "pause": pause, "minutes_left": left}


def _minutes_left(chosen: Upload, arrival: Arrival) -> int | None:
    """At the speed so far, at least 1; None while too little is read to tell, and at the end."""
    whole, read = chosen.byte_size, arrival.bytes_read
    if arrival.taken_at is None or not whole // _TELLING <= read < whole:
        return None
    took = (clock.now() - arrival.taken_at).total_seconds()
    if not read or took < _TELLING_SECONDS:
        return None
    minutes = took * (whole - read) / (60 * read)
    return 1 if minutes <= 1 else max(2, round(minutes))


def _back(request: HttpRequest, chosen: Upload, arrival: Arrival | None) -> HttpResponse:
    """To the form, with everything that was typed; a refusal stands at its field there."""
    if chosen.state != Upload.State.READY:
        return used(request)
    if arrival is not None and arrival.dataset is not None and not arrival.dataset.archived_at:
        return redirect("datasets:add_version", arrival.dataset.slug, chosen.pk)
    return redirect("datasets:register", chosen.pk)


def _arrived(request: HttpRequest, arrival: Arrival, dataset: Dataset) -> HttpResponse:
    if dataset.archived_at:
        return used(request)
    if dataset.held_at:
        held = _("{name}: {state}.")
        state = dataset.get_held_reason_display()
        messages.warning(request, held.format(name=dataset.name, state=state))
        return redirect("datasets:held", dataset.pk)
    if arrival.is_version:
        there = _("Version {number} is there. Questions are asked of it from now on.")
        number = selectors.current_version(dataset).number
        messages.success(request, there.format(number=number))
        return redirect("datasets:detail", dataset.slug)
    done = _("{name} is registered. Analysts can ask about it now.")
    if dataset.named_only:
        done = _("{name} is registered. No analyst sees it until you name them here.")
    messages.success(request, done.format(name=dataset.name))
    if arrival.outcome.get("shares_budget"):
        messages.warning(request, _shared(dataset))
    return redirect("datasets:audience" if dataset.named_only else "datasets:detail", dataset.slug)


def _shared(dataset: Dataset) -> str:
    budget = dataset.budget
    return _(
        "This data was registered before. The budget belongs to the people in it, so this "
        "dataset shares the earlier budget: its limit is {limit} and {left} of it remains."
    ).format(limit=limit_text(budget), left=amount(budget.remaining_nano, budget.currency))
