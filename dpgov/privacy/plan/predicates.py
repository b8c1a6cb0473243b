"""Conditions of a plan as ranges of lattice codes.

A condition compares the stored value: clipped to its bounds and rounded to its step. Thresholds
may lie off the lattice or outside the bounds; they are placed exactly, as fractions. A missing
value passes `is_missing` and nothing else, `!=` included, as in SQL.
"""

from collections.abc import Iterable
from fractions import Fraction
from itertools import combinations

from dpgov.language.said import said
from dpgov.privacy.plan.calendar import number_of, span_of, start_of
from dpgov.privacy.plan.plan import Compound, Condition, Connective, Filter
from dpgov.privacy.plan.request import AllOf, AnyOf, CodeFilter, RowFilter
from dpgov.privacy.plan.schema import (
    CategoryDomain,
    ColumnSpec,
    DatasetSchema,
    DateDomain,
    NumericDomain,
)

Range = tuple[int, int]


def code_filter(condition: Condition, column: int, spec: ColumnSpec) -> CodeFilter:
    """The filter over codes of column number `column` that means the same as the condition."""
    if condition.op == "is_missing":
        return CodeFilter(column, (), missing_passes=True)
    if isinstance(spec.domain, CategoryDomain):
        return CodeFilter(column, _category_ranges(condition, spec.domain))
    if isinstance(spec.domain, DateDomain):
        return CodeFilter(column, _tidy(_date_ranges(condition, spec.domain), spec.domain.top))
    return CodeFilter(column, _numeric_ranges(condition, spec.domain))


def row_filter(condition: Filter, schema: DatasetSchema) -> RowFilter:
    """A filter of a plan over codes; a “not” is moved inwards until it stands at conditions.

    “Not present” is missing; every other negated condition leaves missing values out.
    """
    return _row_filter(condition, schema, negated=False)


def _row_filter(condition: Filter, schema: DatasetSchema, *, negated: bool) -> RowFilter:
    if isinstance(condition, Compound):
        if condition.joint is Connective.NOT:
            return _row_filter(condition.members[0], schema, negated=not negated)
        members = tuple(_row_filter(m, schema, negated=negated) for m in condition.members)
        return AllOf(members) if (condition.joint is Connective.AND) != negated else AnyOf(members)
    index = schema.index_of(condition.column)
    if index is None:
        raise UnknownColumn(condition.column)
    spec = schema.columns[index]
    if negated and condition.op == "is_present":
        return CodeFilter(index, (), missing_passes=True)
    found = code_filter(condition, index, spec)
    return _negated(found, spec) if negated else found


def never_holds(item: RowFilter) -> bool:
    """Whether no row can pass, by the declared bounds alone: age above 200 where it ends at 110.

    Of conditions that are joined by “and”, two of one column that exclude each other are found too.
    """
    if isinstance(item, CodeFilter):
        return not item.ranges and not item.missing_passes
    found = [never_holds(member) for member in item.members]
    if not isinstance(item, AllOf):
        return all(found)
    single = [member for member in item.members if isinstance(member, CodeFilter)]
    return any(found) or any(_apart(*two) for two in combinations(single, 2))


def _apart(one: CodeFilter, other: CodeFilter) -> bool:
    """Whether no value of a column passes both."""
    if one.column != other.column or (one.missing_passes and other.missing_passes):
        return False
    # In order, whoever has begun last begins behind whatever ended before, or both share a value.
    ends = sorted(
        (low, high, number) for number, each in enumerate((one, other)) for low, high in each.ranges
    )
    reached = [-1, -1]
    for low, high, number in ends:
        if low <= reached[1 - number]:
            return False
        reached[number] = max(reached[number], high)
    return True


class UnknownColumn(ValueError):
    """The plan speaks of a column that the schema no longer has."""

    def __init__(self, column: str) -> None:
        super().__init__(said("The column “{column}” is no longer there.", column=column))


