"""The only writer of the log."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from dpgov.audit.actions import Action
from dpgov.audit.actor import Actor
from dpgov.audit.entry import GENESIS, EntryFacts, canonical_json, link_hash
from dpgov.audit.models import AuditEntry, AuditHead
from dpgov.audit.text import bounded


class OutsideTransaction(RuntimeError):
    """An entry must commit together with what it records; the caller opened no transaction."""


def append(
    *,
    tenant_id: UUID,
    actor: Actor,
    action: Action,
    subject: str,
    dataset: str = "",
    detail: dict[str, Any] | None = None,
) -> AuditEntry:
    """Append one entry to the tenant's log, inside the caller's transaction.

    `subject` is "kind:id"; `detail` is JSON without data, secrets or noise-free numbers.
    Raises OutsideTransaction when the entry could commit without what it records.
    """
    if not transaction.get_connection().in_atomic_block:
        raise OutsideTransaction(action)
    head = _locked_head(tenant_id)
    facts = EntryFacts(
        tenant_id=str(tenant_id),
        sequence=head.sequence + 1,
        at=iso(timezone.now()),
        actor_kind=actor.kind,
        actor_id=bounded(actor.id, 64),
        actor_label=bounded(actor.label, 254),
        action=action.value,
        subject=bounded(subject, 200),
        dataset=bounded(dataset, 200),
        detail=canonical_json(bounded(detail or {}, 2000)),
    )
    entry = _store(facts, head)
    head.sequence, head.entry_hash = entry.sequence, entry.entry_hash
    head.save(update_fields=["sequence", "entry_hash"])
    return entry


def _locked_head(tenant_id: UUID) -> AuditHead:
    AuditHead.objects.get_or_create(
        tenant_id=tenant_id, defaults={"sequence": 0, "entry_hash": GENESIS}
    )
    return AuditHead.objects.select_for_update().get(tenant_id=tenant_id)


def _store(facts: EntryFacts, head: AuditHead) -> AuditEntry:
    values = {name: getattr(facts, name) for name in facts.__slots__}
    values["at"] = datetime.fromisoformat(facts.at)
    return AuditEntry.objects.create(
        **values,
        previous_hash=head.entry_hash,
        entry_hash=link_hash(head.entry_hash, facts),
    )


def iso(moment: datetime) -> str:
    """The one text form of a moment: UTC, microseconds always written."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")
