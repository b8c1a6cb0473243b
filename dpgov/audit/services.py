"""The only writer of the log, and the officer's steps that are themselves recorded.

An entry is bounded (`audit.bounded`) and gets into the tables in its caller's transaction: by one
statement on PostgreSQL, a few on SQLite.
Both ways store the same values and the same hash: that of the entry's canonical JSON.
"""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.db.models import F, QuerySet

from dpgov.audit.actions import Action
from dpgov.audit.actor import Actor
from dpgov.audit.bounded import bounded, bounded_json
from dpgov.audit.entry import fragments, leaf_hash, line_of
from dpgov.audit.models import AuditEntry, AuditHead
from dpgov.audit.recheck import Recheck, recheck_part
from dpgov.audit.selectors import EntryFilter, entries_of, log_size
from dpgov.language.said import as_values
from dpgov.operation import clock
from dpgov.operation.prepared import Change, Prepared, PreparedChange

_CALL = "SELECT * FROM audit_append(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)"


def append_arguments(fields: Mapping[str, Any], at: datetime | None = None) -> list[Any]:
    """What the database function `audit_append` takes, in its order."""
    parts = fragments(fields)
    texts = ("actor_kind", "actor_id", "actor_label", "action", "subject", "dataset", "detail")
    return [
        fields["tenant_id"],
        *(fields[name] for name in texts),
        parts.before_at,
        parts.before_sequence,
        parts.rest,
        at,
    ]


def append_by_function(fields: Mapping[str, Any], at: datetime | None) -> AuditEntry:
    """One round trip: the database numbers, dates and hashes the entry (sql/append.sql)."""
    with connection.cursor() as cursor:
        cursor.execute(_CALL, append_arguments(fields, at))
        identity, sequence, moment, leaf = cursor.fetchone()
    return AuditEntry(id=identity, sequence=sequence, at=moment, leaf_hash=bytes(leaf), **fields)


def append_by_models(fields: Mapping[str, Any], at: datetime | None) -> AuditEntry:
    """The same where there are no database functions; the transaction keeps other writers out."""
    values = {**fields, "at": at or clock.now(), "sequence": _next_number(fields["tenant_id"])}
    return AuditEntry.objects.create(**values, leaf_hash=leaf_hash(line_of(values)))


def _next_number(tenant_id: UUID) -> int:
    if not _next(tenant_id):
        AuditHead.objects.create(tenant_id=tenant_id, sequence=1)
    (number,) = _number(tenant_id)
    return number


@PreparedChange
def _next(tenant_id: UUID) -> Change:
    return AuditHead.objects.filter(tenant_id=tenant_id), {"sequence": F("sequence") + 1}


@Prepared
def _number(tenant_id: UUID) -> QuerySet[AuditHead, int]:
    return AuditHead.objects.filter(tenant_id=tenant_id).values_list("sequence", flat=True)


# What a page may read while somebody waits for it: a second or so.
MOST_AT_ONCE = 20_000


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
    at: datetime | None = None,
) -> AuditEntry:
    """Append one entry to the tenant's log, inside the caller's transaction.

    `subject` is "kind:id"; `detail` is JSON without data, secrets or noise-free numbers. `at` is
    the database's own time, unless the true moment would tell what it must not (a release is
    recorded at the moment from which it may be seen).
    Raises OutsideTransaction when the entry could commit without what it records.
    """
    if not connection.in_atomic_block:
        raise OutsideTransaction(action)
    fields = {
        "tenant_id": tenant_id,
        "actor_kind": actor.kind,
        "actor_id": bounded(actor.id, 64),
        "actor_label": bounded(actor.label, 254),
        "action": action.value,
        "subject": bounded(subject, 200),
        "dataset": bounded(dataset, 200),
        "detail": bounded_json(detail or {}),
    }
    return _store(fields, at)


def _store(fields: dict[str, Any], at: datetime | None) -> AuditEntry:
    if connection.vendor == "postgresql":
        return append_by_function(fields, at)
    return append_by_models(fields, at)


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


def verify_and_record(*, tenant_id: UUID, actor: Actor) -> Recheck:
    """Read the log again, or the next part of a long one, and note the result as one entry.

    A log of more than MOST_AT_ONCE entries is read from where the last check stopped, and from
    its beginning once that has reached the end. The check itself reads without a transaction: a
    long log must not hold up its writers.
    """
    verdict = recheck_part(tenant_id, after=_continue_after(tenant_id), most=MOST_AT_ONCE)
    unread = [as_values(one) for one in verdict.unread]
    with transaction.atomic():
        append(
            tenant_id=tenant_id,
            actor=actor,
            action=Action.AUDIT_LOG_VERIFIED,
            subject=f"log:{tenant_id}",
            detail={
                "first": verdict.first,
                "last": verdict.last,
                "size": verdict.size,
                "problems": [as_values(problem) for problem in verdict.problems],
                **({"unread": unread} if unread else {}),
            },
        )
    return verdict


def _continue_after(tenant_id: UUID) -> int:
    if log_size(tenant_id) <= MOST_AT_ONCE:
        return 0
    checks = entries_of(tenant_id, EntryFilter(action=Action.AUDIT_LOG_VERIFIED.value))
    newest = checks.first()
    detail = json.loads(newest.detail) if newest else {}
    last, size = detail.get("last", 0), detail.get("size", 0)
    return int(last) if last < size else 0
