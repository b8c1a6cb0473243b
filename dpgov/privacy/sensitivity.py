"""How far one protected group of units can move an exact answer, in exact integers.

The mathematics of docs/guarantee.md, section 4. A group of k units with m rows each has K = km
rows. Every row adds one contribution, from a set C, to the one cell that it falls into, or adds
nothing. All bounds are L1 over the whole vector of cells.

add_remove: each of the K rows appears or disappears: K max|C|.
change_one: each of the K rows is replaced. Without grouping, a contribution x becomes y in the
same cell: K (max C - min C). With grouping, x may leave one cell and y enter another:
2 K max|C|, which is never less.
"""

from dataclasses import dataclass

from dpgov.privacy.schema import DatasetSchema, Neighbouring, NumericDomain


@dataclass(frozen=True, slots=True)
class Contribution:
    """The smallest and largest number that one row can add to a cell, in lattice units."""

    low: int
    high: int

    @property
    def size(self) -> int:
        """max|C|."""
        return max(abs(self.low), abs(self.high))


@dataclass(frozen=True, slots=True)
class Exposure:
    """What, besides its column, decides how far a group can move an answer: all public.

    `rows` is K. `droppable` says whether a row may add nothing at all to this answer.
    """

    rows: int
    neighbouring: Neighbouring
    grouped: bool
    droppable: bool


def exposure(
    schema: DatasetSchema, *, filtered: bool, grouped: bool, missing_drops: bool
) -> Exposure:
    """The exposure of one statistic.

    A row drops out by a filter, by a missing value, or because its unit may have fewer rows than
    it is allowed: a unit named by a column can be replaced by one with a single row.
    """
    named_unit = schema.unit.private_id is not None or schema.unit.max_rows_per_unit > 1
    return Exposure(
        rows=schema.group_size * schema.unit.max_rows_per_unit,
        neighbouring=schema.neighbouring,
        grouped=grouped,
        droppable=filtered or missing_drops or named_unit,
    )


def sensitivity(contribution: Contribution, exposed: Exposure) -> int:
    """The L1 bound in lattice units.

    A row that can drop out has C = {0} ∪ [low, high], so under change_one the span from zero
    counts too: with values in [5, 10], a 10 that turns into a filtered row moves the sum by 10.
    """
    if exposed.neighbouring is Neighbouring.ADD_REMOVE:
        return exposed.rows * contribution.size
    if exposed.grouped:
        return exposed.rows * 2 * contribution.size
    if exposed.droppable:
        return exposed.rows * (max(contribution.high, 0) - min(contribution.low, 0))
    return exposed.rows * (contribution.high - contribution.low)


def of_count(exposed: Exposure) -> int:
    """Rows: a row adds 0 or 1, so C = {0, 1} and a replaced row moves one cell by at most 1.

    Kept at K under change_one even where no row can drop out and the true bound is zero: then
    the count is public anyway, and noise of scale zero is never drawn.
    """
    counts = Exposure(exposed.rows, exposed.neighbouring, exposed.grouped, droppable=True)
    return sensitivity(Contribution(0, 1), counts)


def of_sum(domain: NumericDomain, exposed: Exposure) -> int:
    """A sum in steps: a present row adds a number from [lower_steps, upper_steps]."""
    return sensitivity(Contribution(domain.lower_steps, domain.upper_steps), exposed)


def of_centred_sum(domain: NumericDomain, exposed: Exposure) -> int:
    """A sum of distances from the middle, in half-steps: a present row adds [-top, top].

    That range holds 0 and is symmetric, so dropping out adds nothing to the span: 2 top for a
    replaced row, whether it stays in its cell, changes cell or drops out; top for an added one.
    """
    return sensitivity(Contribution(-domain.top, domain.top), exposed)
