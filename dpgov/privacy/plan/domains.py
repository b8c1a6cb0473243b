"""Declared domains: checked when an owner writes them down, from what they know without looking.

Must never see data. Whatever is accepted here can be stored as a lattice code, added up exactly
and protected by noise within the sampler's safe range.
"""

import re
import unicodedata
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from dpgov.language.said import said, sentences
from dpgov.privacy.accounting.decimals import InvalidNumber, read_decimal
from dpgov.privacy.plan.calendar import DateStep, NotADate, PeriodSpan, number_of, span_of
from dpgov.privacy.plan.formula import Formula
from dpgov.privacy.plan.layouts import read_layout
from dpgov.privacy.plan.schema import (
    LARGEST_SUM,
    CategoryDomain,
    ColumnSpec,
    DatasetSchema,
    DateDomain,
    InvalidDomain,
    MissingRule,
    NumericDomain,
)

MAX_CATEGORIES = 1_000
MAX_NAME_LENGTH = 200
MAX_GROUP_SIZE = 1_000
# Domains by their texts: the columns that questions are asked about come again with each of them.
_KEPT = 1_000


@lru_cache(maxsize=_KEPT)
def numeric_domain(lower: str, upper: str, step: str) -> NumericDomain:
    """Bounds and step from an owner's exact decimal texts.

    Raises InvalidDomain naming "lower", "upper" or "step": not a number, step not above zero,
    lower not below upper, a bound off the step's grid, or too many steps to add up exactly.
    """
    low, high, width = (_number(name, text) for name, text in _named(lower, upper, step))
    if width <= 0:
        raise InvalidDomain("step", said("The step must be above zero, like 1 or 0.01."))
    if low == high:
        raise InvalidDomain("upper", said("The upper bound must be above the lower bound."))
    if low > high:
        raise InvalidDomain(
            "upper",
            said(
                "The upper bound {upper} is below the lower bound {lower}.",
                upper=f"{high:f}",
                lower=f"{low:f}",
            ),
        )
    for field, bound in (("lower", low), ("upper", high)):
        _check_on_grid(field, bound, width)
    return NumericDomain(low, high, width)


def _named(lower: str, upper: str, step: str) -> tuple[tuple[str, str], ...]:
    return (("lower", lower), ("upper", upper), ("step", step))


def _number(field: str, text: str) -> Decimal:
    try:
        return read_decimal(text)
    except InvalidNumber as problem:
        raise InvalidDomain(field, _about(field, str(problem))) from problem


def _about(field: str, problem: str) -> str:
    if field == "step":
        return said("The step {problem}", problem=problem)
    if field == "lower":
        return said("The lower bound {problem}", problem=problem)
    return said("The upper bound {problem}", problem=problem)


def _check_on_grid(field: str, bound: Decimal, step: Decimal) -> None:
    steps = Fraction(bound) / Fraction(step)
    if steps.denominator != 1:
        width = f"{step:f}"
        raise InvalidDomain(
            field,
            said("The lower bound must be a whole multiple of the step {step}.", step=width)
            if field == "lower"
            else said("The upper bound must be a whole multiple of the step {step}.", step=width),
        )
    if abs(steps) > LARGEST_SUM:
        raise InvalidDomain(
            "step", said("The step is too small for these bounds; choose a larger one.")
        )


_ZONE = re.compile(r"[A-Za-z][A-Za-z0-9_+/-]{0,63}", re.ASCII)


def date_domain(
    lower: str, upper: str, step: str, layout: str = "", zone: str = "UTC"
) -> DateDomain:
    """Dates from an owner's texts: the periods that hold the first and the last one.

    Raises InvalidDomain naming "lower", "upper", "step", "date_format" or "time_zone".
    Whether there is such a zone is the caller's to know.
    """
    try:
        unit = DateStep(step)
    except ValueError as problem:
        raise InvalidDomain(
            "step", said("Choose a step: {steps}.", steps=", ".join(DateStep))
        ) from problem
    first = number_of(unit, _named_span("lower", lower).start)
    last = number_of(unit, _named_span("upper", upper).end - 1)
    if last <= first:
        raise InvalidDomain("upper", said("The last date must lie after the first one."))
    if not _ZONE.fullmatch(zone):
        raise InvalidDomain("time_zone", said("Name a time zone, like Europe/Berlin or UTC."))
    top = Decimal(int(last - first))
    return DateDomain(
        Decimal(0), top, Decimal(1), unit, int(first), read_layout(layout, unit), zone
    )


def _named_span(field: str, text: str) -> PeriodSpan:
    try:
        return span_of(text)
    except NotADate as problem:
        raise InvalidDomain(field, problem.args[0]) from problem


def category_domain(categories: Sequence[str]) -> CategoryDomain:
    """The categories that an owner declared, in that order, spaces around them removed.

    Raises InvalidDomain("categories") for none, too many, empty, too long, repeated ones or
    invisible control characters.
    """
    if not 1 <= len(categories) <= MAX_CATEGORIES:
        raise InvalidDomain(
            "categories", said("Declare 1 to {most} categories.", most=MAX_CATEGORIES)
        )
    names = tuple(_clean("categories", said("A category"), name) for name in categories)
    for position, name in enumerate(names):
        if name in names[:position]:
            raise InvalidDomain(
                "categories", said("The category “{category}” is there twice.", category=name)
            )
    return CategoryDomain(names)


