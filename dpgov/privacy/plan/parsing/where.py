"""The filters of a plan from JSON. Part of `parsing`; must never look at data."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from dpgov.language.said import said
from dpgov.privacy.accounting.decimals import InvalidNumber, decimal_text, read_decimal
from dpgov.privacy.plan.calendar import NotADate, span_of
from dpgov.privacy.plan.parsing.counted import as_counted
from dpgov.privacy.plan.plan import (
    CATEGORY_OPERATORS,
    MISSING_OPERATORS,
    NUMERIC_OPERATORS,
    Compound,
    Condition,
    Connective,
    Filter,
)
from dpgov.privacy.plan.problems import Problems, shortened, suggesting
from dpgov.privacy.plan.schema import CategoryDomain, ColumnSpec, DatasetSchema, DateDomain

MAX_VALUES = 1_000
MAX_FILTERS = 50
MAX_DEPTH = 10
_KEYS = ("column", "op", "value")


def read_column(
    path: str, raw: object, schema: DatasetSchema, problems: Problems
) -> ColumnSpec | None:
    """The queryable column of that name, else None and a problem that names it."""
    name = problems.choice(path, raw, [column.name for column in schema.columns], "column")
    index = schema.index_of(name) if name is not None else None
    return None if index is None else schema.columns[index]


def read_filters(
    path: str, raw: object, schema: DatasetSchema, problems: Problems
) -> tuple[Filter, ...]:
    """Filters that all hold at once; MAX_FILTERS conditions in all, however deep."""
    found = _filters(path, raw, schema, problems, depth=0, least=0)
    many = sum(1 for item in found for _ in _leaves(item))
    if many > MAX_FILTERS:
        problems.add(
            path,
            said(
                "At most {most} conditions are answered at once, not {number}.",
                most=MAX_FILTERS,
                number=many,
            ),
        )
    return found


def _leaves(item: Filter) -> Iterator[Condition]:
    if isinstance(item, Condition):
        yield item
    else:
        for member in item.members:
            yield from _leaves(member)


def _filters(
    path: str, raw: object, schema: DatasetSchema, problems: Problems, *, depth: int, least: int
) -> tuple[Filter, ...]:
    entries = problems.items(path, raw, least=least, most=MAX_FILTERS)
    read = (
        _filter(f"{path}.{position}", entry, schema, problems, depth)
        for position, entry in enumerate(entries)
    )
    return tuple(item for item in read if item is not None)


def _filter(
    path: str, raw: object, schema: DatasetSchema, problems: Problems, depth: int
) -> Filter | None:
    joint = next((j for j in Connective if isinstance(raw, dict) and j.value in raw), None)
    if joint is None or not isinstance(raw, dict):
        return _condition(path, raw, schema, problems, MAX_DEPTH - depth)
    if problems.mapping(path, raw, (joint.value,)) is None or len(raw) > 1:
        return None
    if depth >= MAX_DEPTH:
        problems.add(path, said("Filters can be nested at most {most} deep.", most=MAX_DEPTH))
        return None
    inner = f"{path}.{joint.value}"
    if joint is Connective.NOT:
        member = _filter(inner, raw["not"], schema, problems, depth + 1)
        return None if member is None else Compound(joint, (member,))
    members = _filters(inner, raw[joint.value], schema, problems, depth=depth + 1, least=1)
    return Compound(joint, members) if members else None


def _condition(
    path: str, raw: object, schema: DatasetSchema, problems: Problems, room: int
) -> Filter | None:
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
    if values is None:
        return None
    if isinstance(spec.domain, CategoryDomain):
        return Condition(spec.name, op, values)
    written = Condition(spec.name, op, values, numeric=not isinstance(spec.domain, DateDomain))
    return as_counted(written, spec.domain, room=room, most=MAX_VALUES)


def _missing(
    path: str, op: str, body: Mapping[str, Any], spec: ColumnSpec, problems: Problems
) -> Condition | None:
    if body.get("value") is not None:
        problems.add(f"{path}.value", said("{operator} takes no value; leave it out.", operator=op))
    if not spec.may_be_missing:
        problems.add(
            f"{path}.op",
            said(
                "“{column}” has no missing values: a fixed value stands in for them.",
                column=shortened(spec.name),
            ),
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
    if values is not None and rank_of(values[0], spec) > rank_of(values[1], spec):
        message = said("{low} is above {high}; swap them.", low=values[0], high=values[1])
        problems.add(f"{path}.value", message)
        return None
    return values


def rank_of(value: str, spec: ColumnSpec) -> Decimal:
    """What orders the values of a column of numbers or dates."""
    if isinstance(spec.domain, DateDomain):
        return Decimal(span_of(value).start)
    return read_decimal(value)


def _all(
    path: str, entries: list[Any], spec: ColumnSpec, problems: Problems, *, distinct: bool
) -> tuple[str, ...] | None:
    values: list[str] = []
    for position, entry in enumerate(entries):
        value = _value(f"{path}.value.{position}", entry, spec, problems)
        if value is None:
            continue
        if distinct and value in values:
            message = said("“{name}” is there twice.", name=shortened(value))
            problems.add(f"{path}.value.{position}", message)
        values.append(value)
    return tuple(values) if entries and len(values) == len(entries) else None


def _value(path: str, raw: object, spec: ColumnSpec, problems: Problems) -> str | None:
    if isinstance(spec.domain, CategoryDomain):
        return read_category(path, raw, spec.domain, problems)
    if isinstance(spec.domain, DateDomain):
        return read_date(path, raw, problems)
    return read_number(path, raw, problems)


def read_date(path: str, raw: object, problems: Problems) -> str | None:
    """A period in ISO 8601 in its one spelling, else None and a problem."""
    try:
        span_of(raw)
    except NotADate as problem:
        problems.add(path, problem.args[0])
        return None
    return str(raw).strip().upper().replace(" ", "T")


def read_category(path: str, raw: object, domain: CategoryDomain, problems: Problems) -> str | None:
    """A declared category, else None and a problem."""
    if raw is None:
        refusal = said("Give a category.")
        problems.add(path, suggesting(refusal, None, domain.categories))
        return None
    return problems.choice(path, raw, domain.categories, "category")


def read_number(path: str, raw: object, problems: Problems) -> str | None:
    """The one decimal spelling of a number, else None and a problem."""
    try:
        return decimal_text(read_decimal(raw))
    except InvalidNumber as problem:
        problems.add(path, said("The value {problem}", problem=str(problem)))
        return None
