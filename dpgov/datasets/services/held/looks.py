"""An officer looks at new data: what it resembles, and whether it may be asked about.

Resemblance is found here, when the officer looks, and never on an owner's way: no lock, no time
and no row of theirs depends on it. What the officer then does is a human decision. One officer may
let data begin, because its owner is the other person, and may pause it, because that can be
undone; ending a pause, sharing a budget and discarding take two, see `deciding`.
"""

from dataclasses import dataclass
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet

from dpgov.audit.actions import Action
from dpgov.datasets.crossing import agreed_with
from dpgov.datasets.models import Dataset, DatasetVersion, Look
from dpgov.datasets.services.entries import record
from dpgov.datasets.services.holding import end_hold, hold, looked_at
from dpgov.datasets.services.likeness import in_agreed, in_tenant, kept_fingerprints
from dpgov.datasets.services.live.marks import same_tables
from dpgov.datasets.services.turns import queue_up
from dpgov.engines.fingerprint import TableFingerprint
from dpgov.engines.likeness import Likeness, likest
from dpgov.language.said import said
from dpgov.language.spoken import SpokenRefusal
from dpgov.tenants.models import Membership, Role, Tenant
from dpgov.tenants.roles import having
from dpgov.tenants.selectors import actor_of


class OwnData(SpokenRefusal):
    """Whoever brought data must not see what it resembles: they know its rows."""

    def __init__(self) -> None:
        super().__init__(said("You brought this data yourself. Another officer has to look at it."))


class LookedAtAlready(SpokenRefusal):
    """Somebody else was first, or the dataset is gone."""

    def __init__(self) -> None:
        super().__init__(said("Someone else has looked at this already, or it is archived."))


@dataclass(frozen=True, slots=True)
class Resembling:
    """What an officer sees: own datasets by name and likeness, other organisations as a whole."""

    own: list[tuple[Dataset, Likeness]]
    elsewhere: list[tuple[str, Likeness]]


def waiting_for_a_look(tenant: Tenant) -> QuerySet[DatasetVersion]:
    """The versions that no officer looked at, oldest first.

    Those of archived datasets are left out, and those that two persons decide about anyway.
    """
    held_for_more = Q(dataset__held_at__isnull=False) & ~Q(
        dataset__held_reason=Dataset.HeldReason.NEW_DATA
    )
    waiting = DatasetVersion.objects.filter(
        tenant=tenant, look__isnull=True, dataset__archived_at__isnull=True
    )
    return (
        waiting.exclude(held_for_more)
        .select_related("dataset", "added_by")
        .order_by("created_at", "number")
    )


def resembling(version: DatasetVersion, *, seen_by: Membership) -> Resembling:
    """Which data a version resembles, found now. Raises OwnData.

    An organisation in which this officer brings data themselves is left out, for the same reason.
    """
    if version.added_by_id == seen_by.user_id:
        raise OwnData
    fingerprints = kept_fingerprints(version)
    found: dict[Dataset, list[Likeness]] = {}
    for fingerprint in fingerprints:
        for match in in_tenant(version.tenant_id, fingerprint):
            if match.dataset_id != version.dataset_id:
                found.setdefault(match.dataset, []).append(match.likeness)
    for other, how in same_tables(version.dataset):
        found.setdefault(other, []).append(how)
    own = sorted(found, key=lambda dataset: dataset.created_at)
    return Resembling(
        own=[(earlier, likest(found[earlier])) for earlier in own],
        elsewhere=_elsewhere(version.tenant_id, fingerprints, seen_by),
    )


def _elsewhere(
    tenant_id: UUID, fingerprints: list[TableFingerprint], seen_by: Membership
) -> list[tuple[str, Likeness]]:
    names = agreed_with(tenant_id)
    if not names:
        return []
    bringing = Membership.objects.filter(having(Role.OWNER), user_id=seen_by.user_id)
    hidden = set(bringing.values_list("tenant__slug", flat=True))
    found: dict[str, list[Likeness]] = {}
    for fingerprint in fingerprints:
        for slug, how in in_agreed(tenant_id, fingerprint).items():
            found.setdefault(slug, []).append(how)
    return [(names[slug], likest(how)) for slug, how in sorted(found.items()) if slug not in hidden]


@transaction.atomic
def let_begin(*, version: DatasetVersion, membership: Membership, reason: str) -> None:
    """Nothing speaks against it: it may be asked about, or go on to be.

    Raises OwnData and LookedAtAlready.
    """
    dataset = _to_look_at(version, membership)
    waits = dataset.held_reason == Dataset.HeldReason.NEW_DATA
    seen = looked_at(dataset, membership.user, Look.Outcome.GOES_ON)
    if waits:
        end_hold(dataset)
    detail = {"version": version.number, "begins": waits, "reason": reason}
    if also := [number for number in seen if number != version.number]:
        detail["also"] = also
    record(dataset, actor_of(membership.user), Action.DATASET_LOOKED_AT, detail)


@transaction.atomic
def pause(*, version: DatasetVersion, membership: Membership, reason: str) -> None:
    """Nobody can ask about the dataset until two persons have decided.

    Also long after the first look, when other data has come. Raises OwnData, and LookedAtAlready
    for a dataset that is archived or for two persons to decide about already.
    """
    dataset = _locked(version, membership)
    hold(dataset, Dataset.HeldReason.PAUSED)
    looked_at(dataset, membership.user, Look.Outcome.PAUSED)
    record(
        dataset,
        actor_of(membership.user),
        Action.DATASET_PAUSED,
        {"name": dataset.name, "version": version.number, "reason": reason},
    )


def _to_look_at(version: DatasetVersion, membership: Membership) -> Dataset:
    dataset = _locked(version, membership)
    if Look.objects.filter(version=version).exists():
        raise LookedAtAlready
    return dataset


def _locked(version: DatasetVersion, membership: Membership) -> Dataset:
    brought = DatasetVersion.objects.filter(dataset=version.dataset_id, added_by=membership.user_id)
    # The step is about every version that waits, so none of them may be their own.
    if brought.filter(Q(pk=version.pk) | Q(look__isnull=True)).exists():
        raise OwnData
    queue_up(membership.tenant)
    present = Dataset.objects.select_for_update(of=("self",)).filter(
        pk=version.dataset_id, tenant_id=membership.tenant_id, archived_at__isnull=True
    )
    dataset = present.first()
    if dataset is None or dataset.held_reason not in {"", Dataset.HeldReason.NEW_DATA}:
        raise LookedAtAlready
    return dataset
