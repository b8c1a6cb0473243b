"""Derivations of answers and their bodies, for tests."""

import json
from typing import Any

from dpgov.privacy.plan.schema import DatasetSchema
from dpgov.privacy.reuse.derived import PlanReuse, derive, stored_as
from tests.reference import Row
from tests.unit.privacy.tables import (
    blueprint_of,
    release_of,
    schema_of,
)

EXACT = 1000
"""The largest ε: the noise is a thousandth of a step, so that the true number shows through."""
SEX = {"column": "sex"}
AGES = {"column": "age", "edges": [20, 30, 40, 60, 90]}
MALE = {"column": "sex", "op": "=", "value": "Male"}
SUM_HOURS = {"statistic": "sum", "column": "hours"}
VARIANCE = {"statistic": "variance", "column": "age"}
DEVIATION = {"statistic": "standard_deviation", "column": "hours"}
MEDIAN = {"statistic": "median", "column": "age"}
QUARTERS = {"statistic": "quantiles", "column": "age", "quantiles": [0.25, 0.5]}
ROWS: list[Row] = [(n % 74, n % 98, n % 17, n % 3) for n in range(600)]


def derivation(
    asked: dict[str, Any],
    *stored: dict[str, Any],
    schema: DatasetSchema | None = None,
    together: bool = False,
) -> PlanReuse | None:
    used = schema or schema_of()
    wanted = blueprint_of(asked, used).plan
    plans = [blueprint_of(raw, used) for raw in stored]
    found = [
        stored_as(str(number), one.plan, wanted, used, one) for number, one in enumerate(plans)
    ]
    return derive(wanted, used, [one for one in found if one is not None], together=together)


def released(raw: dict[str, Any], rows: list[Row], schema: DatasetSchema) -> dict[str, Any]:
    """As it is stored: JSON, read again."""
    body: dict[str, Any] = json.loads(json.dumps(release_of(blueprint_of(raw, schema), rows)))
    return body


def made(
    asked: dict[str, Any],
    *stored: dict[str, Any],
    rows: list[Row] | None = None,
    schema: DatasetSchema | None = None,
    together: bool = False,
) -> dict[str, Any]:
    used = schema or schema_of()
    found = derivation(asked, *stored, schema=used, together=together)
    assert found is not None
    bodies = {str(n): released(raw, rows or ROWS, used) for n, raw in enumerate(stored)}
    return found.body(bodies, blueprint_of(asked, used).groups())


def values(body: dict[str, Any], place: int = 0) -> list[float]:
    return [cell["value"] for cell in body["statistics"][place]["cells"]]


def errors(body: dict[str, Any], place: int = 0) -> list[float]:
    return [cell["accuracy"][1]["value"] for cell in body["statistics"][place]["cells"]]
