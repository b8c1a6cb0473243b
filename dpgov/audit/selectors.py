"""Reads of one tenant's log. Never across tenants, never anything but the log itself."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet, Sum

from dpgov.audit.entry import FACT_NAMES, HASH_NAMES
from dpgov.audit.models import AuditEntry, AuditHead
from dpgov.audit.verifier import START, Head, Problem, Verdict, verify

_CHUNK = 2_000


@dataclass(frozen=True, slots=True)
class EntryFilter:
    """Which entries to show. Empty texts and None let everything pass; `until` is exclusive.

    `actor` is the name as the log wrote it; `dataset` its short name at the time.
    """

    actor: str = ""
    action: str = ""
    dataset: str = ""
    since: datetime | None = None
    until: datetime | None = None

    def condition(self) -> Q:
        """The filter as a condition on entries."""
        wanted = {
            "actor_label": self.actor,
            "action": self.action,
            "dataset": self.dataset,
            "at__gte": self.since,
            "at__lt": self.until,
        }
        return Q(**{name: value for name, value in wanted.items() if value not in ("", None)})


def entries_of(tenant_id: UUID, chosen: EntryFilter | None = None) -> QuerySet[AuditEntry]:
    """The tenant's entries, newest first."""
    found = AuditEntry.objects.filter(tenant_id=tenant_id).order_by("-sequence")
    return found.filter(chosen.condition()) if chosen else found


def get_entry(tenant_id: UUID, sequence: int) -> AuditEntry:
    """One entry of the tenant; raises AuditEntry.DoesNotExist."""
    return AuditEntry.objects.get(tenant_id=tenant_id, sequence=sequence)


def head_of(tenant_id: UUID) -> Head:
    """Where the tenant's log ends now."""
    row = AuditHead.objects.filter(tenant_id=tenant_id).first()
    return Head(row.sequence, row.entry_hash) if row else START


def tenants_with_a_log() -> list[UUID]:
    """Every tenant id that has a head or an entry."""
    heads = AuditHead.objects.values_list("tenant_id", flat=True)
    strays = AuditEntry.objects.exclude(tenant_id__in=heads).values_list("tenant_id", flat=True)
    return sorted({*heads, *strays.distinct()})


def size_of_all_logs() -> int:
    """How many entries there are: sequences have no gaps, so their ends add up to the number."""
    return AuditHead.objects.aggregate(size=Sum("sequence"))["size"] or 0


def stream(
    tenant_id: UUID, *, upto: int, chosen: EntryFilter | None = None
) -> Iterator[dict[str, Any]]:
    """Entries as dictionaries, oldest first, up to a sequence number, in short reads.

    Each read is a statement of its own: a long export holds no transaction open.
    """
    after: int | None = None
    rows = entries_of(tenant_id, chosen).filter(sequence__lte=upto).order_by("sequence")
    while chunk := list(
        (rows if after is None else rows.filter(sequence__gt=after)).values(
            *FACT_NAMES, *HASH_NAMES
        )[:_CHUNK]
    ):
        yield from chunk
        after = chunk[-1]["sequence"]


def verify_log(tenant_id: UUID) -> Verdict:
    """Check the tenant's whole log against its head, while others may go on writing."""
    head = head_of(tenant_id)
    verdict = verify(stream(tenant_id, upto=head.sequence), expected=head)
    if verdict.intact and (beyond := _beyond_head(tenant_id)):
        return Verdict(verdict.entries, verdict.head, beyond)
    return verdict


@transaction.atomic
def _beyond_head(tenant_id: UUID) -> Problem | None:
    """An entry that the head does not know. The head's lock keeps writers out meanwhile."""
    row = AuditHead.objects.select_for_update().filter(tenant_id=tenant_id).first()
    newest = entries_of(tenant_id).first()
    known = row.sequence if row else 0
    if newest is None or newest.sequence <= known:
        return None
    return Problem(newest.sequence, f"lies beyond the head, which knows only {known} entries")
