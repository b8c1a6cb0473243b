"""Reads of one tenant's log. Never across tenants, never anything but the log itself."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Count, Q, QuerySet, Subquery, Value

from dpgov.audit.actions import FREQUENT_ACTIONS, Action
from dpgov.audit.amounts import IsIn
from dpgov.audit.entry import FACT_NAMES
from dpgov.audit.keys.key_chain import ListedKey, follow, signatures_in
from dpgov.audit.keys.note import Checkpoint, PublicKey, UnreadableKey, parse_public_key
from dpgov.audit.models import (
    FREQUENT_ACTORS,
    AuditCheckpoint,
    AuditDelivery,
    AuditEntry,
    AuditHead,
    AuditKey,
)

_CHUNK = 2_000


_LOOKUPS = {"=": "exact", ">": "gt", ">=": "gte", "<": "lt", "<=": "lte"}


@dataclass(frozen=True, slots=True)
class Amount:
    """What a question cost, compared: `unit` is epsilon or rho, `sign` one of =, >, >=, <, <=."""

    unit: str
    sign: str
    nano: int

    def __str__(self) -> str:
        return f"{self.unit} {self.sign} {self.nano} nano"

    def condition(self) -> Q:
        """On entries of questions that were asked; no other entry has an amount."""
        return Q(IsIn(self.unit), **{f"amount_nano__{_LOOKUPS[self.sign]}": self.nano})


@dataclass(frozen=True, slots=True)
class EntryFilter:
    """Which entries to show. Empty texts and None let everything pass; `until` is exclusive.

    `actor` is the name as the log wrote it; `dataset` its short name at the time. `actors`,
    `datasets` and `actions` are several of which one will do. `word` is for whoever looks it up
    among names first; it filters nothing itself.
    """

    actor: str = ""
    action: str = ""
    dataset: str = ""
    since: datetime | None = None
    until: datetime | None = None
    amount: Amount | None = None
    actors: tuple[str, ...] = ()
    datasets: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()
    word: str = ""

    def condition(self) -> Q:
        """The filter as a condition on entries."""
        wanted = {
            "actor_label": self.actor,
            "action": self.action,
            "dataset": self.dataset,
            "at__gte": self.since,
            "at__lt": self.until,
            "actor_label__in": self.actors,
            "dataset__in": self.datasets,
            "action__in": self.actions,
        }
        chosen = Q(**{name: value for name, value in wanted.items() if value not in ("", None, ())})
        # Says again what follows already: only so is the index over the rare ones taken.
        if self.action and self.action not in FREQUENT_ACTIONS:
            chosen &= ~Q(action__in=FREQUENT_ACTIONS)
        if self.actions and not set(self.actions) & set(FREQUENT_ACTIONS):
            chosen &= ~Q(action__in=FREQUENT_ACTIONS)
        people = {self.actor, *self.actors} - {""}
        if people and not people & set(FREQUENT_ACTORS):
            chosen &= ~Q(actor_label__in=FREQUENT_ACTORS)
        return chosen & self.amount.condition() if self.amount else chosen


def entries_of(tenant_id: UUID, chosen: EntryFilter | None = None) -> QuerySet[AuditEntry]:
    """The tenant's entries, newest first."""
    found = AuditEntry.objects.filter(tenant_id=tenant_id).order_by("-sequence")
    if chosen is None:
        return found
    if chosen.since or chosen.until:
        # By time, so that an index leads to an old span at once, however much came after it.
        found = found.order_by("-at", "-sequence")
    return found.filter(chosen.condition())


def older_than(found: QuerySet[AuditEntry], tenant_id: UUID, sequence: int) -> QuerySet[AuditEntry]:
    """What follows the entry of this number in the order of `entries_of`."""
    if found.query.order_by[0] == "-sequence":
        return found.filter(sequence__lt=sequence)
    moment = AuditEntry.objects.filter(tenant_id=tenant_id, sequence=sequence).values("at")[:1]
    return found.filter(at__lte=moment).exclude(at=moment, sequence__gte=sequence)


def get_entry(tenant_id: UUID, sequence: int) -> AuditEntry:
    """One entry of the tenant; raises AuditEntry.DoesNotExist."""
    return AuditEntry.objects.get(tenant_id=tenant_id, sequence=sequence)


def log_size(tenant_id: UUID) -> int:
    """How many entries the tenant's log has, as its head says."""
    heads = AuditHead.objects.filter(tenant_id=tenant_id)
    return heads.values_list("sequence", flat=True).first() or 0


