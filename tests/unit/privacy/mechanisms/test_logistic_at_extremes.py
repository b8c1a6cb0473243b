"""M30, M31: a descent as it is really scanned, at the ends of what can be declared.

What could leak, and to whom: whoever reads a draw learns of a person whose rows move it by more
than its noise was made for; and where a scan could overflow for some rows, its failure would tell
that they are there. So contributions are computed here from the definition alone, in whole numbers
of Python, held against what the engine adds up of the same rows, and against every reach.
"""

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpgov.engines.files import DuckDBEngine
from dpgov.engines.ingest.values import sql_type
from dpgov.privacy.answer.blueprint import Blueprint, prepare
from dpgov.privacy.mechanisms.draw import Draw
from dpgov.privacy.mechanisms.logistic import Logistic
from dpgov.privacy.mechanisms.sigmoid import curve_at
from dpgov.privacy.plan.domains import category_domain, column_spec, numeric_domain
from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.privacy.plan.schema import MissingRule, Neighbouring, PrivacyUnit
from tests.unit.engines.tables import write_codes
from tests.unit.privacy.tables import question, schema_of

CAME = column_spec("came", category_domain(["no", "yes"]), MissingRule.DROP, "")
BIT = column_spec("bit", numeric_domain("0", "1", "1"), MissingRule.REQUIRE, "")
# 2^40 steps; a number whose half steps do not fill the lattice; and three categories.
WIDE = column_spec("wide", numeric_domain("0", str(2**40), "1"), MissingRule.REQUIRE, "")
ODD = column_spec("odd", numeric_domain("-3", "1022", "1"), MissingRule.REQUIRE, "")
KIND = column_spec("kind", category_domain(["a", "b", "c"]), MissingRule.DROP, "")
CODES: dict[str, list[int | None]] = {
    "came": [0, 1],
    "bit": [0, 1],
    "wide": [0, 2**39, 2**40],
    "odd": [0, 512, 1025],
    "kind": [0, 1, 2],
}
Vectors = dict[str, list[list[int]]]


def prepared(
    outcome: Any, max_rows: int, **more: Any
) -> tuple[Blueprint, Logistic, list[tuple[int | None, ...]]]:
    """With its price, and every row of the codes above."""
    columns = (outcome, WIDE, ODD, KIND)
    asked = {"statistic": "logistic_regression", "column": outcome.name}
    body = question(asked | {"predictors": ["wide", "odd", "kind"]}, epsilon=9)
    schema = replace(schema_of(*columns, **more), max_rows=max_rows)
    blueprint = prepare(parse_plan(body, schema, dataset="people"), schema)
    (mechanism,) = blueprint.mechanisms
    assert isinstance(mechanism, Logistic)
    return blueprint, mechanism, list(product(*(CODES[column.name] for column in columns)))


def components(row: tuple[Any, ...], size: int) -> list[int]:
    """1, both numbers between their bounds, and whether it is b, or c; as many as `size` is 1."""
    found = [size]
    for code, top in ((row[1], 2**40), (row[2], 1025)):
        width = top // (min(2048, size) + 1) + 1
        half = size // (top // width)
        found.append(2 * half * (code // width) - half * (top // width))
    return [*found, size * (row[3] == 1), size * (row[3] == 2)]


def place(score: int, size: int, unit: int) -> int:
    """On the curve, between two of its places a sixteenth apart, cut off at -8 and 8."""
    step = 4096 * size
    sixteenths, part = divmod(max(0, min(score + 128 * step, 256 * step - 1)), step)

    def exact(sixteenth: int) -> int:
        chance = unit / (1 + (-Decimal(sixteenth - 128) / 16).exp())
        return int(chance.to_integral_value())

    low, high = exact(sixteenths), exact(sixteenths + 1)
    return low + (high - low) * part // step


def contributions(rows: list[Any], mechanism: Logistic, point: tuple[int, ...]) -> Vectors:
    """What each row adds to each draw."""
    size, unit, heaviest = (getattr(mechanism.lattice, n) for n in ("size", "unit", "heaviest"))
    found: Vectors = {"moments": [], "outcomes": [], "last": [], "weighted": []}
    for row in rows:
        w = components(row, size)
        on_curve = place(sum(x * at for x, at in zip(w, point, strict=True)), size, unit)
        weight = on_curve * (unit - on_curve) // (unit**2 // (4 * heaviest))
        # b and c are never both there, and each is its own square.
        pairs = [w[i] * w[j] for i in range(5) for j in range(i, 5) if i < 3 or j < 3]
        found["moments"].append(pairs)
        found["outcomes"].append([x * (unit // 2 - unit * row[0]) for x in w])
        found["last"].append([x * (on_curve - unit // 2) for x in w])
        found["weighted"].append([x * weight for x in pairs])
    return found


def points() -> Iterator[tuple[int, ...]]:
    far = 8 * 2**16
    yield (0, 0, 0, 0, 0)
    yield (far, 0, 0, 0, 0)
    yield (far // 5, -far // 2, far // 3, far // 4, -far // 2)


@pytest.mark.parametrize("max_rows", [1_000, 10**9, 10**11])
def test_a_scan_adds_up_what_the_definition_says(max_rows: int, tmp_path: Path) -> None:
    """M30: whole numbers of any size, at any point; none of them overflows."""
    blueprint, mechanism, rows = prepared(CAME, max_rows)
    types = [sql_type(column) for column in blueprint.schema.columns]
    engine = DuckDBEngine(write_codes(tmp_path / "t.duckdb", types, rows * 3), seconds=60)
    for point in points():
        curve = curve_at(point, mechanism.design, mechanism.lattice)
        for name, vectors in contributions(rows * 3, mechanism, point).items():
            one: Draw = getattr(mechanism.draws, name)
            measures = tuple({m: None for r in one.readings for m, _ in r.weights})
            request = replace(blueprint.requests[0], measures=measures, curve=curve)
            (cell,) = engine.answer(request)
            known = dict(zip(measures, cell, strict=True))
            found = [reading.exact(known) for reading in one.readings]
            assert found == [sum(column) for column in zip(*vectors, strict=True)]


@pytest.mark.parametrize("outcome", [CAME, BIT])
@pytest.mark.parametrize("unit", [PrivacyUnit(), PrivacyUnit("person", 3)])
@pytest.mark.parametrize("group", [1, 2])
@pytest.mark.parametrize("relation", list(Neighbouring))
def test_a_group_of_people_with_all_their_rows_stays_within_every_reach(
    relation: Neighbouring, group: int, unit: PrivacyUnit, outcome: Any
) -> None:
    """M31: the largest that they can be, alike, and replaced by the farthest ones or by none."""
    more = {"neighbouring": relation, "group_size": group, "unit": unit}
    _, mechanism, rows = prepared(outcome, 10**6, **more)
    times = group * unit.max_rows_per_unit
    for point in points():
        for name, vectors in contributions(rows, mechanism, point).items():
            one: Draw = getattr(mechanism.draws, name)
            found = np.array([[0] * len(vectors[0]), *vectors], dtype=object)
            if relation is Neighbouring.CHANGE_ONE:
                found = (found[:, None] - found).reshape(-1, found.shape[1])
            assert int(abs(found).sum(axis=1).max()) * times <= one.reach.l1
            assert int((found**2).sum(axis=1).max()) * times**2 <= one.reach.l2_squared