def _clean(field: str, what: str, name: object) -> str:
    if not isinstance(name, str) or not name.strip():
        raise InvalidDomain(field, said("{what} must be text and not empty.", what=what))
    text = name.strip()
    if len(text) > MAX_NAME_LENGTH:
        raise InvalidDomain(
            field,
            said("{what} can have at most {most} characters.", what=what, most=MAX_NAME_LENGTH),
        )
    if any(unicodedata.category(character).startswith("C") for character in text):
        raise InvalidDomain(
            field, said("{what} must not contain invisible control characters.", what=what)
        )
    return text


def column_spec(
    name: str,
    domain: NumericDomain | CategoryDomain,
    missing: MissingRule | str,
    impute: str,
    formula: Formula | None = None,
) -> ColumnSpec:
    """A queryable column. `impute` is used with the impute rule alone, and must be in the domain.

    Raises InvalidDomain naming "name", "missing" or "impute".
    """
    clean_name = _clean("name", said("A column's name"), name)
    try:
        rule = MissingRule(missing)
    except ValueError as problem:
        raise InvalidDomain(
            "missing", said("Choose to drop or to impute missing values, or that there are none.")
        ) from problem
    if rule is not MissingRule.IMPUTE:
        return ColumnSpec(clean_name, domain, rule, formula=formula)
    return ColumnSpec(clean_name, domain, rule, _impute_code(domain, impute), formula)


def _impute_code(domain: NumericDomain | CategoryDomain, impute: str) -> int:
    if isinstance(domain, CategoryDomain):
        if impute.strip() not in domain.categories:
            raise InvalidDomain("impute", said("The value to use must be one of the categories."))
        return domain.categories.index(impute.strip())
    if isinstance(domain, DateDomain):
        return _date_code(domain, impute)
    try:
        value = read_decimal(impute)
    except InvalidNumber as problem:
        raise InvalidDomain(
            "impute", said("The value to use {problem}", problem=str(problem))
        ) from problem
    code = Fraction(value - domain.lower) / Fraction(domain.step)
    if code.denominator != 1 or not 0 <= code <= domain.top:
        raise InvalidDomain(
            "impute",
            said("The value to use must lie within the bounds, a whole number of steps apart."),
        )
    return code.numerator


def _date_code(domain: DateDomain, impute: str) -> int:
    code = number_of(domain.unit, _named_span("impute", impute).start) - domain.first
    if not 0 <= code <= domain.top:
        raise InvalidDomain("impute", said("The date to use must lie within the bounds."))
    return int(code)


def check_capacity(schema: DatasetSchema) -> None:
    """Refuse, when a dataset is registered, whatever could not be added up exactly later.

    Raises InvalidDomain("max_rows") when `max_rows` times a column's largest value in steps, and
    InvalidDomain("group_size") when the influence of a group on a sum, could pass LARGEST_SUM.
    """
    if not 1 <= schema.max_rows <= LARGEST_SUM:
        raise InvalidDomain(
            "max_rows", said("The row limit must be from 1 to {most}.", most=LARGEST_SUM)
        )
    if not 1 <= schema.group_size <= MAX_GROUP_SIZE:
        raise InvalidDomain(
            "group_size", said("The group size must be from 1 to {most}.", most=MAX_GROUP_SIZE)
        )
    if schema.unit.max_rows_per_unit < 1:
        raise InvalidDomain("max_rows_per_unit", said("A unit must be allowed at least one row."))
    for column in schema.columns:
        if isinstance(column.domain, NumericDomain):
            _check_sums(schema, column.name, column.domain)


def sums_stay_exact(schema: DatasetSchema, domain: NumericDomain) -> bool:
    """Whether all rows of a column, and what a group can move, are added up exactly."""
    return _rows_fit(schema, domain) and _groups_fit(schema, domain)


def _rows_fit(schema: DatasetSchema, domain: NumericDomain) -> bool:
    return schema.max_rows * _largest(domain) <= LARGEST_SUM


def _groups_fit(schema: DatasetSchema, domain: NumericDomain) -> bool:
    most = 2 * schema.group_size * schema.unit.max_rows_per_unit
    return most * _largest(domain) <= LARGEST_SUM


def _largest(domain: NumericDomain) -> int:
    return max(abs(domain.lower_steps), abs(domain.upper_steps), domain.top)


def _check_sums(schema: DatasetSchema, name: str, domain: NumericDomain) -> None:
    if not _rows_fit(schema, domain):
        raise InvalidDomain(
            "max_rows",
            said(
                "Sums of {column} could not be kept exact: {rows} rows of up to {largest} steps "
                "pass {most}. Choose a larger step, narrower bounds or a lower limit.",
                column=name,
                rows=schema.max_rows,
                largest=_largest(domain),
                most=LARGEST_SUM,
            ),
        )
    if not _groups_fit(schema, domain):
        raise _group_too_large(schema, name)


def _group_too_large(schema: DatasetSchema, name: str) -> InvalidDomain:
    moved = said(
        "A group of {size} could move sums of {column} too far.",
        size=schema.group_size,
        column=name,
    )
    if schema.unit.max_rows_per_unit == 1:
        mended = said("Choose a smaller group, a larger step or narrower bounds.")
        return InvalidDomain("group_size", sentences(moved, mended))
    mended = said("Choose a smaller group, fewer rows of each, a larger step or narrower bounds.")
    return InvalidDomain("max_rows_per_unit", sentences(moved, mended))
