"""Logs to look at, and a way to change one as only somebody with the whole database can."""

from collections.abc import Generator
from contextlib import contextmanager
from uuid import UUID

from django.db import connection, transaction

from dpgov.audit.actions import Action
from dpgov.audit.actor import OPERATOR
from dpgov.audit.append_only import protect, unprotect
from dpgov.audit.entry import leaf_hash, line_of
from dpgov.audit.models import AuditEntry
from dpgov.audit.services import append

TENANT, NEIGHBOUR = UUID(int=7), UUID(int=8)
_TABLES = ("audit_auditentry", "audit_auditcheckpoint", "audit_auditsubtree", "audit_auditkey")


def write(count: int, *, tenant_id: UUID = TENANT) -> None:
    """So many entries."""
    with transaction.atomic():
        for _ in range(count):
            append(tenant_id=tenant_id, actor=OPERATOR, action=Action.TENANT_CREATED, subject="x:1")


@contextmanager
def without_triggers() -> Generator[None]:
    """What an administrator of the database can do, and the product cannot."""
    for table in _TABLES:
        with connection.schema_editor() as editor:
            unprotect(table)(None, editor)
    yield
    for table in _TABLES:
        with connection.schema_editor() as editor:
            protect(table)(None, editor)


def rewrite(sequence: int, *, rehash: bool, tenant_id: UUID = TENANT) -> None:
    """Change who did it, with or without making the hash fit again."""
    entry = AuditEntry.objects.get(tenant_id=tenant_id, sequence=sequence)
    entry.actor_label = "somebody else"
    if rehash:
        entry.leaf_hash = leaf_hash(line_of(vars(entry)))
    with without_triggers():
        entry.save()
