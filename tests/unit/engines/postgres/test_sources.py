"""I4: a source is refused by forms and rights alone, at once and again before each answer."""

from collections.abc import Sequence
from dataclasses import replace

import psycopg
import pytest

from dpgov.engines.base import DataNotOpened
from dpgov.engines.live import SourceRefused
from dpgov.engines.postgres.checking import Problem, checked
from dpgov.engines.postgres.engine import check_source
from dpgov.engines.postgres.server import opened
from dpgov.privacy.plan.bins import CodeGrouping
from dpgov.privacy.plan.domains import date_domain
from dpgov.privacy.plan.request import ExactRequest, Measure, MeasureKind, UnitBounds
from dpgov.privacy.plan.schema import ColumnSpec, MissingRule, PrivacyUnit
from tests.unit.engines.postgres.owner import READER, Owner
from tests.unit.engines.tables import category, number

COUNT = ExactRequest((), (), (Measure(MeasureKind.ROWS),))
V = number("v", "0", "9")
HOURS = ColumnSpec("v", date_domain("2024-01-01", "2024-12-31", "hour"))
NEVER = ColumnSpec("v", V.domain, MissingRule.REQUIRE)
NOWHERE = ColumnSpec("v", date_domain("2024", "2025", "day", "", "Antarctica/Troll"))


def _problem(
    owner: Owner, columns: Sequence[ColumnSpec] = (V,), unit: PrivacyUnit | None = None
) -> tuple[object, str] | None:
    """What is wrong with the table `s`; before an answer it is the same, and nothing is charged."""
    source = owner.source("s", columns, unit)
    try:
        check_source(owner.server, source, allowed=[owner.server.address])
    except SourceRefused as refused:
        with pytest.raises(DataNotOpened):
            bounds = None if unit is None else UnitBounds(1)
            owner.engine("s", columns, unit).answer(replace(COUNT, bounds=bounds))
        return refused.problem, refused.column
    assert owner.engine("s", columns).answer(COUNT) == ((1,),)
    return None


@pytest.mark.parametrize(
    ("kind", "spec"),
    [
        ("text", V),
        ("real", V),
        ("date", V),
        ("money", V),
        ("integer[]", V),
        ("numeric", category("v", "a")),
        ("double precision", category("v", "a")),
        ("timestamp", category("v", "a")),
        ("jsonb", category("v", "a")),
        ('"char"', category("v", "a")),
        ("date", HOURS),
        ("integer", HOURS),
        ("text", HOURS),
        ("time", HOURS),
    ],
)
def test_types_with_casts_that_may_fail_are_refused(
    owner: Owner, kind: str, spec: ColumnSpec
) -> None:
    """D4, I4: and types of users, which are casts of users."""
    owner.has("s", {"v": kind}, [(None,)])
    assert _problem(owner, [spec]) == (Problem.TYPE, "v")


def test_types_of_users_are_refused(owner: Owner) -> None:
    """I4: a cast of one is a function of somebody."""
    owner.does("DROP TYPE IF EXISTS mood CASCADE")
    owner.does("CREATE TYPE mood AS ENUM ('a')")
    owner.has("s", {"v": "mood"}, [("a",)])
    assert _problem(owner, [category("v", "a")]) == (Problem.TYPE, "v")


def test_what_a_live_table_cannot_promise_is_refused(owner: Owner) -> None:
    """D4: that no cell is missing; an unknown column; a unit that is a float or a moment."""
    owner.has("s", {"v": "integer", "w": "double precision"}, [(1, 1)])
    assert _problem(owner, [NEVER]) == (Problem.NEVER_MISSING, "v")
    assert _problem(owner, [number("x", "0", "1")]) == (Problem.MISSING_COLUMN, "x")
    assert _problem(owner, [V], PrivacyUnit("w", 1)) == (Problem.UNIT_TYPE, "w")


