"""The only writer of the log, and the two officer's steps that are themselves recorded."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from dpgov.audit.actions import Action
from dpgov.audit.actor import Actor
from dpgov.audit.entry import GENESIS, EntryFacts, iso, link_hash
from dpgov.audit.models import AuditEntry, AuditHead
from dpgov.audit.selectors import verify_log
from dpgov.audit.text import bounded, bounded_json
from dpgov.audit.verifier import Verdict


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
        detail=bounded_json(detail or {}),
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
    return AuditEntry.objects.create(
        **{**facts.as_dict(), "at": datetime.fromisoformat(facts.at)},
        previous_hash=head.entry_hash,
        entry_hash=link_hash(head.entry_hash, facts),
    )


@transaction.atomic
def record_export(*, tenant_id: UUID, actor: Actor, detail: dict[str, Any]) -> AuditEntry:
    """Note that somebody takes a copy of the log; the copy then ends with this very entry."""
    return append(
        tenant_id=tenant_id,
        actor=actor,
        action=Action.AUDIT_LOG_EXPORTED,
        subject=f"log:{tenant_id}",
        detail=detail,
    )


def verify_and_record(*, tenant_id: UUID, actor: Actor) -> Verdict:
    """Check the whole log, then note the result as one entry, also when the log is broken.

    The check itself reads without a transaction: a long log must not hold up its writers.
    """
    verdict = verify_log(tenant_id)
    with transaction.atomic():
        append(
            tenant_id=tenant_id,
            actor=actor,
            action=Action.AUDIT_LOG_VERIFIED,
            subject=f"log:{tenant_id}",
            detail={
                "entries": verdict.entries,
                "head": verdict.head.entry_hash,
                "problem": str(verdict.problem) if verdict.problem else None,
            },
        )
    return verdict
