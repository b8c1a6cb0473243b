"""What a question uses of what is declared, from JSON: narrower bounds, and less of each unit.

The clip of one statistic is {"from": 20, "to": 60}; limits are {"groups": 2, "rows_per_group": 1}.
"""

from collections.abc import Mapping
from typing import Any

from dpgov.language.said import Said, said
from dpgov.privacy.accounting.decimals import decimal_text
from dpgov.privacy.plan.clipping import clipped_domain
from dpgov.privacy.plan.parsing.where import read_number
from dpgov.privacy.plan.plan import Clip
from dpgov.privacy.plan.problems import Problems
from dpgov.privacy.plan.schema import (
    DatasetSchema,
    DateDomain,
    InvalidDomain,
    NumericDomain,
    PerUnit,
)

_ENDS = ("from", "to")
_PER_UNIT, _LIMITS = "per_unit", ("groups", "rows_per_group")


def not_clipped() -> Said:
    """Why another statistic takes none."""
    return said("Only a sum, mean, variance or standard deviation of a number can be clipped.")


def read_clip(
    path: str, raw: object, column: str, schema: DatasetSchema, problems: Problems
) -> Clip | None:
    """Both ends; None for a problem, and for the declared bounds themselves: they clip nothing."""
    domain = next(c.domain for c in schema.columns if c.name == column)
    if isinstance(domain, DateDomain) or not isinstance(domain, NumericDomain):
        problems.add(path, not_clipped())
        return None
    body = problems.mapping(path, raw, _ENDS)
    if body is None:
        return None
    low, high = (_end(path, end, body.get(end), domain, problems) for end in _ENDS)
    if low is None or high is None:
        return None
    try:
        found = clipped_domain(domain, (low, high))
    except InvalidDomain as problem:
        problems.add(f"{path}.{problem.field}", problem.args[0])
        return None
    return None if found.top == domain.top else (low, high)


def _end(path: str, end: str, raw: object, domain: NumericDomain, problems: Problems) -> str | None:
    """An end that is left out is the declared one."""
    if raw is None:
        return decimal_text(domain.lower if end == "from" else domain.upper)
    return read_number(f"{path}.{end}", raw, problems)


def read_per_unit(raw: object, schema: DatasetSchema, problems: Problems) -> PerUnit | None:
    """Both limits, whole numbers from 1; None for a problem, and where they leave nothing out.

    A limit above the declared one would promise rows that are never used.
    """
    body = problems.mapping(_PER_UNIT, raw, _LIMITS)
    if body is None:
        return None
    unit = schema.unit
    if unit.private_id is None:
        problems.add(_PER_UNIT, said("No column names the privacy unit here: leave this out."))
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
    problems.add(f"{_PER_UNIT}.{name}", message)
    return None