@pytest.mark.parametrize("zone", ["Mars/Olympus", "CET", "EET", "MET", "WET"])
def test_a_zone_that_the_server_has_not_is_refused(owner: Owner, zone: str) -> None:
    """D4: or has as an abbreviation, which knows no summer time; and one that it knows is taken."""
    owner.has("s", {"v": "timestamptz"}, [(None,)])
    assert _problem(owner, [NOWHERE]) is None
    gone = ColumnSpec("v", date_domain("2024", "2025", "day", "", zone))
    source = owner.source("s", [gone])
    with pytest.raises(SourceRefused) as refused:
        check_source(owner.server, source, allowed=[owner.server.address])
    assert refused.value.problem is Problem.TIME_ZONE


@pytest.mark.parametrize("rows", [[], [(None,)], [("2024-05-01T10:00Z",)]])
def test_whatever_the_rows_are_nothing_is_read_where_a_zone_is_gone(
    owner: Owner, rows: list[tuple[str | None]]
) -> None:
    """D4, I4: a server's zones change when it is upgraded; one cell would be enough to tell."""
    owner.has("s", {"v": "timestamptz"}, rows)
    gone = ColumnSpec("v", date_domain("2024", "2025", "day", "", "Mars/Olympus"))
    by_day = replace(COUNT, groupings=(CodeGrouping(0, ((0, 100),)),))
    for step in (owner.engine("s", [gone]).reach, lambda: owner.engine("s", [gone]).answer(by_day)):
        with pytest.raises(DataNotOpened):
            step()


@pytest.mark.parametrize("zone", ["UTC", "GMT", "Zulu", "Europe/Berlin", "Asia/Kolkata"])
def test_a_zone_that_is_one_and_the_same_everywhere_is_taken(owner: Owner, zone: str) -> None:
    owner.has("s", {"v": "timestamptz"}, [(None,)])
    known = ColumnSpec("v", date_domain("2024", "2025", "day", "", zone))
    assert _problem(owner, [known]) is None


@pytest.mark.parametrize(
    ("statement", "undo"),
    [
        (f"GRANT INSERT ON s TO {READER}", f"REVOKE INSERT ON s FROM {READER}"),
        (f"GRANT UPDATE (v) ON s TO {READER}", f"REVOKE UPDATE (v) ON s FROM {READER}"),
        ("GRANT TRUNCATE ON s TO PUBLIC", "REVOKE TRUNCATE ON s FROM PUBLIC"),
        (f"ALTER TABLE s OWNER TO {READER}", "ALTER TABLE s OWNER TO admin"),
        (
            f"ALTER TABLE s OWNER TO {READER}; REVOKE ALL ON s FROM {READER}; "
            f"GRANT SELECT ON s TO {READER}",
            "ALTER TABLE s OWNER TO admin",
        ),
        (f"ALTER ROLE {READER} SUPERUSER", f"ALTER ROLE {READER} NOSUPERUSER"),
        (f"GRANT pg_write_all_data TO {READER}", f"REVOKE pg_write_all_data FROM {READER}"),
        (
            f"ALTER ROLE {READER} NOINHERIT; GRANT DELETE ON s TO dpgov; GRANT dpgov TO {READER}",
            f"ALTER ROLE {READER} INHERIT; REVOKE dpgov FROM {READER}",
        ),
    ],
)
def test_a_role_that_can_write_is_refused(owner: Owner, statement: str, undo: str) -> None:
    """I4: by itself, by its columns, as the owner, or as a role that it could become."""
    owner.has("s", {"v": "integer"}, [(1,)])
    assert _problem(owner) is None
    owner.does(statement)
    try:
        assert _problem(owner) == (Problem.ROLE_CAN_WRITE, "")
    finally:
        owner.does(undo)


def test_a_role_that_cannot_read_is_refused(owner: Owner) -> None:
    """I4: before anything was read, so nothing is charged."""
    owner.has("s", {"v": "integer", "w": "integer"}, [(1, 1)])
    owner.does(f"REVOKE SELECT ON s FROM {READER}")
    assert _problem(owner) == (Problem.NOT_READABLE, "")
    owner.does(f"GRANT SELECT (v) ON s TO {READER}")
    assert _problem(owner) == (Problem.NOT_READABLE, "")


