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
    names = [f"c{number}" for number in range(len(first.columns) + len(second.columns))]
    taken = [*_taken("a", first.columns), *_taken("b", second.columns)]
    columns = ", ".join(f"{code} AS {name}" for code, name in zip(taken, names, strict=True))
    # By the later of the two places, so that of both parents the first rows are kept.
    order = "PARTITION BY k ORDER BY greatest(ra, rb), ra, rb"
    return (
        f"CREATE TABLE data AS WITH pairs AS (SELECT {columns}, a.k AS k, a.r AS ra, b.r AS rb "  # noqa: S608
        "FROM a.data AS a JOIN b.data AS b ON a.k = b.k "
        f"WHERE a.r < {first.rows_of_unit:d} AND b.r < {second.rows_of_unit:d}), "
        f"kept AS (SELECT *, row_number() OVER ({order}) - 1 AS place FROM pairs "
        f"QUALIFY place < {most:d}) "
        f"SELECT {', '.join(names)}, (dense_rank() OVER (ORDER BY k))::UINTEGER AS u, k, "
        "place::UINTEGER AS r, "
        f"least(count(*) OVER (PARTITION BY k), {LARGEST_SIZE})::USMALLINT AS n FROM kept"
    )


def _taken(name: str, columns: Sequence[int]) -> list[str]:
    return [f"{name}.c{number:d}" for number in columns]
