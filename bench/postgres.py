"""Exact integers from a table in PostgreSQL: by the engine, and by SQL that a person would write.

`uv run bench/postgres.py [--rows 1000000] [--rounds 5]`: the table and the questions of
`bench/scans.py`, in a throw-away server. Both ways open a connection for each question, and give
the same integers, which is looked at first. What a person writes knows that the table is clean: it
neither trims, nor looks for a NaN, nor keeps rows of a person by a rule of that person alone.
Medians of wall time in turns, and their ratio.
"""

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import psycopg
from psycopg import sql

from bench.census import COLUMNS, REGIONS, SCHOOLS
from dpgov.engines.postgres.engine import PostgresEngine
from dpgov.engines.postgres.rows import Source
from dpgov.engines.postgres.server import Server
from dpgov.privacy.plan.bins import CodeGrouping, EvenRanges
from dpgov.privacy.plan.request import CodeFilter, ExactRequest, Measure, MeasureKind, UnitBounds
from dpgov.privacy.plan.schema import PrivacyUnit
from tests.servers.postgres import throw_away_postgres

_ROWS = Measure(MeasureKind.ROWS)
_AGE, _INCOME, _HOURS, _REGION, _SEX, _EDUCATION = range(6)


@dataclass(frozen=True, slots=True)
class Work:
    """A question in lattice codes, and as SQL that gives the same integers in some order."""

    name: str
    request: ExactRequest
    plain: str
    by_person: bool = False


def _each(column: int, number: int) -> CodeGrouping:
    return CodeGrouping(column, tuple((code, code) for code in range(number)))


def _of(column: int, *kinds: MeasureKind) -> tuple[Measure, ...]:
    return tuple(Measure(kind, column) for kind in kinds)


_STEPS = "round(least(greatest(income, 0), 200000) / 100)::bigint"
_REGIONS, _SEXES = _each(_REGION, len(REGIONS)), _each(_SEX, 2)
WORK = (
    Work(
        "filtered count",
        ExactRequest(
            (CodeFilter(_AGE, ((40, 120),)), CodeFilter(_REGION, ((3, 3),))), (), (_ROWS,)
        ),
        "SELECT count(*) FROM census WHERE age >= 40 AND region = 'r3'",
    ),
    Work(
        "clipped sum and mean",
        ExactRequest((), (), _of(_INCOME, MeasureKind.CODE_SUM, MeasureKind.PRESENT)),
        f"SELECT sum({_STEPS}), count(income) FROM census",
    ),
    Work(
        "histogram of 16 bins",
        ExactRequest((), (CodeGrouping(_INCOME, EvenRanges(1999, 125)),), (_ROWS,)),
        f"SELECT count(*) FROM census GROUP BY {_STEPS} / 125",
    ),
    Work(
        "mean by 12 x 2 groups",
        ExactRequest(
            (), (_REGIONS, _SEXES), _of(_HOURS, MeasureKind.CODE_SUM, MeasureKind.PRESENT)
        ),
        "SELECT sum(hours), count(hours) FROM census GROUP BY region, sex",
    ),
    Work(
        "median",
        ExactRequest((), (CodeGrouping(_INCOME, EvenRanges(2000, 1)),), (_ROWS,)),
        f"SELECT count(*) FROM census GROUP BY {_STEPS}",
    ),
    Work(
        "table of 16 x 12",
        ExactRequest((), (_each(_EDUCATION, len(SCHOOLS)), _REGIONS), (_ROWS,)),
        "SELECT count(*) FROM census GROUP BY education, region",
    ),
    Work(
        "count, at most 5 rows each",
        ExactRequest((), (), (_ROWS,), UnitBounds(5)),
        "SELECT sum(least(c, 5)) "
        "FROM (SELECT count(*) AS c FROM census GROUP BY person) AS counted",
        by_person=True,
    ),
    Work(
        "sum by region, at most 5 rows each",
        ExactRequest((), (_REGIONS,), _of(_HOURS, MeasureKind.CODE_SUM), UnitBounds(5)),
        "SELECT sum(hours) FROM (SELECT *, row_number() OVER (PARTITION BY person) AS place "
        "FROM census) AS ranked WHERE place <= 5 GROUP BY region",
        by_person=True,
    ),
)


