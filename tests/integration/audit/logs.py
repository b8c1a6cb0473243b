"""Logs to look at, and a way to change one as only somebody with the whole database can."""

from uuid import UUID

from django.db import transaction

from dpgov.audit.actions import Action
from dpgov.audit.actor import OPERATOR
from dpgov.audit.entry import leaf_hash, line_of
from dpgov.audit.models import AuditEntry
from dpgov.audit.services import append
from tests.triggers import without_triggers

TENANT, NEIGHBOUR = UUID(int=7), UUID(int=8)


def write(count: int, *, tenant_id: UUID = TENANT) -> None:
    """So many entries."""
    with transaction.atomic():
        for _ in range(count):
            append(tenant_id=tenant_id, actor=OPERATOR, action=Action.TENANT_CREATED, subject="x:1")


def rewrite(sequence: int, *, rehash: bool, tenant_id: UUID = TENANT) -> None:
    """Change who did it, with or without making the hash fit again."""
    entry = AuditEntry.objects.get(tenant_id=tenant_id, sequence=sequence)
    entry.actor_label = "somebody else"
    if rehash:
        entry.leaf_hash = leaf_hash(line_of(vars(entry)))
    with without_triggers():
        entry.save()
