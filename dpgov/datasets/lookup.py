"""How every door, page or API, finds the dataset or the upload that its address names."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from rest_framework.request import Request

from dpgov.datasets.models import Dataset, DatasetVersion, Upload
from dpgov.datasets.selectors import get_dataset, get_upload, held_version, version_to_ask
from dpgov.tenants.permissions import membership_of


def dataset_or_404(request: HttpRequest | Request, slug: str) -> Dataset:
    """The tenant's dataset; foreign, held, archived and missing ones give the same 404."""
    try:
        return get_dataset(membership_of(request).tenant, slug)
    except Dataset.DoesNotExist as missing:
        raise Http404 from missing


def version_or_404(request: HttpRequest | Request, slug: str) -> DatasetVersion:
    """The newest version of the same dataset, with all that a price is made of."""
    try:
        return version_to_ask(membership_of(request).tenant, slug)
    except DatasetVersion.DoesNotExist as missing:
        raise Http404 from missing


def held_or_404(request: HttpRequest, dataset_id: UUID) -> DatasetVersion:
    """The newest version of a held dataset that this person may see; else the same 404 for all."""
    found = held_version(membership_of(request), dataset_id)
    if found is None:
        raise Http404
    return found


def upload_or_404(request: HttpRequest, upload_id: UUID) -> Upload:
    """The person's own upload, used or not; every other one gives the same 404."""
    membership = membership_of(request)
    try:
        return get_upload(membership.tenant, membership.user, upload_id)
    except Upload.DoesNotExist as missing:
        raise Http404 from missing


def used(request: HttpRequest) -> HttpResponse:
    """Where somebody goes who comes with a file for the second time."""
    messages.info(request, _("This file was registered or discarded before."))
    return redirect("datasets:list")
