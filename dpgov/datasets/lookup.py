"""How every door, page or API, finds the dataset that its address names."""

from django.http import Http404, HttpRequest
from rest_framework.request import Request

from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import get_dataset
from dpgov.tenants.requests import membership_of


def dataset_or_404(request: HttpRequest | Request, slug: str) -> Dataset:
    """The tenant's dataset; foreign, archived and missing ones give the same 404."""
    try:
        return get_dataset(membership_of(request).tenant, slug)
    except Dataset.DoesNotExist as missing:
        raise Http404 from missing