def _negated(item: CodeFilter, spec: ColumnSpec) -> CodeFilter:
    """Everything else but null, which passes no negated comparison; “not missing” is present."""
    top = spec.domain.other if isinstance(spec.domain, CategoryDomain) else spec.domain.top
    starts = [0, *(high + 1 for _, high in item.ranges)]
    ends = [*(low - 1 for low, _ in item.ranges), top]
    return CodeFilter(item.column, _tidy(zip(starts, ends, strict=True), top))


def place(text: str, domain: NumericDomain) -> Fraction:
    """Where a number lies on the lattice of codes; a whole number when it is on it."""
    return (Fraction(text) - Fraction(domain.lower)) / Fraction(domain.step)


def at_least(position: Fraction) -> int:
    """The smallest code that is not below a place."""
    return -((-position.numerator) // position.denominator)


def at_most(position: Fraction) -> int:
    """The largest code that is not above a place."""
    return position.numerator // position.denominator


def _numeric_ranges(condition: Condition, domain: NumericDomain) -> tuple[Range, ...]:
    places = [place(text, domain) for text in condition.values]
    return _tidy(_raw_ranges(condition.op, places, domain.top), domain.top)


def _raw_ranges(op: str, places: list[Fraction], top: int) -> list[Range]:
    match op:
        case "is_present":
            return [(0, top)]
        case "=" | "in":
            return [_exactly(position) for position in places]
        case "!=":
            low, high = _exactly(places[0])
            return [(0, low - 1), (high + 1, top)]
        case "<":
            return [(0, at_least(places[0]) - 1)]
        case "<=":
            return [(0, at_most(places[0]))]
        case ">":
            return [(at_most(places[0]) + 1, top)]
        case ">=":
            return [(at_least(places[0]), top)]
        case "between":
            return [(at_least(places[0]), at_most(places[1]))]
    raise AssertionError(f"parsing let an unknown operator through: {op}")


def _exactly(position: Fraction) -> Range:
    """The one code at a place; an empty range, low above high, between two codes."""
    return at_least(position), at_most(position)


def _date_ranges(condition: Condition, domain: DateDomain) -> list[Range]:
    """A date of a condition is a period as a whole: “at most 2024-03” is until the end of March.

    A stored value counts by its first second.
    """
    spans = [span_of(text) for text in condition.values]
    bounds = [(first_code(s.start, domain), first_code(s.end, domain) - 1) for s in spans]
    match condition.op:
        case "is_present":
            return [(0, domain.top)]
        case "=" | "in":
            return bounds
        case "!=":
            return [(0, bounds[0][0] - 1), (bounds[0][1] + 1, domain.top)]
        case "<":
            return [(0, bounds[0][0] - 1)]
        case "<=":
            return [(0, bounds[0][1])]
        case ">":
            return [(bounds[0][1] + 1, domain.top)]
        case ">=":
            return [(bounds[0][0], domain.top)]
        case "between":
            return [(bounds[0][0], bounds[1][1])]
    raise AssertionError(f"parsing let an unknown operator through: {condition.op}")


def first_code(second: int, domain: DateDomain) -> int:
    """The code of the first period that does not begin before a moment."""
    number = int(number_of(domain.unit, second))
    late = start_of(domain.unit, number) < second
    return number + late - domain.first


def _category_ranges(condition: Condition, domain: CategoryDomain) -> tuple[Range, ...]:
    codes = [domain.categories.index(value) for value in condition.values]
    if condition.op == "is_present":
        return ((0, domain.other),)
    if condition.op == "!=":
        raw = [(0, codes[0] - 1), (codes[0] + 1, domain.other)]
    else:
        raw = [(code, code) for code in codes]
    return _tidy(raw, domain.other)


def _tidy(ranges: Iterable[Range], top: int) -> tuple[Range, ...]:
    """Within the domain, ascending, without empty ones, neighbours joined."""
    clipped = sorted((max(low, 0), min(high, top)) for low, high in ranges)
    tidy: list[Range] = []
    for low, high in clipped:
        if low > high:
            continue
        if tidy and low <= tidy[-1][1] + 1:
            tidy[-1] = (tidy[-1][0], max(high, tidy[-1][1]))
        else:
            tidy.append((low, high))
    return tuple(tidy)