def rare_actions_between(tenant_id: UUID, begin: datetime, end: datetime) -> list[tuple[str, int]]:
    """How often each action but the frequent ones was recorded from `begin` to before `end`.

    Found by their numbers, so that an index over the rare ones alone is read.
    """
    entries = AuditEntry.objects.filter(tenant_id=tenant_id)
    first = entries.filter(at__gte=begin).order_by("at").values("sequence")[:1]
    last = entries.filter(at__lt=end).order_by("-at").values("sequence")[:1]
    # Named one by one, so that of each the stretch alone is read and not all that it ever did.
    named = [action.value for action in Action if action.value not in FREQUENT_ACTIONS]
    rare = entries.exclude(action__in=FREQUENT_ACTIONS).filter(action__in=named).order_by()
    between = rare.filter(sequence__gte=Subquery(first), sequence__lte=Subquery(last))
    counts = between.values_list("action").annotate(number=Count("*"))
    return sorted(counts, key=lambda row: (-row[1], row[0]))


def stream(
    tenant_id: UUID, *, upto: int, after: int = 0, chosen: EntryFilter | None = None
) -> Iterator[dict[str, Any]]:
    """Entries as dictionaries, oldest first, of numbers after < n <= upto, in short reads.

    Each read is a statement of its own: a long export holds no transaction open.
    """
    rows = AuditEntry.objects.filter(tenant_id=tenant_id, sequence__lte=upto).order_by("sequence")
    if chosen:
        rows = rows.filter(chosen.condition())
    wanted = rows.values(*FACT_NAMES, "leaf_hash")
    while chunk := list(wanted.filter(sequence__gt=after)[:_CHUNK]):
        yield from chunk
        after = chunk[-1]["sequence"]


def checkpoints_of(tenant_id: UUID) -> QuerySet[AuditCheckpoint]:
    """The tenant's checkpoints, newest first."""
    return AuditCheckpoint.objects.filter(tenant_id=tenant_id).order_by("-size")


def newest_checkpoint(tenant_id: UUID) -> AuditCheckpoint | None:
    """The newest one, if there is any."""
    return checkpoints_of(tenant_id).first()


def knows(tenant_id: UUID, checkpoint: Checkpoint) -> bool:
    """Whether the database has this very checkpoint: as large, and over the same entries."""
    same = checkpoints_of(tenant_id).filter(size=checkpoint.size, root=checkpoint.root)
    return same.exists()


def signed_and_size(tenant_id: UUID) -> tuple[AuditCheckpoint | None, int]:
    """The newest checkpoint, if there is any, and the log's size, of one moment: one statement."""
    heads = AuditHead.objects.filter(tenant_id=tenant_id).values("sequence")
    last = checkpoints_of(tenant_id).annotate(log=Subquery(heads[:1])).first()
    return last, (last.log or 0 if last else log_size(tenant_id))


def covering_checkpoint(tenant_id: UUID, sequence: int) -> AuditCheckpoint | None:
    """The first checkpoint that was signed over this entry, if there is one yet."""
    return checkpoints_of(tenant_id).filter(size__gte=sequence).order_by("size").first()


def announced_keys(tenant_id: UUID) -> list[PublicKey]:
    """The keys that the tenant's checkpoints were ever signed with, oldest first.

    As the database alone has it; what to verify with is `outside.known_keys`.
    """
    return follow(listed_keys(tenant_id), log=str(tenant_id)).keys


def listed_keys(tenant_id: UUID) -> list[ListedKey]:
    """Every key that the database names, oldest first, with the signatures that the log has.

    One statement: the signatures are those of the entries that announced a key.
    """
    keys = AuditKey.objects.filter(tenant_id=tenant_id).order_by()
    announced = entries_of(tenant_id, EntryFilter(action=Action.CHECKPOINT_KEY_CHANGED.value))
    read = list(
        keys.values_list(Value("key"), "id", "public_key").union(
            announced.order_by().values_list(Value("signatures"), "sequence", "detail"), all=True
        )
    )
    signed = _announcements(text for what, _place, text in sorted(read) if what == "signatures")
    found = []
    for text in (text for what, _place, text in sorted(read) if what == "key"):
        try:
            found.append(ListedKey(parse_public_key(text), signed.get(text, ())))
        except UnreadableKey:
            continue
    return found


def _announcements(details: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The signature lines with which the log announces each key; the first ones are the true."""
    found: dict[str, tuple[str, ...]] = {}
    for detail in details:
        try:
            announced = json.loads(detail)
            lines = signatures_in("\n".join(announced["statement"]))
            found.setdefault(announced["new_key"], lines)
        except (ValueError, TypeError, LookupError):
            continue
    return found


def deliveries_of(tenant_id: UUID, sizes: list[int]) -> dict[int, list[AuditDelivery]]:
    """How far the checkpoints of these sizes have got, by size."""
    found: dict[int, list[AuditDelivery]] = {size: [] for size in sizes}
    rows = AuditDelivery.objects.filter(tenant_id=tenant_id, size__in=sizes)
    for row in rows.order_by("destination"):
        found[row.size].append(row)
    return found
