"""Which questions the exact counts in a version's file answer, out of what is public alone.

A version keeps what its file's cubes were made with; which they are follows from that and from its
declared columns (`privacy.plan.cubes`). Nobody opens a file to find out.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from dpgov.datasets.models import DatasetVersion
from dpgov.privacy.plan.cubes import Layout, answers, cubes_of
from dpgov.privacy.plan.request import ExactRequest
from dpgov.privacy.plan.schema import ColumnSpec, DatasetSchema


def made_with(schema: DatasetSchema) -> dict[str, Any]:
    """What the cubes of a file with these declarations are made with, as a version keeps it."""
    unit = schema.unit
    named = unit.private_id is not None
    return {
        "max_rows": schema.max_rows,
        "rows_of_unit": unit.max_rows_per_unit if named else None,
    }


def cubes_in(version: DatasetVersion, columns: Sequence[ColumnSpec]) -> tuple[Layout, ...]:
    """Those in its file; none where it has no file, or one that was read before they were kept."""
    kept = version.cubes
    return _layouts(tuple(columns), kept["max_rows"], kept["rows_of_unit"]) if kept else ()


def is_cubed(
    version: DatasetVersion, schema: DatasetSchema, requests: Iterable[ExactRequest]
) -> bool:
    """Whether all of it is answered by cubes of the version's file, by plan and declaration."""
    # What a question computes is in no file, whatever domain it has.
    cubes = cubes_in(version, schema.declared.columns)
    return all(any(answers(cube, request) for cube in cubes) for request in requests)


@lru_cache(maxsize=64)
def _layouts(
    columns: tuple[ColumnSpec, ...], max_rows: int, rows_of_unit: int | None
) -> tuple[Layout, ...]:
    return cubes_of(columns, max_rows=max_rows, rows_of_unit=rows_of_unit)
