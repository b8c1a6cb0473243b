"""What databases write differently in the one scan that is compiled for all of them.

A dialect says how, never what: under each of them the scan returns the same integers.
"""

from collections.abc import Sequence


class Dialect:
    """DuckDB's, in which a scan is written unless another one is given."""

    over = "//"
    """Between two whole numbers, neither of them negative: divided and rounded down."""
    widest = "HUGEINT"
    """The type that holds the square of any code."""

    def within(self, select: str) -> str:
        """A select to read from, as of a table."""
        return f"({select})"

    def truth(self, condition: str) -> str:
        """1 where it holds and 0 where it does not; null where that is unknown."""
        return f"({condition})::BIGINT"

    def element(self, numbers: Sequence[int], place: str) -> str:
        """The number at this place, counted from 1."""
        return f"([{_listed(numbers)}]::BIGINT[])[{place}]"


class _Postgres(Dialect):
    over = "/"
    widest = "numeric"

    def within(self, select: str) -> str:
        return f"({select}) AS inner_rows"

    def truth(self, condition: str) -> str:
        return f"({condition})::int::bigint"

    def element(self, numbers: Sequence[int], place: str) -> str:
        return f"('{{{_listed(numbers, ',')}}}'::bigint[])[({place})::int]"


def _listed(numbers: Sequence[int], between: str = ", ") -> str:
    return between.join(map(str, numbers))


DUCKDB = Dialect()
POSTGRES = _Postgres()
