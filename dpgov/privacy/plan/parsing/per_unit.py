"""What a question uses of each unit, from JSON: {"groups": 2, "rows_per_group": 1}."""

from collections.abc import Mapping
from typing import Any

from dpgov.language.said import said
from dpgov.privacy.plan.problems import Problems
from dpgov.privacy.plan.schema import DatasetSchema, PerUnit

_PATH = "per_unit"
_KEYS = ("groups", "rows_per_group")


def read_per_unit(raw: object, schema: DatasetSchema, problems: Problems) -> PerUnit | None:
    """Both limits, whole numbers from 1; None for a problem, and where they leave nothing out.

    A limit above the declared one would promise rows that are never used.
    """
    body = problems.mapping(_PATH, raw, _KEYS)
    if body is None:
        return None
    unit = schema.unit
    if unit.private_id is None:
        problems.add(_PATH, said("No column names the privacy unit here: leave this out."))
        return None
    groups = _limit("groups", body, unit.max_groups_per_unit or unit.max_rows_per_unit, problems)
    rows = _limit("rows_per_group", body, unit.max_rows_per_unit, problems)
    return unit.narrowed(PerUnit(groups, rows))


def _limit(name: str, body: Mapping[str, Any], most: int, problems: Problems) -> int | None:
    number = body.get(name)
    if number is None:
        return None
    if type(number) is int and 1 <= number <= most:
        return number
    message = said("A whole number from 1 to {most}, which is what was declared.", most=most)
    problems.add(f"{_PATH}.{name}", message)
    return None
