"""Reads about held datasets: nobody can ask about them until a second person has decided."""

from uuid import UUID

from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest

from dpgov.datasets.audience import seen
from dpgov.datasets.models import Dataset, DatasetVersion
from dpgov.datasets.selectors import present, with_rules
from dpgov.tenants.models import Membership, Role
from dpgov.tenants.permissions import membership_of


def held_datasets(membership: Membership) -> QuerySet[Dataset]:
    """Those that nobody can ask about yet, oldest first: officers see all, owners their own.

    That a file resembles what its owner brought before is nothing for other owners to see.
    """
    held = Dataset.objects.filter(
        tenant=membership.tenant_id, held_at__isnull=False, archived_at__isnull=True
    )
    if not membership.has(Role.OFFICER):
        held = held.filter(owner=membership.user_id)
    return held.select_related("budget", "owner").order_by("held_at")


def datasets_and_held(membership: Membership) -> QuerySet[Dataset]:
    """The datasets that everybody sees and, with them, the held ones that this person may see."""
    mine = Q(held_at__isnull=False, archived_at__isnull=True)
    if not membership.has(Role.OFFICER):
        mine &= Q(owner=membership.user_id)
    return with_rules(membership.tenant_id).filter(present() | mine, seen(membership))


def held_version(membership: Membership, dataset_id: UUID) -> DatasetVersion | None:
    """The newest version of one of them, with what is shown of it; None for every other dataset."""
    held = held_datasets(membership).filter(pk=dataset_id).order_by()
    whole = DatasetVersion.objects.select_related(
        "dataset__budget", "dataset__owner", "fingerprint"
    )
    return whole.filter(dataset__in=held).order_by("-number").first()


def held_or_404(request: HttpRequest, dataset_id: UUID) -> DatasetVersion:
    """The newest version of a held dataset that this person may see; else the same 404 for all."""
    found = held_version(membership_of(request), dataset_id)
    if found is None:
        raise Http404
    return found
