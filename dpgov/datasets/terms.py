"""Reads of a dataset's terms of use: which version is in force, and who accepted it.

Whether a person may ask is decided in one place, `queries.asking.gate`, which looks here.
"""

from uuid import UUID

from django.db.models import Exists, OuterRef, QuerySet

from dpgov.datasets.models import Acceptance, Dataset, TermsOfUse
from dpgov.tenants.models import User


def versions_of(dataset: Dataset) -> QuerySet[TermsOfUse]:
    """Every version that was ever set, the newest first; also those without text."""
    return TermsOfUse.objects.filter(dataset=dataset).order_by("-number")


def in_force(dataset_id: UUID) -> TermsOfUse | None:
    """The newest version; None where none was ever set, or the newest one has no text."""
    newest = TermsOfUse.objects.filter(dataset=dataset_id).order_by("-number").first()
    return newest if newest is not None and newest.text else None


def to_accept(dataset_id: UUID, user: User) -> TermsOfUse | None:
    """What this person has to accept before they ask anything of it, if anything; one read."""
    mine = Acceptance.objects.filter(terms=OuterRef("pk"), accepted_by=user)
    versions = TermsOfUse.objects.filter(dataset=dataset_id).annotate(is_accepted=Exists(mine))
    newest = versions.order_by("-number").first()
    if newest is None or not newest.text or newest.is_accepted:
        return None
    return newest


def acceptances_of(terms: TermsOfUse) -> QuerySet[Acceptance]:
    """Who accepted this version, the newest first."""
    return terms.acceptances.select_related("accepted_by").order_by("-accepted_at", "-pk")


def accepted_at(terms: TermsOfUse, user: User) -> Acceptance | None:
    """When this person accepted this version, if they did."""
    return terms.acceptances.filter(accepted_by=user).first()
