"""What databases write differently in the one scan that is compiled for all of them.

A dialect says how, never what: under each of them the scan returns the same integers.
"""

from collections.abc import Sequence
from math import isqrt

from dpgov.privacy.plan.schema import LARGEST_SUM

# Bits of the lower half of a number up to LARGEST_SUM.
_HALF = 26


class Dialect:
    """DuckDB's, in which a scan is written unless another one is given."""

    over = "//"
    """Between two whole numbers, neither of them negative: divided and rounded down."""
    widest = "HUGEINT"
    """A type that holds the square of any code."""
    rows = "count(*)"
    """How many rows there are."""

    def within(self, select: str) -> str:
        """A select to read from, as of a table."""
        return f"({select})"

    def truth(self, condition: str) -> str:
        """1 where it holds and 0 where it does not; null where that is unknown."""
        return f"({condition})::BIGINT"

    def element(self, numbers: Sequence[int], place: str) -> str:
        """The number at this place, counted from 1."""
        return f"([{_listed(numbers)}]::BIGINT[])[{place}]"

    def total(self, number: str) -> str:
        """The sum of whole numbers, none of them negative; null or 0 where there are none."""
        return f"sum({number})"

    def whole_total(self, number: str) -> str:
        """The same for sums that are combined with others, of which none may be cut."""
        return self.total(number)

    def square(self, code: str) -> str:
        """Of a whole number that is not negative."""
        return f"{code}::{self.widest} * {code}::{self.widest}"


class _Postgres(Dialect):
    over = "/"
    widest = "numeric"

    def within(self, select: str) -> str:
        return f"({select}) AS inner_rows"

    def truth(self, condition: str) -> str:
        return f"({condition})::int::bigint"

    def element(self, numbers: Sequence[int], place: str) -> str:
        return f"('{{{_listed(numbers, ',')}}}'::bigint[])[({place})::int]"


class _PostgresUnits(_Postgres):
    """Of a table that has one row for a unit, and in `many` how many rows of it are counted."""

    rows = "sum(many)::bigint"


class _Spark(Dialect):
    """Nothing wraps or raises: a sum of codes that passes 64 bits is 2^53, where it ends anyway."""

    over = "div"

    def truth(self, condition: str) -> str:
        return f"CAST(({condition}) AS BIGINT)"

    def element(self, numbers: Sequence[int], place: str) -> str:
        return f"element_at(array({_listed([f'{number}L' for number in numbers])}), int({place}))"

    def total(self, number: str) -> str:
        return f"coalesce(try_sum({number}), if(count({number}) > 0, {LARGEST_SUM}, 0))"

    def whole_total(self, number: str) -> str:
        """In two halves, which are added up in words as long as there are fewer rows than 2^36."""
        halves = (f"shiftright({number}, {_HALF})", f"(({number}) & {2**_HALF - 1})")
        high, low = (f"CAST(coalesce(try_sum({half}), 0) AS DECIMAL(20,0))" for half in halves)
        return f"({high} * {2**_HALF} + {low})"

    def square(self, code: str) -> str:
        # Wider codes are taken together before they are squared, so that this is never reached.
        return f"if({code} > {isqrt(LARGEST_SUM)}, {LARGEST_SUM}, {code} * {code})"


def _listed(numbers: Sequence[int | str], between: str = ", ") -> str:
    return between.join(map(str, numbers))


DUCKDB = Dialect()
POSTGRES = _Postgres()
POSTGRES_UNITS = _PostgresUnits()
SPARK = _Spark()
