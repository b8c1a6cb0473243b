"""One filter of a plan from JSON. Part of `parsing`; must never look at data."""

from collections.abc import Mapping
from typing import Any

from dpgov.privacy.decimals import InvalidNumber, decimal_text, read_decimal
from dpgov.privacy.plan import (
    CATEGORY_OPERATORS,
    MISSING_OPERATORS,
    NUMERIC_OPERATORS,
    Condition,
)
from dpgov.privacy.problems import Problems, quoted, suggestion
from dpgov.privacy.schema import CategoryDomain, ColumnSpec, DatasetSchema

MAX_VALUES = 1_000
_KEYS = ("column", "op", "value")


def read_column(
    path: str, raw: object, schema: DatasetSchema, problems: Problems
) -> ColumnSpec | None:
    """The queryable column of that name, else None and a problem that names it."""
    name = problems.choice(path, raw, [column.name for column in schema.columns], "column")
    index = schema.index_of(name) if name is not None else None
    return None if index is None else schema.columns[index]


def read_condition(
    path: str, raw: object, schema: DatasetSchema, problems: Problems
) -> Condition | None:
    """A condition with its values in their one spelling, else None and what is wrong."""
    body = problems.mapping(path, raw, _KEYS)
    if body is None:
        return None
    spec = read_column(f"{path}.column", body.get("column"), schema, problems)
    if spec is None:
        return None
    categories = isinstance(spec.domain, CategoryDomain)
    known = (CATEGORY_OPERATORS if categories else NUMERIC_OPERATORS) + MISSING_OPERATORS
    op = problems.choice(f"{path}.op", body.get("op"), known, "operator")
    if op is None:
        return None
    if op in MISSING_OPERATORS:
        return _missing(path, op, body, spec, problems)
    values = _values(path, op, body.get("value"), spec, problems)
    return None if values is None else Condition(spec.name, op, values, numeric=not categories)


def _missing(
    path: str, op: str, body: Mapping[str, Any], spec: ColumnSpec, problems: Problems
) -> Condition | None:
    if body.get("value") is not None:
        problems.add(f"{path}.value", f"{op} takes no value; leave it out.")
    if not spec.may_be_missing:
        problems.add(
            f"{path}.op",
            f"{quoted(spec.name)} has no missing values: a fixed value stands in for them.",
        )
        return None
    return Condition(spec.name, op, (), numeric=not isinstance(spec.domain, CategoryDomain))


def _values(
    path: str, op: str, raw: object, spec: ColumnSpec, problems: Problems
) -> tuple[str, ...] | None:
    if op == "between":
        return _between(path, raw, spec, problems)
    if op != "in":
        one = _value(f"{path}.value", raw, spec, problems)
        return None if one is None else (one,)
    entries = problems.items(f"{path}.value", raw, least=1, most=MAX_VALUES)
    return _all(path, entries, spec, problems, distinct=True)


def _between(
    path: str, raw: object, spec: ColumnSpec, problems: Problems
) -> tuple[str, ...] | None:
    entries = problems.items(f"{path}.value", raw, least=2, most=2)
    values = _all(path, entries, spec, problems, distinct=False)
    if values is not None and read_decimal(values[0]) > read_decimal(values[1]):
        problems.add(f"{path}.value", f"{values[0]} is above {values[1]}; swap them.")
        return None
    return values


def _all(
    path: str, entries: list[Any], spec: ColumnSpec, problems: Problems, *, distinct: bool
) -> tuple[str, ...] | None:
    values: list[str] = []
    for position, entry in enumerate(entries):
        value = _value(f"{path}.value.{position}", entry, spec, problems)
        if value is None:
            continue
        if distinct and value in values:
            problems.add(f"{path}.value.{position}", f"{quoted(value)} is there twice.")
        values.append(value)
    return tuple(values) if entries and len(values) == len(entries) else None


def _value(path: str, raw: object, spec: ColumnSpec, problems: Problems) -> str | None:
    if isinstance(spec.domain, CategoryDomain):
        return read_category(path, raw, spec.domain, problems)
    return read_number(path, raw, problems)


def read_category(path: str, raw: object, domain: CategoryDomain, problems: Problems) -> str | None:
    """A declared category, else None and a problem."""
    if raw is None:
        problems.add(path, f"Give a category.{suggestion(None, domain.categories)}")
        return None
    return problems.choice(path, raw, domain.categories, "category")


def read_number(path: str, raw: object, problems: Problems) -> str | None:
    """The one decimal spelling of a number, else None and a problem."""
    try:
        return decimal_text(read_decimal(raw))
    except InvalidNumber as problem:
        problems.add(path, f"The value {problem}")
        return None
