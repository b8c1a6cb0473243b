"""What stands beside the tables follows its texts at every `migrate`, and else is left alone."""

from collections.abc import Iterator

import pytest
from django.core.management import CommandError, call_command
from django.core.management.commands.migrate import Command as Migrate
from django.db import connection, transaction
from django.db.migrations.recorder import MigrationRecorder
from django.db.utils import DatabaseError

from dpgov.audit.append_only import append_only, refuse_updates
from dpgov.operation import installed
from tests.integration.tenants.wall.conftest import rows

pytestmark = pytest.mark.django_db

_STANDING = {
    "postgresql": "SELECT oid, xmin::text FROM pg_proc"
    " WHERE pronamespace = current_schema()::regnamespace"
    " UNION ALL SELECT oid, xmin::text FROM pg_trigger ORDER BY 1",
    # Counts every change of the schema.
    "sqlite": "PRAGMA schema_version",
}
_TABLES_OF_TRIGGERS = {
    "postgresql": "SELECT tgname, tgrelid::regclass::text FROM pg_trigger",
    "sqlite": "SELECT name, tbl_name FROM sqlite_master WHERE type = 'trigger'",
}


@pytest.fixture
def room() -> Iterator[str]:
    """A room of the test's own, with one table."""
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE garden (flower varchar(20))")
        cursor.execute("INSERT INTO garden VALUES ('rose')")
    yield "garden"
    installed.register("garden", tuple)


def _change(flower: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("UPDATE garden SET flower = %s", [flower])


def _refused(flower: str) -> bool:
    try:
        with transaction.atomic():
            _change(flower)
    except DatabaseError:
        return True
    return False


def test_putting_up_again_touches_nothing() -> None:
    """A running installation is not held up by a migrate that has nothing to do."""
    before = rows(_STANDING[connection.vendor])
    installed.put_up()
    assert rows(_STANDING[connection.vendor]) == before


def test_a_changed_text_replaces_the_old_one_and_one_that_is_gone_is_removed(room: str) -> None:
    installed.register(room, lambda: [append_only("garden")])
    installed.put_up()
    assert _refused("tulip")
    only_tulips = refuse_updates(
        "garden_no_tulips", table="garden", when="NEW.flower = 'tulip'", message="no tulips"
    )
    installed.register(room, lambda: [only_tulips])
    installed.put_up()
    assert _refused("tulip")
    assert not _refused("lily")
    installed.register(room, list)
    installed.put_up()
    assert not _refused("tulip")


def test_what_was_taken_down_by_hand_comes_back(room: str) -> None:
    installed.register(room, lambda: [append_only("garden")])
    installed.put_up()
    on = " ON garden" if connection.vendor == "postgresql" else ""
    name = "garden_no_change" if on else "garden_no_update"
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TRIGGER {name}{on}")
    assert not _refused("tulip")
    installed.put_up()
    assert _refused("lily")


def test_a_database_from_before_the_first_migrations_is_left_alone() -> None:
    """They would be taken for applied, and columns be missing."""
    MigrationRecorder.Migration.objects.create(app="audit", name="0002_append_only")
    with pytest.raises(CommandError, match="cannot be carried over"):
        call_command("migrate", verbosity=0)


def test_a_migration_that_fails_leaves_what_grows_only_as_it_was(
    room: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On SQLite the triggers are down while tables are made anew, and only then."""
    installed.register(room, lambda: [append_only("garden")])
    installed.put_up()
    MigrationRecorder.Migration.objects.filter(app="notices").delete()

    def fail(*_: object, **__: object) -> None:
        assert _refused("tulip") == (connection.vendor == "postgresql")
        raise DatabaseError("no room")

    monkeypatch.setattr(Migrate, "handle", fail)
    with pytest.raises(DatabaseError, match="no room"):
        call_command("migrate", verbosity=0)
    assert _refused("lily")


def test_what_belongs_to_a_table_that_went_is_not_put_back(room: str) -> None:
    installed.register(room, lambda: [append_only("garden")])
    installed.put_up()
    stood = installed.take_down()
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE garden")
    installed.put_back(stood)
    assert "garden" not in {table for _, table in rows(_TABLES_OF_TRIGGERS[connection.vendor])}
