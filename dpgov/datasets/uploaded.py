"""Reads about files that are no datasets yet: a person's own, and what became of them.

To every door what is somebody else's looks missing.
"""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db.models import Exists, OuterRef, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from rest_framework.request import Request

from dpgov.datasets.models import Arrival, Upload
from dpgov.tenants.models import Tenant, User
from dpgov.tenants.permissions import membership_of


def uploads_of(tenant: Tenant, user: User) -> QuerySet[Upload]:
    """The files that this person uploaded and did not register yet, newest first.

    `running` and `refused` say what became of the last arrival of each.
    """
    mine = Upload.objects.filter(tenant=tenant, uploader=user, public_for__isnull=True)
    ready = mine.filter(state=Upload.State.READY)
    arrivals = Arrival.objects.filter(upload=OuterRef("pk"))
    told = {
        "running": Exists(arrivals.filter(state__in=Arrival.UNFINISHED)),
        "refused": Exists(arrivals.filter(state=Arrival.State.REFUSED)),
    }
    return ready.annotate(**told).select_related("draft").order_by("-created_at")


def arrival_of(upload: Upload) -> Arrival | None:
    """The last arrival of this file, with its dataset; None if nobody asked yet."""
    return Arrival.objects.filter(upload=upload).select_related("dataset__budget").first()


def derived_arrival_or_404(request: HttpRequest | Request, arrival_id: UUID) -> Arrival:
    """What this person has put together, or had; every other one gives the same 404."""
    membership = membership_of(request)
    mine = Arrival.objects.filter(
        tenant=membership.tenant_id, asked_by=membership.user_id, upload__isnull=True
    )
    found = mine.select_related("dataset").filter(pk=arrival_id).first()
    if found is None:
        raise Http404
    return found


def refusal_of(arrival: Arrival | None) -> dict[str, Any]:
    """Why it was not registered, in codes and values; empty unless that is how it ended."""
    ended = arrival is not None and arrival.state == Arrival.State.REFUSED
    return dict(arrival.outcome) if arrival is not None and ended else {}


def get_upload(tenant: Tenant, user: User, upload_id: UUID) -> Upload:
    """A file of this person's own, used or not; raises Upload.DoesNotExist for all others.

    A public table is none: it is seen beside the file that it is joined to.
    """
    own = Upload.objects.filter(tenant=tenant, uploader=user, public_for__isnull=True)
    return own.get(pk=upload_id)


def upload_or_404(request: HttpRequest, upload_id: UUID) -> Upload:
    """The person's own upload, used or not; every other one gives the same 404."""
    membership = membership_of(request)
    try:
        return get_upload(membership.tenant, membership.user, upload_id)
    except Upload.DoesNotExist as missing:
        raise Http404 from missing


def file_or_404(request: HttpRequest, upload_id: UUID) -> Upload:
    """The same, but a live table: it has no file to be looked at."""
    chosen = upload_or_404(request, upload_id)
    if chosen.live_id is not None:
        raise Http404
    return chosen


def used(request: HttpRequest) -> HttpResponse:
    """Where somebody goes who comes with a file for the second time."""
    messages.info(request, _("This file was registered or discarded before."))
    return redirect("datasets:list")
