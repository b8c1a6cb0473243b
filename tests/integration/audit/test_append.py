"""The log as it is written: gap-free, hashed, in the transaction of what it records."""

import uuid
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime, timedelta, timezone
from threading import Barrier, Thread
from typing import Any

import pytest
from django.db import DatabaseError, connection, connections, transaction

from dpgov.audit.actions import Action
from dpgov.audit.actor import OPERATOR, Actor
from dpgov.audit.bounded import LONGEST_DETAIL
from dpgov.audit.checkpoints.signing import make_checkpoint
from dpgov.audit.entry import canonical_json, facts_of, leaf_hash
from dpgov.audit.models import AuditEntry, AuditHead
from dpgov.audit.recheck import recheck_all
from dpgov.audit.selectors import log_size
from dpgov.audit.services import OutsideTransaction, append

TENANT = uuid.UUID(int=7)


def note(*, tenant_id: uuid.UUID = TENANT, **values: object) -> AuditEntry:
    facts: dict[str, Any] = {"actor": OPERATOR, "action": Action.TENANT_CREATED}
    facts |= {"subject": "tenant:7"} | values
    with transaction.atomic():
        return append(tenant_id=tenant_id, **facts)


@pytest.mark.django_db
def test_entries_are_numbered_from_one_without_gaps() -> None:
    assert [note().sequence for _ in range(3)] == [1, 2, 3]
    assert log_size(TENANT) == 3
    assert recheck_all(TENANT).intact


@pytest.mark.django_db
@pytest.mark.parametrize(
    "text",
    [
        "plain",
        'quotes " and \\ backslashes \\" \\\\"',
        'her "sequence":7, and \\"sequence\\":8,',
        "line\r\nbreak\ttab\x00nul\x1b[31mred\x7f",
        "bidi \u202egnp.exe \u2066x\u2069",
        "beyond the plane \U0001f600 \U000e0001 and half of it \ud83d",
        "ε, ß, 漢字, \u2028 \u2029",
        "",
    ],
)
def test_the_database_hashes_the_very_bytes_that_python_would_write(text: str) -> None:
    """G9: whatever is typed, the stored entry's canonical JSON has the stored hash."""
    made = note(
        actor=Actor(kind="user", id=text, label=text),
        subject=text,
        dataset=text,
        detail={text: [text, {"deep": text}]},
    )
    stored = AuditEntry.objects.get(tenant_id=TENANT)
    line = canonical_json(facts_of(vars(stored)).as_dict())
    assert leaf_hash(line.encode()) == bytes(stored.leaf_hash)
    for name in ("id", "sequence", "at", "actor_label", "subject", "dataset", "detail"):
        assert getattr(made, name) == getattr(stored, name)
    assert bytes(made.leaf_hash) == bytes(stored.leaf_hash)


@pytest.mark.django_db
@pytest.mark.parametrize("microsecond", [0, 1, 120, 999_999])
def test_a_moment_is_written_with_all_its_digits(microsecond: int) -> None:
    """G9: a whole second too, and in whatever zone it was given."""
    at = datetime(2026, 3, 29, 2, 30, 0, microsecond, tzinfo=timezone(timedelta(hours=2)))
    stored = note(at=at)
    assert stored.at == at
    assert recheck_all(TENANT).intact


@pytest.mark.django_db
def test_an_entry_costs_one_statement_where_the_database_has_functions(
    django_assert_num_queries: Callable[[int], AbstractContextManager[object]],
) -> None:
    note()
    with (
        transaction.atomic(),
        django_assert_num_queries(1 if connection.vendor == "postgresql" else 3),
    ):
        append(tenant_id=TENANT, actor=OPERATOR, action=Action.TENANT_CREATED, subject="x:1")


@pytest.mark.django_db
def test_each_tenant_has_a_log_of_its_own() -> None:
    note()
    other = note(tenant_id=uuid.UUID(int=8))
    assert other.sequence == 1
    assert recheck_all(uuid.UUID(int=8)).size == 1


@pytest.mark.django_db
def test_a_rollback_writes_no_entry_and_leaves_no_gap() -> None:
    """G1: what did not happen is not recorded."""
    note()
    with pytest.raises(RuntimeError), transaction.atomic():
        append(tenant_id=TENANT, actor=OPERATOR, action=Action.TENANT_CREATED, subject="x:1")
        raise RuntimeError("the step failed")
    assert AuditEntry.objects.filter(tenant_id=TENANT).count() == 1
    assert note().sequence == 2
    assert recheck_all(TENANT).intact


