"""Declared domains: checked when an owner writes them down, from what they know without looking.

Must never see data. Whatever is accepted here can be stored as a lattice code, added up exactly
and protected by noise within the sampler's safe range.
"""

import unicodedata
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

from dpgov.privacy.decimals import InvalidNumber, read_decimal
from dpgov.privacy.schema import (
    LARGEST_SUM,
    CategoryDomain,
    ColumnSpec,
    DatasetSchema,
    InvalidDomain,
    MissingRule,
    NumericDomain,
)

MAX_CATEGORIES = 1_000
MAX_NAME_LENGTH = 200
MAX_GROUP_SIZE = 1_000


def numeric_domain(lower: str, upper: str, step: str) -> NumericDomain:
    """Bounds and step from an owner's exact decimal texts.

    Raises InvalidDomain naming "lower", "upper" or "step": not a number, step not above zero,
    lower not below upper, a bound off the step's grid, or too many steps to add up exactly.
    """
    low, high, width = (_number(name, text) for name, text in _named(lower, upper, step))
    if width <= 0:
        raise InvalidDomain("step", "The step must be above zero, like 1 or 0.01.")
    if low == high:
        raise InvalidDomain("upper", "The upper bound must be above the lower bound.")
    if low > high:
        raise InvalidDomain("upper", f"The upper bound {high:f} is below the lower bound {low:f}.")
    for field, bound in (("lower", low), ("upper", high)):
        _check_on_grid(field, bound, width)
    return NumericDomain(low, high, width)


def _named(lower: str, upper: str, step: str) -> tuple[tuple[str, str], ...]:
    return (("lower", lower), ("upper", upper), ("step", step))


def _number(field: str, text: str) -> Decimal:
    try:
        return read_decimal(text)
    except InvalidNumber as problem:
        raise InvalidDomain(field, f"The {_words(field)} {problem}") from problem


def _words(field: str) -> str:
    return "step" if field == "step" else f"{field} bound"


def _check_on_grid(field: str, bound: Decimal, step: Decimal) -> None:
    steps = Fraction(bound) / Fraction(step)
    if steps.denominator != 1:
        raise InvalidDomain(
            field, f"The {field} bound must be a whole multiple of the step {step:f}."
        )
    if abs(steps) > LARGEST_SUM:
        raise InvalidDomain("step", "The step is too small for these bounds; choose a larger one.")


def category_domain(categories: Sequence[str]) -> CategoryDomain:
    """The categories that an owner declared, in that order, spaces around them removed.

    Raises InvalidDomain("categories") for none, too many, empty, too long, repeated ones or
    invisible control characters.
    """
    if not 1 <= len(categories) <= MAX_CATEGORIES:
        raise InvalidDomain("categories", f"Declare 1 to {MAX_CATEGORIES} categories.")
    names = tuple(_clean("categories", "A category", name) for name in categories)
    for position, name in enumerate(names):
        if name in names[:position]:
            raise InvalidDomain("categories", f"The category “{name}” is there twice.")
    return CategoryDomain(names)


def _clean(field: str, what: str, name: object) -> str:
    if not isinstance(name, str) or not name.strip():
        raise InvalidDomain(field, f"{what} must be text and not empty.")
    text = name.strip()
    if len(text) > MAX_NAME_LENGTH:
        raise InvalidDomain(field, f"{what} can have at most {MAX_NAME_LENGTH} characters.")
    if any(unicodedata.category(character).startswith("C") for character in text):
        raise InvalidDomain(field, f"{what} must not contain invisible control characters.")
    return text


def column_spec(
    name: str,
    domain: NumericDomain | CategoryDomain,
    missing: MissingRule | str,
    impute: str,
) -> ColumnSpec:
    """A queryable column. `impute` is used with the impute rule alone, and must be in the domain.

    Raises InvalidDomain naming "name", "missing" or "impute".
    """
    clean_name = _clean("name", "A column's name", name)
    try:
        rule = MissingRule(missing)
    except ValueError as problem:
        raise InvalidDomain("missing", "Choose to drop or to impute missing values.") from problem
    if rule is MissingRule.DROP:
        return ColumnSpec(clean_name, domain, rule)
    return ColumnSpec(clean_name, domain, rule, _impute_code(domain, impute))


def _impute_code(domain: NumericDomain | CategoryDomain, impute: str) -> int:
    if isinstance(domain, CategoryDomain):
        if impute.strip() not in domain.categories:
            raise InvalidDomain("impute", "The value to use must be one of the categories.")
        return domain.categories.index(impute.strip())
    try:
        value = read_decimal(impute)
    except InvalidNumber as problem:
        raise InvalidDomain("impute", f"The value to use {problem}") from problem
    code = Fraction(value - domain.lower) / Fraction(domain.step)
    if code.denominator != 1 or not 0 <= code <= domain.top:
        raise InvalidDomain(
            "impute", "The value to use must lie within the bounds, a whole number of steps apart."
        )
    return code.numerator


def check_capacity(schema: DatasetSchema) -> None:
    """Refuse, when a dataset is registered, whatever could not be added up exactly later.

    Raises InvalidDomain("max_rows") when `max_rows` times a column's largest value in steps, and
    InvalidDomain("group_size") when the influence of a group on a sum, could pass LARGEST_SUM.
    """
    if not 1 <= schema.max_rows <= LARGEST_SUM:
        raise InvalidDomain("max_rows", f"The row limit must be from 1 to {LARGEST_SUM}.")
    if not 1 <= schema.group_size <= MAX_GROUP_SIZE:
        raise InvalidDomain("group_size", f"The group size must be from 1 to {MAX_GROUP_SIZE}.")
    if schema.unit.max_rows_per_unit < 1:
        raise InvalidDomain("max_rows_per_unit", "A unit must be allowed at least one row.")
    for column in schema.columns:
        if isinstance(column.domain, NumericDomain):
            _check_sums(schema, column.name, column.domain)


def _check_sums(schema: DatasetSchema, name: str, domain: NumericDomain) -> None:
    largest = max(abs(domain.lower_steps), abs(domain.upper_steps), domain.top)
    if schema.max_rows * largest > LARGEST_SUM:
        raise InvalidDomain(
            "max_rows",
            f"Sums of {name} could not be kept exact: {schema.max_rows} rows of up to {largest} "
            f"steps pass {LARGEST_SUM}. Choose a larger step, narrower bounds or a lower limit.",
        )
    if 2 * schema.group_size * schema.unit.max_rows_per_unit * largest > LARGEST_SUM:
        alone = schema.unit.max_rows_per_unit == 1
        raise InvalidDomain(
            "group_size" if alone else "max_rows_per_unit",
            f"A group of {schema.group_size} could move sums of {name} too far. Choose a smaller "
            f"group, {'' if alone else 'fewer rows of each, '}a larger step or narrower bounds.",
        )
