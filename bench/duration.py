"""Holds the model of how long a question may take against the truth on this machine.

`uv run bench/duration.py [--rows 10000 300000 3000000] [--rounds 3] [--only TEXT]`: invented tables
as the product stores them (with three rows a person where persons are named), read by its engine,
with its noise. For each plan and size: what the scans and the noise took of the processors, the
slowest of the rounds, the first of which opens the file; what `privacy.answer.duration` allows; and
the ratio, which is to be at most 0.5. Processor time counts both threads of a scan and does not
depend on what else the machine does: on an idle one nothing takes longer. The model is given the
true number of rows here; in the product it knows twice the declared figure. Ends with 1, and names
the constants, where a bound leaves less room. Nothing of it is read when the product runs.
"""

import argparse
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import duckdb

from dpgov.engines.files import DuckDBEngine
from dpgov.privacy.answer import duration
from dpgov.privacy.answer.blueprint import Blueprint, prepare
from dpgov.privacy.answer.release import draw
from dpgov.privacy.plan.domains import category_domain, column_spec, numeric_domain
from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.privacy.plan.schema import DatasetSchema, MissingRule, Neighbouring, PrivacyUnit

_ROOM = 0.5
_CITIES = tuple(f"city {n}" for n in range(50))
_COLUMNS = (
    column_spec("age", numeric_domain("0", "100", "1"), MissingRule.DROP, ""),
    column_spec("income", numeric_domain("0", "999999", "1"), MissingRule.DROP, ""),
    column_spec("code", numeric_domain("0", "9999", "1"), MissingRule.DROP, ""),
    column_spec("sex", category_domain(["female", "male"]), MissingRule.DROP, ""),
    column_spec("city", category_domain(_CITIES), MissingRule.DROP, ""),
)
_CODES = (
    "(hash(i) % 101)::UTINYINT AS c0, (hash(i * 3) % 1000000)::UINTEGER AS c1,"
    " (hash(i * 5) % 10000)::USMALLINT AS c2, (hash(i * 7) % 2)::UTINYINT AS c3,"
    " (hash(i * 11) % 50)::UTINYINT AS c4"
)
_PERSON = "(i // 3)::UINTEGER AS u, hash(i // 3) AS k, (i % 3)::UINTEGER AS r, 3::USMALLINT AS n"
_COUNT = {"statistic": "count"}
_DISTINCT = {"statistic": "count_distinct"}
_CITY, _SEX = {"column": "city"}, {"column": "sex"}
_EVEN = {"column": "code", "edges": list(range(0, 10_001, 10))}
_UNEVEN = {"column": "code", "edges": [n * n // 100 for n in range(50, 1_000)]}
_WIDE = {"column": "age", "edges": [0, 20, 40, 60, 80, 101]}


@dataclass(frozen=True, slots=True)
class Case:
    """A plan, and the constants that its bound is mostly made of."""

    name: str
    made_of: str
    plan: dict[str, Any]
    persons: bool = False


def _of(column: str, *kinds: str) -> list[dict[str, Any]]:
    return [{"statistic": kind, "column": column} for kind in kinds]


def _case(
    name: str,
    made_of: str,
    statistics: list[dict[str, Any]],
    *groups: Any,
    where: Any = (),
    persons: bool = False,
) -> Case:
    plan = {"statistics": statistics, "group_by": list(groups), "where": list(where), "epsilon": 5}
    return Case(name, made_of, plan, persons)


_FILTERS = (
    {"column": "age", "op": "between", "value": [1, 99]},
    {"column": "income", "op": ">=", "value": 10},
    {"column": "sex", "op": "in", "value": ["female", "male"]},
)
_VALUES = ({"column": "code", "op": "in", "value": list(range(0, 10_000, 10))},)
_TENTHS = {
    "statistic": "quantiles",
    "column": "income",
    "quantiles": [n / 10 for n in range(1, 10)],
}
CASES = (
    _case("count", "_REQUEST, _SCAN", [_COUNT]),
    _case("count, three filters", "_FILTER", [_COUNT], where=_FILTERS),
    _case("count, one of 1,000 values", "_FILTER, _TEXT", [_COUNT], where=_VALUES),
    _case("three statistics", "_MEASURE, _DRAW", _of("income", "sum", "mean", "variance")),
    _case(
        "sums of three columns",
        "_MEASURE",
        [*_of("age", "sum"), *_of("income", "sum"), *_of("code", "sum")],
    ),
    _case("count by city", "_GROUPING", [_COUNT], _CITY),
    _case("count by city, sex and age", "_GROUPING", [_COUNT], _CITY, _SEX, _WIDE),
    _case("mean by 1,000 even bins", "_GROUPING, _CELL", _of("age", "mean"), _EVEN),
    _case("count by 949 uneven bins", "_ARM, _TEXT", [_COUNT], _UNEVEN),
    _case("mean by 6,000 cells", "_RETURNED, _CELL, _NOISE", _of("age", "mean"), _EVEN, _WIDE),
    _case("count by 51,051 cells", "_MANY_CELL, _MANY_NOISE", [_COUNT], _EVEN, _CITY),
    _case("cumulative, 1,000 bins", "_BIN", [{"statistic": "cdf"}], _EVEN),
    _case("median", "_CANDIDATE", _of("income", "median")),
    _case("median by city", "_CANDIDATE", _of("code", "median"), _CITY),
    _case("six quantiles", "_CANDIDATE", [_TENTHS]),
    _case("least and largest", "_CANDIDATE", _of("income", "min", "max")),
    _case("sum, of persons", "_MEASURE", _of("income", "sum"), persons=True),
    _case("persons", "_UNITS", [_DISTINCT], persons=True),
    _case("persons by city and sex", "_UNITS, _RANK", [_DISTINCT], _CITY, _SEX, persons=True),
    _case("persons by 1,000 bins", "_UNITS, _RANK", [_DISTINCT], _EVEN, persons=True),
    _case("count and persons by city", "_UNITS, _RANK", [_COUNT, _DISTINCT], _CITY, persons=True),
)


def main() -> None:
    """Measure and compare."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 300_000, 3_000_000])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", help="what the names of plans hold")
    options = parser.parse_args()
    print("| plan | rows | scans | noise | together | model | ratio |")
    print("|---|---|---|---|---|---|---|")
    tight = set()
    with tempfile.TemporaryDirectory() as folder:
        for rows in options.rows:
            paths = {named: _table(Path(folder), rows, persons=named) for named in (False, True)}
            for case in CASES:
                if options.only not in case.name:
                    continue
                if _compared(case, rows, paths[case.persons], options.rounds) > _ROOM:
                    tight.add(case.made_of)
    if tight:
        sys.exit(f"too small: {'; '.join(sorted(tight))}")


def _table(folder: Path, rows: int, *, persons: bool) -> Path:
    path = folder / f"{rows}{'-persons' if persons else ''}.duckdb"
    columns = f"{_CODES}, {_PERSON}" if persons else _CODES
    with duckdb.connect(str(path), config={"threads": 1}) as connection:
        connection.execute(
            f"CREATE TABLE data AS SELECT {columns} FROM range({rows}) t(i) ORDER BY hash(i * 13)"
        )
    return path


def _compared(case: Case, rows: int, path: Path, rounds: int) -> float:
    schema = DatasetSchema(
        columns=_COLUMNS,
        unit=PrivacyUnit("person", 2, 2) if case.persons else PrivacyUnit(),
        neighbouring=Neighbouring.ADD_REMOVE,
        group_size=1,
        max_rows=rows,
        public_rows=rows,
    )
    blueprint = prepare(parse_plan(case.plan, schema, dataset="bench"), schema)
    engine = DuckDBEngine(path, seconds=600, cubes=False)
    taken = [_taken(blueprint, engine) for _ in range(rounds)]
    scans, noise = max(taken, key=sum)
    allowed = duration.expected_microseconds(blueprint) / 1e6
    ratio = (scans + noise) / allowed
    print(
        f"| {case.name} | {rows:,} | {1000 * scans:,.0f} ms | {1000 * noise:,.0f} ms"
        f" | {1000 * (scans + noise):,.0f} ms | {1000 * allowed:,.0f} ms | {ratio:.2f} |",
        flush=True,
    )
    return ratio


def _taken(blueprint: Blueprint, engine: DuckDBEngine) -> tuple[float, float]:
    """Processor seconds of the scans, and of the noise."""
    began = time.process_time()
    answers = [engine.answer(request) for request in blueprint.requests]
    read = time.process_time()
    draw(blueprint, answers)
    return read - began, time.process_time() - read


if __name__ == "__main__":
    main()
