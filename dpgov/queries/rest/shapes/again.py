"""A request that is sent again is the question it was, whatever became of its dataset."""

from django.http import Http404
from rest_framework.request import Request

from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import dataset_or_404
from dpgov.queries.selectors import find_by_key
from dpgov.tenants.permissions import membership_of


def key_of(request: Request) -> str:
    """The idempotency key as it was sent."""
    return request.headers.get("Idempotency-Key", "")


def dataset_to_ask(request: Request, slug: str, *, first: str = "") -> Dataset:
    """The dataset; where it is not there any more, that of this person's question under the key.

    Nobody learns of it more than that they have asked it: a key of theirs that is used asks nothing
    new. `first` is what the key of a batch's first question has at its end.
    """
    try:
        return dataset_or_404(request, slug)
    except Http404:
        earlier = find_by_key(membership_of(request), key_of(request) + first)
        if earlier is None or earlier.dataset.slug != slug:
            raise
        return earlier.dataset
