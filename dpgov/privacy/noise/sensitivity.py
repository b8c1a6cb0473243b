"""How far one protected group of units can move an exact answer, in exact integers.

The mathematics of docs/guarantee.md, section 4. A group of k units with m rows each has K = km
rows. Every row adds one contribution, a vector from a set C, to the one cell that it falls into,
or adds nothing. Bounds are over the whole vector of all cells: L1, and L2 squared.

add_remove: each of the K rows appears or disappears: L1 K max|c|, L2 K max|c|₂.
change_one: each of the K rows is replaced. Without grouping, a contribution x becomes y in the
same cell: K max|x - y|. With grouping, x may leave one cell and y enter another as well:
L1 2 K max|c|, which is never less than the other; L2 K max(√2 max|c|₂, max|x - y|₂).

Where at most Q of the K rows fall into one cell, L2 is less: with a = K // Q full cells and b rows
left, S = a Q² + b² is the most that squared numbers of rows add up to (they are convex, so that
full cells attain it). add_remove: L2² S max|c|₂². change_one: see `_replaced`.
"""

from dataclasses import dataclass

from dpgov.privacy.plan.schema import DatasetSchema, Neighbouring, NumericDomain, PerUnit


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """How far something moves: L1, and L2 squared, in lattice units."""

    l1: int
    l2_squared: int

    def times(self, factor: int) -> "Sensitivity":
        """So many of them at once."""
        return Sensitivity(factor * self.l1, factor**2 * self.l2_squared)


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one row can add to a cell, a vector of integers.

    `size` bounds c, `span` the difference of two present rows, and `span_from_nothing` that
    difference where a row may also add nothing at all. `both` bounds how far n rows and the m that
    replace them move a cell: by at most √((n² + m²) both) in L2.
    """

    size: Sensitivity
    span: Sensitivity
    span_from_nothing: Sensitivity
    both: int


def scalar(low: int, high: int) -> Contribution:
    """One number between two bounds."""
    return Contribution(
        size=_number(max(abs(low), abs(high))),
        span=_number(high - low),
        span_from_nothing=_number(max(high, 0) - min(low, 0)),
        # (n u + m v)² <= (n² + m²) (u² + v²), by Cauchy and Schwarz.
        both=max(high, 0) ** 2 + min(low, 0) ** 2,
    )


def shares_of(whole: int) -> Contribution:
    """A vector of numbers that are not negative and always add up to `whole`.

    Two of them can be wholly apart: 2 whole in L1, the square root of 2 times whole in L2.
    """
    apart = Sensitivity(2 * whole, 2 * whole**2)
    # Two vectors without negative numbers: the square of their difference is at most both squares.
    return Contribution(size=_number(whole), span=apart, span_from_nothing=apart, both=whole**2)


def _number(size: int) -> Sensitivity:
    return Sensitivity(size, size**2)


@dataclass(frozen=True, slots=True)
class Exposure:
    """What, besides its column, decides how far a group can move an answer: all public.

    `rows` is K and `units` is k. `groups` bounds the cells that a unit is counted in, of `cells`
    in all, and `in_a_cell` how many of the rows may fall into one of them (None: all). `droppable`
    says whether a row may add nothing at all to this answer.
    """

    rows: int
    neighbouring: Neighbouring
    grouped: bool
    droppable: bool
    units: int = 1
    groups: int = 1
    cells: int = 1
    in_a_cell: int | None = None

    @property
    def crowd(self) -> int:
        """How many of the rows may fall into one cell."""
        return self.rows if self.in_a_cell is None else self.in_a_cell

    @property
    def squares(self) -> int:
        """What the squared numbers of rows in all cells add up to at most."""
        full, left = divmod(self.rows, self.crowd)
        return full * self.crowd**2 + left**2

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
    per_unit: PerUnit | None = None,
) -> Exposure:
    """The exposure of one statistic, of an answer with so many cells (None: as many as matter).

    Of each unit min(m, g r) rows are used, where a question uses r rows in each of g groups.

    A row drops out by a filter, by a missing value, or because its unit may have fewer rows than
    it is allowed: a unit named by a column can be replaced by one with a single row.
    """
    unit = schema.unit
    named_unit = unit.private_id is not None or unit.max_rows_per_unit > 1
    used, most = unit.used(per_unit), unit.max_rows_per_unit
    groups = min(used.groups or most, most, cells or most) if grouped else 1
    in_a_cell = used.rows_per_group
    return Exposure(
        rows=schema.group_size * (most if in_a_cell is None else min(most, groups * in_a_cell)),
        neighbouring=schema.neighbouring,
        grouped=grouped,
        droppable=filtered or missing_drops or named_unit,
        units=schema.group_size,
        groups=groups,
        cells=(cells or 2 * groups) if grouped else 1,
        in_a_cell=None if in_a_cell is None else schema.group_size * in_a_cell,
    )


def reach(contribution: Contribution, exposed: Exposure) -> Sensitivity:
    """Both bounds.

    A row that can drop out adds nothing in one of two tables, so under change_one the span from
    nothing counts too: with values in [5, 10], a 10 that turns into a filtered row moves the sum
    by 10.
    """
    if exposed.neighbouring is Neighbouring.ADD_REMOVE:
        size = contribution.size
        return Sensitivity(size.l1 * exposed.rows, size.l2_squared * exposed.squares)
    if exposed.grouped:
        return _replaced(contribution, exposed)
    nothing = contribution.span_from_nothing
    return (nothing if exposed.droppable else contribution.span).times(exposed.rows)


def _replaced(contribution: Contribution, exposed: Exposure) -> Sensitivity:
    """Over groups, under change_one: the least of bounds that all hold.

    With s = max|c|₂ and t = max|x - y|₂, n rows of a cell and the m that replace them move it by at
    most min(n, m) t + |n - m| s, which is convex in both. So its squares are largest where rows
    are in full cells: each cell of one side meets one of the other (Q² t²) or none (2 Q² s²).
    """
    nothing, size = contribution.span_from_nothing, contribution.size
    rows, crowd = exposed.rows, exposed.crowd
    of_a_pair = max(2 * size.l2_squared, nothing.l2_squared)
    return Sensitivity(
        min(2 * size.l1 * rows, exposed.cells * crowd * nothing.l1),
        min(
            of_a_pair * rows**2,
            of_a_pair * -(-rows // crowd) * crowd**2,
            2 * contribution.both * exposed.squares,
            exposed.cells * crowd**2 * nothing.l2_squared,
        ),
    )


def of_count(exposed: Exposure) -> Sensitivity:
    """Rows: a row adds 0 or 1, so a replaced row moves one cell by at most 1.

    Kept at K under change_one even where no row can drop out and the true bound is zero: then
    the count is public anyway, and noise of scale zero is never drawn.
    """
    one = _number(1)
    return reach(Contribution(size=one, span=one, span_from_nothing=one, both=1), exposed)


def of_units(exposed: Exposure) -> Sensitivity:
    """Distinct units: a unit adds 1 to each of at most `groups` cells.

    A replaced unit may leave all of its cells and enter as many others, as far as there are
    others; without grouping it moves the one cell by at most 1.
    """
    replaced = exposed.neighbouring is Neighbouring.CHANGE_ONE
    cells = min(exposed.groups * (2 if replaced else 1), exposed.cells)
    return Sensitivity(exposed.units * cells, exposed.units**2 * cells)


def of_values(values: int, exposed: Exposure) -> Sensitivity:
    """Distinct values of a column that can hold so many of them.

    Rows that go or come move a cell by one each at most, and by its values at most: of n rows that
    go and m that come it is max(n, m), because each can take away, or bring, one value. So rows in
    a cell count up to Q = min(crowd, values), and squares are largest in full cells.

    Of one unit; a group moves them as far as its units do one after the other, and no less is
    declared where all the values are fewer: of a divided budget j units of a group of k lose j/k.
    """
    rows, crowd = exposed.rows // exposed.units, exposed.crowd // exposed.units
    most = min(crowd, values)
    moves = rows * (exposed.moves // exposed.rows if exposed.grouped else 1)
    full, left = divmod(min(rows, exposed.cells * most), most)
    squares = full * most**2 + left**2
    l1 = min(moves, exposed.cells * most)
    l2_squared = min(squares * moves // rows, exposed.cells * most**2)
    return Sensitivity(exposed.units * l1, exposed.units**2 * l2_squared)


def of_sum(domain: NumericDomain, exposed: Exposure) -> Sensitivity:
    """A sum in steps: a present row adds a number from [lower_steps, upper_steps]."""
    return reach(scalar(domain.lower_steps, domain.upper_steps), exposed)


def of_shares(whole: int, exposed: Exposure) -> Sensitivity:
    """Several sums at once, to which a present row adds numbers that make up `whole`."""
    return reach(shares_of(whole), exposed)
