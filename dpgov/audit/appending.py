"""How one entry gets into the tables: one statement on PostgreSQL, a few on SQLite.

Called by `audit.services.append` alone, in its caller's transaction. Both ways store the same
values and the same hash: that of the entry's canonical JSON.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import F
from django.utils import timezone

from dpgov.audit.entry import fragments, leaf_hash, line_of
from dpgov.audit.models import AuditEntry, AuditHead

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
    values = {**fields, "at": at or timezone.now(), "sequence": _next_number(fields["tenant_id"])}
    return AuditEntry.objects.create(**values, leaf_hash=leaf_hash(line_of(values)))


def _next_number(tenant_id: UUID) -> int:
    heads = AuditHead.objects.filter(tenant_id=tenant_id)
    if not heads.update(sequence=F("sequence") + 1):
        AuditHead.objects.create(tenant_id=tenant_id, sequence=1)
    return heads.values_list("sequence", flat=True).get()