@pytest.mark.django_db(transaction=True)
def test_an_entry_outside_a_transaction_is_refused_and_nothing_is_written() -> None:
    """G1: an entry that could commit without its step is a lie in waiting."""
    with pytest.raises(OutsideTransaction):
        append(tenant_id=TENANT, actor=OPERATOR, action=Action.TENANT_CREATED, subject="x:1")
    assert not AuditEntry.objects.exists()
    assert not AuditHead.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit_auditentry SET actor_label = 'nobody'",
        "UPDATE audit_auditentry SET detail = detail",
        "DELETE FROM audit_auditentry",
        "DELETE FROM audit_auditentry WHERE sequence = 1",
    ],
)
def test_the_database_refuses_to_change_or_delete_entries(statement: str) -> None:
    """A7: append-only for the application's own role."""
    entry = note()
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)
    entry.refresh_from_db()
    assert entry.actor_label == OPERATOR.label


@pytest.mark.django_db
def test_the_ways_around_an_update_are_refused_too() -> None:
    """A7: TRUNCATE on PostgreSQL; REPLACE on SQLite, which deletes without saying DELETE."""
    entry = note()
    columns = [str(field.column) for field in AuditEntry._meta.fields]
    replace = f"REPLACE INTO audit_auditentry SELECT {', '.join(columns)} FROM audit_auditentry"
    statement = replace if connection.vendor == "sqlite" else "TRUNCATE audit_auditentry"
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)
    assert bytes(AuditEntry.objects.get().leaf_hash) == bytes(entry.leaf_hash)


@pytest.mark.django_db(transaction=True)
def test_writers_at_the_same_time_leave_no_gap() -> None:
    """G5 (short): 8 writers, 5 entries each."""
    start = Barrier(8)

    def write() -> None:
        start.wait()
        for _ in range(5):
            note()
        connections.close_all()

    writers = [Thread(target=write) for _ in range(8)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    verdict = recheck_all(TENANT)
    assert (verdict.size, verdict.problems) == (40, ())


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_sixteen_writers_and_five_thousand_entries_leave_no_gap() -> None:
    """G5: two tenants, each with a gap-free log in the end, while checkpoints are being made."""
    start = Barrier(17)

    def write(number: int) -> None:
        start.wait()
        for _ in range(313):
            note(tenant_id=uuid.UUID(int=7 + number % 2))
        connections.close_all()

    writers = [Thread(target=write, args=(number,)) for number in range(16)]
    for writer in writers:
        writer.start()
    start.wait()
    while any(writer.is_alive() for writer in writers):
        make_checkpoint(tenant_id=TENANT)
    for writer in writers:
        writer.join()
    for tenant_id in (TENANT, uuid.UUID(int=8)):
        verdict = recheck_all(tenant_id)
        assert (verdict.size, verdict.problems) == (8 * 313, ())


@pytest.mark.django_db
def test_control_characters_and_direction_marks_are_escaped_everywhere() -> None:
    """G9: whoever reads the log on a terminal or a page sees them, and is not steered by them."""
    nasty = "a\r\nb\x1b[31mred\u202egnp.exe\x00\ud800"
    entry = note(
        actor=Actor(kind="user", id="1", label=nasty),
        subject=nasty,
        dataset=nasty,
        detail={nasty: [nasty, {"deep": nasty}]},
    )
    texts = [entry.actor_label, entry.subject, entry.dataset, entry.detail]
    assert all(text.isprintable() for text in texts)
    assert "\\u202e" in entry.actor_label
    assert recheck_all(TENANT).intact


@pytest.mark.django_db
def test_enormous_fields_are_cut_and_the_entry_still_verifies() -> None:
    """G9: a field of a megabyte, and a detail made of many small ones."""
    huge = "x" * 1_000_000
    entry = note(
        actor=Actor(kind="user", id=huge, label=huge),
        subject=huge,
        dataset=huge,
        detail={str(n): huge for n in range(200)},
    )
    entry.refresh_from_db()
    assert len(entry.actor_label) == 254
    assert len(entry.subject) == 200
    assert len(entry.detail) < LONGEST_DETAIL
    assert '"sha256"' in entry.detail
    assert recheck_all(TENANT).intact
