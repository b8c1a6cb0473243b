"""Logs to look at, and a way to change one as only somebody with the whole database can."""

from datetime import UTC, datetime
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


def write_question(number: int, at: datetime, *, tenant_id: UUID = TENANT) -> None:
    """A question and its answer at one moment: two entries."""
    for action, detail in (
        (Action.QUERY_SUBMITTED, {"epsilon": "0.5"}),
        (Action.QUERY_RELEASED, {"release_sha256": "0" * 64}),
    ):
        append(
            tenant_id=tenant_id,
            actor=OPERATOR,
            action=action,
            subject=f"query:{UUID(int=number)}",
            detail=detail,
            at=at,
        )


def write_month(month: int, *, tenant_id: UUID = TENANT) -> None:
    """100 entries of a month of 2025, of which every fifth is no question's."""
    with transaction.atomic():
        for day in range(1, 21):
            at = datetime(2025, month, day, 12, tzinfo=UTC)
            for turn in range(2):
                number = month * 100 + day * 2 + turn
                write_question(number, at, tenant_id=tenant_id)
            append(
                tenant_id=tenant_id,
                actor=OPERATOR,
                action=Action.TENANT_CREATED,
                subject="x:1",
                at=at,
            )


def rewrite(sequence: int, *, rehash: bool, tenant_id: UUID = TENANT) -> None:
    """Change who did it, with or without making the hash fit again."""
    entry = AuditEntry.objects.get(tenant_id=tenant_id, sequence=sequence)
    entry.actor_label = "somebody else"
    if rehash:
        entry.leaf_hash = leaf_hash(line_of(vars(entry)))
    with without_triggers():
        entry.save()