def main() -> None:
    """Invent, ask in turns, print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000])
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    print("| question | rows | by hand | engine | ratio |")
    print("|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        root.chmod(0o711)
        with throw_away_postgres(root) as url:
            for rows in options.rows:
                _ask_all(with_census(url, rows), rows, options.rounds)


def with_census(url: str, rows: int) -> Server:
    """The table, invented in the server, and a role that reads it."""
    parts = urlsplit(url)
    password, port = str(parts.password), int(parts.port or 0)
    with psycopg.connect(
        host="127.0.0.1", port=port, dbname="dpgov", user="admin", password=password
    ) as admin:
        if not admin.execute("SELECT FROM pg_roles WHERE rolname = 'reader'").fetchall():
            admin.execute(sql.SQL("CREATE ROLE reader LOGIN PASSWORD {}").format(password))
        admin.execute("DROP TABLE IF EXISTS census; SELECT setseed(0.5)")
        admin.execute(sql.SQL(_INVENTED).format(rows=rows, people=max(1, rows // 5)))
        admin.execute("GRANT SELECT ON census TO reader")
        admin.commit()
        admin.autocommit = True
        admin.execute("VACUUM ANALYZE census")
    return Server("127.0.0.1", port, "dpgov", "reader", password, "disable")


# Ages, incomes, hours and lists as in `bench.census`; nobody has more than a few rows over five.
_INVENTED = """
CREATE TABLE census AS SELECT floor(random() * {people})::bigint AS person,
floor(random() * 100)::integer AS age,
round(exp(10 + sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random()))::numeric, 2)::float8
  AS income,
'r' || floor(random() * 12)::integer AS region, (ARRAY['f', 'm'])[1 + (random() < 0.5)::integer]
  AS sex,
'e' || floor(random() * 16)::integer AS education, (1 + floor(random() * 98))::integer AS hours
FROM generate_series(1, {rows})
"""


def _ask_all(server: Server, rows: int, rounds: int) -> None:
    for work in WORK:
        unit = PrivacyUnit("person", 5) if work.by_person else PrivacyUnit()
        source = Source("public", "census", COLUMNS, unit)
        engine = PostgresEngine(
            server, source, allowed=[server.address], key=bytes(32), seconds=600
        )
        _print(work, rows, _turns(server, work, engine, rounds))


def _turns(
    server: Server, work: Work, engine: PostgresEngine, rounds: int
) -> list[tuple[float, float]]:
    def by_hand() -> list[tuple[int, ...]]:
        return _by_hand(server, work.plain)

    def answer() -> list[tuple[int, ...]]:
        cells = [tuple(map(int, cell)) for cell in engine.answer(work.request)]
        return [cell for cell in cells if any(cell)]

    # Which five rows of a person are added is decided by another rule.
    if "place" not in work.plain and sorted(by_hand()) != sorted(answer()):
        raise SystemExit(f"{work.name}: different integers")
    return [(_seconds(by_hand), _seconds(answer)) for _ in range(rounds)]


def _by_hand(server: Server, plain: str) -> list[tuple[int, ...]]:
    with psycopg.connect(
        host=server.host,
        port=server.port,
        dbname=server.database,
        user=server.user,
        password=server.password,
    ) as connection:
        return [tuple(map(int, row)) for row in connection.execute(plain.encode()).fetchall()]


def _seconds(asked: Callable[[], Any]) -> float:
    begun = time.perf_counter()
    asked()
    return time.perf_counter() - begun


def _print(work: Work, rows: int, turns: list[tuple[float, float]]) -> None:
    plain, ours = (statistics.median(each) for each in zip(*turns, strict=True))
    print(
        f"| {work.name} | {rows:,} | {1000 * plain:,.0f} ms | {1000 * ours:,.0f} ms"
        f" | {ours / plain:.2f} |",
        flush=True,
    )


if __name__ == "__main__":
    main()