VIEWS = {
    "SELECT v FROM base": None,
    "SELECT b.v FROM base b JOIN base o ON b.v = o.v WHERE b.v > 0 AND b.v IS NOT NULL": None,
    "SELECT w::double precision AS v FROM base": None,
    "SELECT 1 / v AS v FROM base": Problem.COMPUTING_VIEW,
    "SELECT w::integer AS v FROM base": Problem.COMPUTING_VIEW,
    "SELECT t::integer AS v FROM base": Problem.COMPUTING_VIEW,
    "SELECT v FROM base WHERE random() < 2": Problem.COMPUTING_VIEW,
    "SELECT v FROM base, pg_sleep(0)": Problem.COMPUTING_VIEW,
    "SELECT writes(v) AS v FROM base": Problem.COMPUTING_VIEW,
    "SELECT (SELECT b.v FROM base b) AS v FROM base": Problem.COMPUTING_VIEW,
    "SELECT max(v) AS v FROM base": Problem.COMPUTING_VIEW,
    "SELECT v FROM base LIMIT 1": Problem.COMPUTING_VIEW,
    "SELECT v FROM other_view": Problem.COMPUTING_VIEW,
}


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_that_computes_is_refused(owner: Owner, view: str) -> None:
    """I4: what runs while rows are read can fail by them, or write; comparing cannot."""
    owner.does("DROP TABLE IF EXISTS s, base CASCADE")
    owner.has("base", {"v": "integer", "w": "real", "t": "text"}, [(1, 1, "1")])
    owner.does(
        "CREATE OR REPLACE FUNCTION writes(v integer) RETURNS integer LANGUAGE sql "
        "SECURITY DEFINER AS 'INSERT INTO base VALUES (v) RETURNING v'"
    )
    owner.does("CREATE VIEW other_view AS SELECT v FROM base")
    owner.does(f"CREATE VIEW s AS {view}")
    owner.does(f"GRANT SELECT ON s, base TO {READER}")
    try:
        found = _problem(owner)
    finally:
        owner.does("DROP VIEW s")
    assert found == (None if VIEWS[view] is None else (VIEWS[view], ""))


def test_rows_that_a_policy_or_another_server_decides_are_refused(owner: Owner) -> None:
    """I4: row security, of a view's table too; a foreign table, and one that is a part."""
    owner.has("s", {"v": "integer"}, [(1,)])
    owner.does("ALTER TABLE s ENABLE ROW LEVEL SECURITY")
    assert _problem(owner) == (Problem.ROW_SECURITY, "")
    owner.does("ALTER TABLE s DISABLE ROW LEVEL SECURITY")
    assert _problem(owner) is None
    owner.does(
        "CREATE FOREIGN DATA WRAPPER nothing; CREATE SERVER nowhere FOREIGN DATA WRAPPER nothing"
    )
    owner.does("CREATE FOREIGN TABLE far () INHERITS (s) SERVER nowhere")
    try:
        assert _problem(owner) == (Problem.FOREIGN_PARTS, "")
    finally:
        owner.does("DROP FOREIGN DATA WRAPPER nothing CASCADE")


def test_a_form_that_changes_after_registration_is_found_before_anything_is_read(
    owner: Owner,
) -> None:
    """I4: another type, no table at all; and under the lock nothing changes it."""
    owner.has("s", {"v": "integer"}, [(1,)])
    engine = owner.engine("s", [V])
    assert engine.answer(COUNT) == ((1,),)
    with opened(owner.server, [owner.server.address], 30) as connection:
        checked(connection, owner.source("s", [V]))
        owner.does("SET lock_timeout = '50ms'")
        with pytest.raises(psycopg.errors.LockNotAvailable):
            owner.does("ALTER TABLE s ALTER v TYPE text")
        owner.does("RESET lock_timeout")
    owner.does("ALTER TABLE s ALTER v TYPE text")
    for statement in ("SELECT", "DROP TABLE s"):
        owner.does(statement)
        with pytest.raises(DataNotOpened):
            engine.answer(COUNT)
