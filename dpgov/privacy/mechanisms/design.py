"""The columns of a regression as whole numbers of comparable size, and their second moments.

A row is a vector w: a constant, a number for each term and the outcome. A column of numbers is
counted from the middle of its bounds, in half steps times a whole factor; a category is 0 or S. All
lie between -S and S, which is public, so that one noise is right for all moments, the sums of
w_i w_j over i <= j. Moments that are others, or nothing, on every table are not drawn: two
indicators of one column are never both 1, and an indicator is its own square.

How far a row moves the vector of its products p, both bounds being reached (add or remove) or never
passed (replaced), over all rows v and u of the declared domains:

- |p(v)| is largest where every number is at a bound and every category has an indicator.
- |p(v) - p(u)|₁: squares lie on one side of zero, so each of them moves once its size, any other
  product twice.
- |p(v) - p(u)|₂² = |p(v)|² + |p(u)|² - 2 p(v)·p(u), and with q_i = v_i u_i the last product is
  ½ ((Σ q)² + Σ q² over numbers - Σ q² over categories). With g categories in common and d numbers
  that is at least ½ S⁴ ((1 + g)²/(1 + d) + 1 - g), by Cauchy and Schwarz.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement
from math import isqrt

from dpgov.language.said import said
from dpgov.privacy.mechanisms.draw import Reading
from dpgov.privacy.noise.sensitivity import Contribution, Exposure, Sensitivity, reach
from dpgov.privacy.plan.parsing.predictors import MAX_TERMS
from dpgov.privacy.plan.plan import InvalidPlan, PlanProblem, Statistic
from dpgov.privacy.plan.request import CodeFilter, Factor, Measure, MeasureKind
from dpgov.privacy.plan.schema import (
    LARGEST_SUM,
    CategoryDomain,
    ColumnSpec,
    DatasetSchema,
    NumericDomain,
)

# Numbers of finer steps are taken together, which moves each by less than a 4000th of its range.
_LARGEST_SIZE, _LEVELS = 2**14, 2**11
_SMALLEST_SIZE = 16
_ROWS = Measure(MeasureKind.ROWS)


@dataclass(frozen=True, slots=True)
class Term:
    """A component of a row: `times` x + `plus`, where x is what `factor` says, or 1 without one.

    `column` is its place in the schema, -1 for the constant; `top` the largest x. In units of the
    column x stands for `origin` + `unit` x.
    """

    name: str
    column: int
    factor: Factor | None
    top: int
    times: int
    plus: int
    origin: Fraction = Fraction(0)
    unit: Fraction = Fraction(1)
    category: str | None = None

    @property
    def size(self) -> int:
        """The largest size that it can have."""
        return max(abs(self.plus), abs(self.times * self.top + self.plus))

    @property
    def is_indicator(self) -> bool:
        """Whether it says that a category is there."""
        return self.category is not None

    @property
    def label(self) -> str:
        """Among the names of moments."""
        return f"{self.name} = {self.category}" if self.is_indicator else self.name

    def line(self, size: int) -> tuple[Fraction, Fraction]:
        """(a, b) such that a + b w / size is the value in units of its column."""
        scale = self.unit * size / self.times
        return self.origin - self.unit * self.plus / self.times, scale


@dataclass(frozen=True, slots=True)
class Design:
    """The components of a row: the constant, the terms, and last the outcome."""

    terms: tuple[Term, ...]
    size: int

    @property
    def moments(self) -> tuple[tuple[int, int], ...]:
        """The pairs of components whose products are added up, in the order of the readings."""
        pairs = combinations_with_replacement(range(len(self.terms)), 2)
        return tuple(pair for pair in pairs if self._is_its_own(*pair))

    def _is_its_own(self, one: int, other: int) -> bool:
        first, second = self.terms[one], self.terms[other]
        return not (first.is_indicator and first.column == second.column)

    def moment_of(self, one: int, other: int) -> tuple[int, int] | None:
        """The drawn moment that tells this one; None where it is nothing on every table."""
        low, high = sorted((one, other))
        if self._is_its_own(low, high):
            return low, high
        return (0, high) if low == high else None

    @property
    def readings(self) -> tuple[Reading, ...]:
        """Each moment as a combination of what an engine adds up."""
        unit = Fraction(1, self.size**2)
        return tuple(
            Reading(f"{first} × {second}", product(self.terms[i], self.terms[j]), unit)
            for (first, second), (i, j) in zip(self.names, self.moments, strict=True)
        )

    @property
    def names(self) -> tuple[tuple[str, str], ...]:
        """What is multiplied in each moment."""
        return tuple((self.terms[i].label, self.terms[j].label) for i, j in self.moments)

    def most(self, weights: Sequence[float]) -> float:
        """What these weights of the components add up to at most, over all coefficients whose line
        stays between -1 and 1 wherever every column is within its bounds.

        Lines of numbers alone stay so if the sizes at the bounds, the constant's among them, add up
        to one. Levels of a category are moved apart by at most what is left to either side.
        """
        numbers: list[float] = []
        categories: dict[int, list[float]] = {}
        for term, weight in zip(self.terms, weights, strict=False):
            if term.is_indicator:
                categories.setdefault(term.column, []).append(weight)
            else:
                numbers.append(abs(weight) * self.size / term.size)
        levels = ([weights[0] - sum(others), *others] for others in categories.values())
        return max(*numbers, *(sum(map(abs, level)) for level in levels))

    def reach(self, exposed: Exposure) -> Sensitivity:
        """How far a protected group moves the moments."""
        return reach(self.contribution(), exposed)

    def contribution(self) -> Contribution:
        """What one row adds, at most."""
        products = [a.size * b.size for a, b in self._largest_products()]
        size = Sensitivity(sum(products), sum(product**2 for product in products))
        numbers = [term for term in self.terms if not term.is_indicator]
        squares = sum(term.size**2 for term in numbers)
        common = self._in_common(len(numbers))
        replaced = Sensitivity(2 * size.l1 - squares, 2 * size.l2_squared - common)
        # A row that comes or goes counts too. Of n rows and the m that replace them the squared
        # move is at most (n² + m²) |p|² - n m common, and n m <= (n² + m²) / 2.
        return Contribution(
            size=size,
            span=replaced,
            span_from_nothing=_larger(size, replaced),
            both=size.l2_squared + max(0, 1 - common) // 2,
        )

    def largest_row(self) -> tuple[Term, ...]:
        """The terms that are all at their size in one row: every category has an indicator."""
        chosen: dict[object, Term] = {}
        for place, term in enumerate(self.terms):
            chosen.setdefault(("of", term.column) if term.is_indicator else place, term)
        return tuple(chosen.values())

    def _largest_products(self) -> Iterator[tuple[Term, Term]]:
        for first, second in combinations_with_replacement(self.largest_row(), 2):
            if not (first.is_indicator and first is second):
                yield first, second

    def _in_common(self, numbers: int) -> int:
        """The least that twice p(v)·p(u) can be, rounded down: it may be below zero."""
        categories = len({term.column for term in self.terms if term.is_indicator})
        # The constant is one of the numbers, and always the same.
        least = min(
            Fraction((1 + shared) ** 2, numbers) + 1 - shared for shared in range(categories + 1)
        )
        return (least * self.size**4).__floor__()


def _larger(one: Sensitivity, other: Sensitivity) -> Sensitivity:
    return Sensitivity(max(one.l1, other.l1), max(one.l2_squared, other.l2_squared))


def product(one: Term, other: Term) -> tuple[tuple[Measure, int], ...]:
    """(a x + b)(c y + d), with what is the same added up."""
    weights: dict[Measure, int] = {}
    for first, weight in _parts(one):
        for second, factor in _parts(other):
            measure = _measure(first, second)
            weights[measure] = weights.get(measure, 0) + weight * factor
    return tuple((measure, weight) for measure, weight in weights.items() if weight)


def _parts(term: Term) -> list[tuple[Factor | None, int]]:
    parts: list[tuple[Factor | None, int]] = [(None, term.plus)] if term.plus else []
    return parts if term.factor is None else [*parts, (term.factor, term.times)]


def _measure(one: Factor | None, other: Factor | None) -> Measure:
    factors = tuple(sorted((f for f in (one, other) if f is not None), key=repr))
    return Measure(MeasureKind.PRODUCT_SUM, factors=factors) if factors else _ROWS


def design_for(statistic: Statistic, schema: DatasetSchema) -> Design:
    """The design of a regression.

    Raises InvalidPlan when a column is gone, or sums could not be kept exact.
    """
    size = min(_LARGEST_SIZE, isqrt(room_for(schema)))
    check_size(size)
    names = (*statistic.predictors, statistic.column or "")
    terms = terms_of(names, schema, size)
    index = schema.index_of(names[-1])
    if not isinstance(schema.columns[index or 0].domain, NumericDomain):
        raise _refused(said("“{column}” is no longer a column of numbers.", column=names[-1]))
    return Design(terms, size)


def terms_of(names: Sequence[str], schema: DatasetSchema, size: int) -> tuple[Term, ...]:
    """The constant and the terms of these columns. Raises InvalidPlan when one is gone."""
    terms = [Term("1", -1, None, 0, 0, size)]
    for name in names:
        index = schema.index_of(name)
        if index is None:
            raise _refused(said("“{column}” is no longer there.", column=name))
        terms += _terms(schema.columns[index], index, size)
    return tuple(terms)


def room_for(schema: DatasetSchema) -> int:
    """What a row may add so that every sum, and every influence on all of them, stays exact."""
    moments = (MAX_TERMS + 2) * (MAX_TERMS + 3)
    group = schema.group_size * schema.unit.max_rows_per_unit
    return LARGEST_SUM // max(schema.max_rows, group * moments)


def check_size(size: int) -> None:
    """Raise InvalidPlan for one at which too little of a number would be left."""
    if size < _SMALLEST_SIZE:
        raise _refused(
            said(
                "With so many rows, or rows of a person, products can't be added up exactly. An "
                "owner can register the dataset with a lower limit."
            )
        )


def _refused(message: str) -> InvalidPlan:
    return InvalidPlan((PlanProblem("statistics", message),))


def _terms(spec: ColumnSpec, index: int, size: int) -> list[Term]:
    if isinstance(spec.domain, CategoryDomain):
        # The first category is the one that the others are compared with.
        return [
            Term(spec.name, index, Factor(index, 1, code), 1, size, 0, category=category)
            for code, category in enumerate(spec.domain.categories)
            if code
        ]
    return [_number(spec.name, index, spec.domain, size)]


def _number(name: str, index: int, domain: NumericDomain, size: int) -> Term:
    width = domain.top // (min(_LEVELS, size) + 1) + 1
    top = domain.top // width
    step, factor = Fraction(domain.step), size // top
    middle = Fraction(domain.lower) + step * (width - 1) / 2
    code = Factor(index, width)
    return Term(name, index, code, top, 2 * factor, -factor * top, middle, step * width)


def complete(statistic: Statistic, schema: DatasetSchema) -> tuple[CodeFilter, ...]:
    """Rows that can be used: with a number or a declared category in each of the columns."""
    found = []
    for name in sorted({*statistic.predictors, statistic.column or ""}):
        index = schema.index_of(name)
        if index is None:
            continue
        domain = schema.columns[index].domain
        top = len(domain.categories) - 1 if isinstance(domain, CategoryDomain) else domain.top
        found.append(CodeFilter(index, ((0, top),)))
    return tuple(found)


def may_drop_rows(statistic: Statistic, schema: DatasetSchema) -> frozenset[str]:
    """The columns for which a row may not count."""
    return frozenset(
        spec.name
        for spec in schema.columns
        if spec.name in (*statistic.predictors, statistic.column)
        and (spec.may_be_missing or isinstance(spec.domain, CategoryDomain))
    )
