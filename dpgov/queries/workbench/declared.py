"""Whether two versions of the data say the same of what a question reads.

Where they do not, their answers differ without any difference in the data: a sum within wider
bounds is another sum, and whoever is missing may be counted in one and left out of the other. Knows
declarations alone.
"""

from collections.abc import Iterator
from typing import Any

from dpgov.privacy.plan.schema import CategoryDomain, ColumnSpec, DatasetSchema

_OF_ONE, _OF_SEVERAL = ("column",), ("predictors", "of")


def declared_alike(plan: dict[str, Any], one: DatasetSchema, other: DatasetSchema) -> bool:
    """Whether both have the same unit, domains and rules for what is missing, as far as it reads.

    A filter or a group names its categories, so that they may stand in another order, or others
    beside them.
    """
    read = set(_named([plan["statistics"], plan.get("computed") or []]))
    beside = set(_named([plan.get("where") or [], plan.get("group_by") or []])) - read
    return (
        one.unit == other.unit
        and all(_is_same(name, one, other) for name in read)
        and all(_is_same(name, one, other, by_names=True) for name in beside)
    )


def _named(part: Any) -> Iterator[str]:
    """The columns that a part of a plan names."""
    if isinstance(part, list):
        for each in part:
            yield from _named(each)
    if not isinstance(part, dict):
        return
    for key, value in part.items():
        if key in _OF_ONE:
            yield value
        elif key in _OF_SEVERAL:
            yield from value
        else:
            yield from _named(value)


def _is_same(
    name: str, one: DatasetSchema, other: DatasetSchema, *, by_names: bool = False
) -> bool:
    mine, theirs = _spec(name, one), _spec(name, other)
    if mine is None or theirs is None:
        return mine is theirs
    operands = mine.formula.operands if mine.formula else ()
    if mine.formula != theirs.formula or not all(_is_same(of, one, other) for of in operands):
        return False
    return mine == theirs or (by_names and None is not _missing(mine) == _missing(theirs))


def _spec(name: str, schema: DatasetSchema) -> ColumnSpec | None:
    place = schema.index_of(name)
    return None if place is None else schema.columns[place]


def _missing(spec: ColumnSpec) -> tuple[str, str] | None:
    """What becomes of a missing category, in words; None of numbers."""
    if not isinstance(spec.domain, CategoryDomain):
        return None
    code, names = spec.impute_code, spec.domain.categories
    return spec.missing.value, names[code] if code is not None and code < len(names) else ""
