"""Rows of two stored files, put together by the unit that both name: a derived file.

Both hold the keyed hash of each unit's id, made with one secret of the installation, and the place
of each row among those of its unit. Of a unit the first m1 rows of the one file and the first m2 of
the other count, each pair of them is a row, and the first m of these are kept. So what is kept of
a unit depends on that unit's rows alone, in both files, and is never more than m rows: a person
who changes in both files at once changes rows of their own, and no other. Rows of a unit that is in
one file only are left out. Nothing but the unit is ever matched.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import duckdb

from dpgov.engines.cubes.keeping import keep_cubes
from dpgov.privacy.plan.cubes import Layout
from dpgov.privacy.plan.grouping import LARGEST_SIZE

# So many places are made at once: lists of them are kept whole in memory.
_BLOCK = 1024
# Drafts stand beside their target, see `ingest.drafts`.
_CONFIG: dict[str, Any] = {"threads": 1, "preserve_insertion_order": True}


@dataclass(frozen=True, slots=True)
class Parent:
    """A stored file, at most how many rows of a unit are used of it, and which of its columns."""

    path: str
    rows_of_unit: int
    columns: tuple[int, ...]

    def as_json(self) -> dict[str, Any]:
        """For the child."""
        return asdict(self)


def parent_of(item: dict[str, Any]) -> Parent:
    """That again."""
    return Parent(item["path"], item["rows_of_unit"], tuple(item["columns"]))


def most_rows(first: Parent, second: Parent, rows: tuple[int, int], rows_of_unit: int) -> int:
    """A bound on the rows of the derived file, from the bounds of its parents: public numbers."""
    beside = min(second.rows_of_unit, rows_of_unit), min(first.rows_of_unit, rows_of_unit)
    return min(rows[0] * beside[0], rows[1] * beside[1])


def derive(
    first: Parent,
    second: Parent,
    draft: Path,
    *,
    rows_of_unit: int,
    memory_bytes: int,
    cubes: Sequence[Layout] = (),
) -> None:
    """Write the derived rows to `draft`: the columns of the first parent, then of the second.

    `rows_of_unit` is m, `cubes` are counted from them. Whatever the files hold, nothing is told
    of it.
    """
    memory = f"{max(memory_bytes // 4_000_000, 64)}MB"
    with duckdb.connect(str(draft), config=_CONFIG | {"memory_limit": memory}) as connection:
        draft.chmod(0o600)
        for name, parent in (("a", first), ("b", second)):
            quoted = parent.path.replace("'", "''")
            connection.execute(f"ATTACH '{quoted}' AS {name} (READ_ONLY)")
        connection.execute(_sql(first, second, int(rows_of_unit)))
        for name in ("a", "b"):
            connection.execute(f"DETACH {name}")
    keep_cubes(draft, cubes, threads=1, memory_bytes=memory_bytes)


def _sql(first: Parent, second: Parent, most: int) -> str:
    """A place is made for each row that is kept, and the two rows of a place are looked up.

    Nothing is made of a pair that is not kept: of a unit with m1 rows here and m2 there they would
    be as many as m1 times m2, and whether that takes long, or fits, would say that it is in both.
    """
    names = [f"c{number}" for number in range(len(first.columns) + len(second.columns))]
    taken = [*_taken("a", first.columns), *_taken("b", second.columns)]
    columns = ", ".join(f"{code} AS {name}" for code, name in zip(taken, names, strict=True))
    return (
        f"CREATE TABLE data AS WITH first AS ({_sizes('a', first)}), "  # noqa: S608
        f"second AS ({_sizes('b', second)}), "
        "units AS (SELECT k, first.size AS na, second.size AS nb, "
        f"least(first.size * second.size, {most:d}) AS kept, "
        "row_number() OVER (ORDER BY k) AS u FROM first JOIN second USING (k)), "
        f"blocks AS (SELECT *, unnest(range(0, kept, {_BLOCK})) AS begin FROM units), "
        f"places AS (SELECT *, unnest(range(begin, least(begin + {_BLOCK}, kept))) AS place "
        f"FROM blocks), pairs AS ({_PAIRS}) "
        f"SELECT {columns}, pairs.u::UINTEGER AS u, pairs.k AS k, place::UINTEGER AS r, "
        f"least(kept, {LARGEST_SIZE})::USMALLINT AS n FROM pairs "
        "JOIN a.data AS a ON a.k = pairs.k AND a.r = ra "
        "JOIN b.data AS b ON b.k = pairs.k AND b.r = rb"
    )


def _sizes(name: str, parent: Parent) -> str:
    """How many rows of each unit are used. Where two have one hash, a place would be two rows."""
    return (
        f"SELECT k, count(*) AS size FROM {name}.data WHERE r < {parent.rows_of_unit:d} "  # noqa: S608
        "GROUP BY k HAVING count(*) = max(r) + 1"
    )


# By the later of the two places, so that of both parents the first rows are kept; then by the one
# and the other. Of n pairs the first s * s are those of the first s rows of both, if both have as
# many; those of place j, there or here, begin at j * j. Further ones are s in a row.
_PAIRS = (
    "SELECT *, CASE WHEN NOT is_square THEN CASE WHEN na > nb THEN j ELSE t END "
    "WHEN t < j THEN t ELSE j END AS ra, "
    "CASE WHEN NOT is_square THEN CASE WHEN na > nb THEN t ELSE j END "
    "WHEN t < j THEN j ELSE t - j END AS rb FROM ("
    "SELECT *, CASE WHEN is_square THEN place - j * j ELSE place % s END AS t FROM ("
    "SELECT *, CASE WHEN is_square THEN floor(sqrt(place))::BIGINT ELSE place // s END AS j FROM ("
    "SELECT *, least(na, nb) AS s, place < least(na, nb) * least(na, nb) AS is_square "
    "FROM places)))"
)


def _taken(name: str, columns: Sequence[int]) -> list[str]:
    return [f"{name}.c{number:d}" for number in columns]
