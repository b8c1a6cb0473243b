"""M98: what is asked is what is there once the table is locked.

What could leak or overspend: an owner changes the table while an answer waits for its lock. What
was looked at before would be another table than the one that is read then: of other people, of a
form that may fail by a cell, or one that is empty in an old snapshot.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest

from dpgov.engines.base import DataNotOpened, EngineFailure
from dpgov.engines.postgres.engine import PostgresEngine
from dpgov.engines.postgres.rows import Source
from dpgov.privacy.plan.request import ExactAnswer, ExactRequest, Measure, MeasureKind
from dpgov.privacy.plan.schema import PrivacyUnit
from tests.unit.engines.postgres.owner import KEY, READER, Owner
from tests.unit.engines.tables import number

COUNT = ExactRequest((), (), (Measure(MeasureKind.ROWS),))
V = number("v", "0", "9")
# Until somebody waits for a lock.
WAITS = """
DO $$ BEGIN
  WHILE NOT EXISTS (SELECT FROM pg_locks WHERE NOT granted) LOOP PERFORM pg_sleep(0.01); END LOOP;
END $$
"""


@pytest.fixture(autouse=True)
def _tables(owner: Owner) -> None:
    owner.does("DROP TABLE IF EXISTS old CASCADE")
    owner.has("kept", {"v": "integer"}, [(1,), (4,)])
    owner.has("others", {"v": "integer"}, [(5,), (6,), (7,)])
    owner.does("CREATE VIEW shown AS SELECT v FROM kept")
    owner.does(f"GRANT SELECT ON shown TO {READER}")


@contextmanager
def _changing(owner: Owner, *statements: str) -> Iterator[psycopg.Connection]:
    """Within, somebody has changed it and not said so yet."""
    with psycopg.connect(owner.admin.info.dsn, password=owner.admin.info.password) as changing:
        for statement in statements:
            changing.execute(statement)
        yield changing


def _answers_after(owner: Owner, engine: PostgresEngine, *statements: str) -> ExactAnswer:
    """What it answers that began to wait before the change was committed."""
    with ThreadPoolExecutor(1) as pool, _changing(owner, *statements) as changing:
        asked: Future[ExactAnswer] = pool.submit(engine.answer, COUNT)
        owner.does(WAITS)
        changing.commit()
        return asked.result()


SWAPPED = ("ALTER TABLE kept RENAME TO old", "ALTER TABLE others RENAME TO kept")


@pytest.mark.parametrize(
    ("table", "statements"),
    [
        ("kept", SWAPPED),
        ("shown", ["CREATE OR REPLACE VIEW shown AS SELECT v FROM others"]),
        ("shown", ["CREATE OR REPLACE VIEW shown AS SELECT 10 / v AS v FROM kept"]),
        ("kept", ["DROP VIEW shown", "ALTER TABLE kept ALTER v TYPE text"]),
        ("kept", ["ALTER TABLE kept RENAME TO old"]),
    ],
    ids=["another table", "another source", "what computes", "another form", "gone"],
)
def test_what_became_something_else_while_its_lock_was_waited_for_is_not_asked(
    owner: Owner, table: str, statements: list[str]
) -> None:
    """M98: Not a row is read, so that it costs nothing."""
    engine = owner.engine(table, [V])
    engine.reach()
    with pytest.raises(DataNotOpened):
        _answers_after(owner, engine, *statements)


class _Interrupted(PostgresEngine):
    """Something happens between its look at the table and the scan."""

    happens: Callable[[], object]

    def _looked_at(self, connection: Any) -> Any:
        found = super()._looked_at(connection)
        self.happens()
        return found


def test_a_schema_that_takes_the_name_after_the_lock_is_not_answered_from(owner: Owner) -> None:
    """M98: No lock on a table keeps its schema's name. Rows were read, so that it is charged."""
    owner.does("DROP SCHEMA IF EXISTS live, before, beside CASCADE")
    for schema in ("live", "beside"):
        owner.does(f"CREATE SCHEMA {schema}")
        owner.does(f"CREATE TABLE {schema}.t AS SELECT 1 AS v")
        owner.does(f"GRANT USAGE ON SCHEMA {schema} TO {READER}")
        owner.does(f"GRANT SELECT ON {schema}.t TO {READER}")
    source, allowed = Source("live", "t", (V,), PrivacyUnit()), [owner.server.address]
    engine = _Interrupted(owner.server, source, allowed=allowed, key=KEY, seconds=30)
    engine.happens = lambda: None
    engine.reach()
    assert engine.answer(COUNT) == ((1,),)

    def renamed() -> None:
        owner.does("ALTER SCHEMA live RENAME TO before")
        owner.does("ALTER SCHEMA beside RENAME TO live")

    engine.happens = renamed
    with pytest.raises(EngineFailure) as failure:
        engine.answer(COUNT)
    assert not isinstance(failure.value, DataNotOpened)


def test_what_was_filled_anew_meanwhile_is_read_as_it_is(owner: Owner) -> None:
    """M98: not as the empty table that it is in a snapshot from before."""
    engine = owner.engine("kept", [V])
    engine.reach()
    filled = ("TRUNCATE kept", "INSERT INTO kept VALUES (1), (2), (3)")
    assert _answers_after(owner, engine, *filled) == ((3,),)
