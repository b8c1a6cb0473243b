"""G1: whatever changes something writes exactly one entry, in the same transaction."""

from typing import Any

import pytest
from celery import current_app
from django.core.management import get_commands
from django.db import connection

from dpgov.audit.models import AuditEntry
from tests.integration.access.commands import COMMANDS, TASKS
from tests.integration.access.doors import DOORS
from tests.integration.access.routes import by_room
from tests.integration.access.world import World, undone
from tests.integration.access.writes import WRITES, Write, send

CHANGING = {"POST", "PUT", "PATCH", "DELETE"}
CALLS = {name: write for name, write in WRITES.items() if isinstance(write, Write)}


class DiskFull(RuntimeError):
    """Stands for whatever may go wrong when the entry is written."""


def test_every_route_that_takes_a_change_is_in_the_table() -> None:
    """G1: an entry to make, or the reason why there is none."""
    assert {name for name, door in DOORS.items() if door.methods & CHANGING} == set(WRITES)


def test_every_command_and_every_task_is_in_the_table() -> None:
    """G1"""
    ours = {name for name, room in get_commands().items() if str(room).startswith("dpgov")}
    assert ours == set(COMMANDS)
    # As a worker does at its start.
    current_app.loader.import_default_modules()
    assert {name for name in current_app.tasks if name.startswith("dpgov")} == set(TASKS)


@pytest.mark.django_db
@pytest.mark.parametrize("room", by_room(sorted(CALLS)))
def test_a_change_writes_exactly_the_one_entry(room: str, world: World) -> None:
    """G1"""
    for name in by_room(sorted(CALLS))[room]:
        with undone(world):
            assert _entries_of(name, world) == [_entry_expected(name, world)], name


def _entries_of(name: str, world: World) -> list[tuple[str, Any, str]]:
    write = CALLS[name]
    ids = write.before(world)
    before = set(AuditEntry.objects.values_list("pk", flat=True))
    answer = send(world, name, write, ids)
    assert answer.status_code < 400, getattr(answer, "content", b"").decode()
    new = AuditEntry.objects.exclude(pk__in=before)
    return [(entry.action, entry.tenant_id, entry.actor_label) for entry in new]


def _entry_expected(name: str, world: World) -> tuple[str, Any, str]:
    person = world.people[CALLS[name].actor]
    return CALLS[name].action.value, person.tenant_id, person.user.email


@pytest.mark.django_db
@pytest.mark.parametrize("room", by_room(sorted(CALLS)))
def test_a_change_whose_entry_cannot_be_written_does_not_happen(
    room: str, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """G1: nothing is changed behind the log's back."""

    def fail(*_: object) -> None:
        raise DiskFull

    for name in by_room(sorted(CALLS))[room]:
        write = CALLS[name]
        with undone(world):
            ids = write.before(world)
            world.api(write.actor), world.browser(write.actor)
            before = _everything()
            with monkeypatch.context() as patch, pytest.raises(DiskFull):
                patch.setattr("dpgov.audit.services._store", fail)
                send(world, name, write, ids)
            assert _everything() == before, name


def _everything() -> dict[str, Any]:
    """All rows of all tables except the sessions, which remember a visit and not a change.

    So does a token's last use, which is noted for the first request here.
    """
    tables = set(connection.introspection.table_names()) - {"django_session"}
    with connection.cursor() as cursor:
        return {table: _rows(cursor, table) for table in tables}


def _rows(cursor: Any, table: str) -> list[str]:
    cursor.execute(f'SELECT * FROM "{table}"')
    kept = [n for n, column in enumerate(cursor.description) if column[0] != "used_at"]
    return sorted(repr([row[n] for n in kept]) for row in cursor.fetchall())
