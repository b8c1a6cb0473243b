"""Who sees a dataset, and who may ask about it: this rule stands here and in its guards alone.

Everybody in the organisation, or named people only. Data owners, compliance officers and
administrators govern: they see every dataset, as they do without an audience. Everybody else sees a
named-only dataset while they are named, and to others there is no such dataset: `seen` is a part of
every statement that looks for a dataset on somebody's behalf, so that the same statement finds
nothing for a slug that there never was. A derived dataset is seen by whom its parents are, both.

Asking takes more than seeing. Who governs and is an analyst too asks once another owner has named
them, and a naming counts from the role of an analyst on: what somebody was named for before they
left, or before they had the role, is nobody's decision about who they are now.
"""

from enum import Enum, auto
from typing import Any
from uuid import UUID

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from dpgov.datasets.lineage import governing
from dpgov.datasets.models import Dataset, DerivedFrom, Viewer
from dpgov.operation.prepared import Prepared
from dpgov.tenants.models import Membership, Role, User
from dpgov.tenants.roles import having

GOVERNING = (Role.OWNER, Role.OFFICER, Role.ADMIN)
# Plain columns alone: the guard of questions says the same in SQL.
_COUNTS = ~Q(named_by=F("membership__user")) & (
    Q(membership__role=Role.ANALYST, named_at__gte=F("membership__role_since"))
    | Q(membership__second_role=Role.ANALYST, named_at__gte=F("membership__second_since"))
)


def governs(membership: Membership) -> bool:
    """Whether one of their roles has them see every dataset."""
    return any(membership.has(role) for role in GOVERNING)


def seen(membership: Membership, dataset: str = "") -> Q:
    """Which datasets this person sees as far as the audience goes, by the path to them.

    Never an empty condition: beside another one, by “or”, that would be no dataset in place of all.
    """
    if governs(membership):
        return Q(**{f"{dataset}pk__isnull": False})
    named = viewers().filter(dataset=OuterRef(f"{dataset}pk"), membership=membership.pk)
    own = Q(**{f"{dataset}named_only": False}) | Q(Exists(named))
    of_parent = viewers().filter(dataset=OuterRef("parent"), membership=membership.pk)
    hidden = DerivedFrom.objects.filter(
        ~Q(Exists(of_parent)), dataset=OuterRef(f"{dataset}pk"), parent__named_only=True
    )
    return own & (Q(**{f"{dataset}is_derived": False}) | ~Q(Exists(hidden)))


def viewers() -> QuerySet[Viewer]:
    """The namings that count now."""
    return Viewer.objects.filter(_COUNTS)


def viewers_of(dataset: Dataset) -> QuerySet[Viewer]:
    """Those of a dataset with their people, by e-mail; whether or not it is named-only."""
    named = viewers().filter(dataset=dataset).select_related("membership__user", "named_by")
    return named.order_by("membership__user__email")


def analysts_of(dataset: Dataset) -> QuerySet[Membership]:
    """The analysts who may ask about it, as far as the audience goes: those and no others."""
    people = Membership.objects.filter(having(Role.ANALYST), tenant=dataset.tenant_id)
    for one in governing(dataset):
        people = people.filter(_named(one.pk)) if one.named_only else people
    return people


def _named(dataset_id: UUID) -> Exists:
    return Exists(viewers().filter(dataset=dataset_id, membership=OuterRef("pk")))


class Place(Enum):
    """Where somebody stands to a dataset."""

    OUTSIDE = auto()
    SEES = auto()
    ASKS = auto()


def place_of(dataset: Dataset, user: User) -> Place:
    """As it is now in the database, whatever the caller has read; one statement for each dataset.

    To a derived dataset it is the place where they stand to the narrower parent. An owner who is no
    analyst counts rows of people, as far as pages and permissions let them.
    """
    return min((_place_of(one, user) for one in governing(dataset)), key=list(Place).index)


def where_short(dataset: Dataset, user: User, wanted: Place) -> Dataset:
    """It, or else the first parent, to which somebody does not stand as near; itself if to none."""
    near = list(Place).index
    for one in governing(dataset):
        if near(_place_of(one, user)) < near(wanted):
            return one
    return dataset


def _place_of(dataset: Dataset, user: User) -> Place:
    found: Any = _standing.first(dataset.pk, dataset.tenant_id, user.pk)
    if found is None:
        return Place.OUTSIDE
    counts = found.has(Role.OWNER) and not found.has(Role.ANALYST)
    if found.is_open or found.is_named or counts:
        return Place.ASKS
    return Place.SEES if governs(found) else Place.OUTSIDE


@Prepared
def _standing(dataset_id: UUID, tenant_id: UUID, user_id: UUID) -> QuerySet[Membership]:
    is_open = Dataset.objects.filter(pk=dataset_id, named_only=False)
    people = Membership.objects.filter(tenant=tenant_id, user=user_id)
    return people.annotate(is_open=Exists(is_open), is_named=_named(dataset_id))
