"""How far one protected group of units can move an exact answer, in exact integers.

The mathematics of docs/guarantee.md, section 4. A group of k units with m rows each has K = km
rows. Every row adds one contribution, a vector from a set C, to the one cell that it falls into,
or adds nothing. Bounds are over the whole vector of all cells: L1, and L2 squared.

add_remove: each of the K rows appears or disappears: L1 K max|c|, L2 K max|c|₂.
change_one: each of the K rows is replaced. Without grouping, a contribution x becomes y in the
same cell: K max|x - y|. With grouping, x may leave one cell and y enter another as well:
L1 2 K max|c|, which is never less than the other; L2 K max(√2 max|c|₂, max|x - y|₂).
"""

from dataclasses import dataclass

from dpgov.privacy.plan.schema import DatasetSchema, Neighbouring, NumericDomain


@dataclass(frozen=True, slots=True)
class Reach:
    """How far something moves: L1, and L2 squared, in lattice units."""

    l1: int
    l2_squared: int

    def times(self, factor: int) -> "Reach":
        """So many of them at once."""
        return Reach(factor * self.l1, factor**2 * self.l2_squared)


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one row can add to a cell, a vector of integers.

    `size` bounds c, `span` the difference of two present rows, and `span_from_nothing` that
    difference where a row may also add nothing at all.
    """

    size: Reach
    span: Reach
    span_from_nothing: Reach


def scalar(low: int, high: int) -> Contribution:
    """One number between two bounds."""
    return Contribution(
        size=_number(max(abs(low), abs(high))),
        span=_number(high - low),
        span_from_nothing=_number(max(high, 0) - min(low, 0)),
    )


def shares_of(whole: int) -> Contribution:
    """A vector of numbers that are not negative and always add up to `whole`.

    Two of them can be wholly apart: 2 whole in L1, the square root of 2 times whole in L2.
    """
    apart = Reach(2 * whole, 2 * whole**2)
    return Contribution(size=_number(whole), span=apart, span_from_nothing=apart)


def _number(size: int) -> Reach:
    return Reach(size, size**2)


@dataclass(frozen=True, slots=True)
class Exposure:
    """What, besides its column, decides how far a group can move an answer: all public.

    `rows` is K and `units` is k. `groups` bounds the cells that a unit is counted in, of `cells`
    in all. `droppable` says whether a row may add nothing at all to this answer.
    """

    rows: int
    neighbouring: Neighbouring
    grouped: bool
    droppable: bool
    units: int = 1
    groups: int = 1
    cells: int = 1

    @property
    def moves(self) -> int:
        """How many rows come or go: a replaced row goes once and comes once."""
        return self.rows if self.neighbouring is Neighbouring.ADD_REMOVE else 2 * self.rows


def exposure(
    schema: DatasetSchema,
    *,
    filtered: bool,
    grouped: bool,
    missing_drops: bool,
    cells: int | None = None,
) -> Exposure:
    """The exposure of one statistic, of an answer with so many cells (None: as many as matter).

    A row drops out by a filter, by a missing value, or because its unit may have fewer rows than
    it is allowed: a unit named by a column can be replaced by one with a single row.
    """
    unit = schema.unit
    named_unit = unit.private_id is not None or unit.max_rows_per_unit > 1
    most = unit.max_rows_per_unit
    groups = min(unit.max_groups_per_unit or most, most, cells or most) if grouped else 1
    return Exposure(
        rows=schema.group_size * unit.max_rows_per_unit,
        neighbouring=schema.neighbouring,
        grouped=grouped,
        droppable=filtered or missing_drops or named_unit,
        units=schema.group_size,
        groups=groups,
        cells=(cells or 2 * groups) if grouped else 1,
    )


def reach(contribution: Contribution, exposed: Exposure) -> Reach:
    """Both bounds.

    A row that can drop out adds nothing in one of two tables, so under change_one the span from
    nothing counts too: with values in [5, 10], a 10 that turns into a filtered row moves the sum
    by 10.
    """
    if exposed.neighbouring is Neighbouring.ADD_REMOVE:
        return contribution.size.times(exposed.rows)
    nothing, size = contribution.span_from_nothing, contribution.size
    if exposed.grouped:
        moved = Reach(2 * size.l1, max(2 * size.l2_squared, nothing.l2_squared))
        return moved.times(exposed.rows)
    return (nothing if exposed.droppable else contribution.span).times(exposed.rows)


def of_count(exposed: Exposure) -> Reach:
    """Rows: a row adds 0 or 1, so a replaced row moves one cell by at most 1.

    Kept at K under change_one even where no row can drop out and the true bound is zero: then
    the count is public anyway, and noise of scale zero is never drawn.
    """
    one = _number(1)
    return reach(Contribution(size=one, span=one, span_from_nothing=one), exposed)


def of_units(exposed: Exposure) -> Reach:
    """Distinct units: a unit adds 1 to each of at most `groups` cells.

    A replaced unit may leave all of its cells and enter as many others, as far as there are
    others; without grouping it moves the one cell by at most 1.
    """
    replaced = exposed.neighbouring is Neighbouring.CHANGE_ONE
    cells = min(exposed.groups * (2 if replaced else 1), exposed.cells)
    return Reach(exposed.units * cells, exposed.units**2 * cells)


def of_sum(domain: NumericDomain, exposed: Exposure) -> Reach:
    """A sum in steps: a present row adds a number from [lower_steps, upper_steps]."""
    return reach(scalar(domain.lower_steps, domain.upper_steps), exposed)


def of_shares(whole: int, exposed: Exposure) -> Reach:
    """Several sums at once, to which a present row adds numbers that make up `whole`."""
    return reach(shares_of(whole), exposed)
