"""Made-up tables as the product stores them: by the child that reads files, then the engine.

Everything lies in one temporary folder and is gone with it. The only module here that touches an
engine.
"""

import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings

from dpgov.engines.child import Limits, ingest
from dpgov.engines.files import DuckDBEngine
from dpgov.engines.ingest.request import UnitNames
from dpgov.noise_check.tables import Table, csv
from dpgov.privacy.answer.blueprint import Blueprint
from dpgov.privacy.plan.request import ExactAnswer
from dpgov.privacy.plan.schema import DatasetSchema


class TableFiles:
    """Tables in a folder, each stored once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._engines: dict[tuple[str | None, Table], DuckDBEngine] = {}

    def exact(self, blueprint: Blueprint, table: Table) -> list[ExactAnswer]:
        """What the engine says of this table; raises EngineFailure, RefusedFile."""
        key = blueprint.schema.unit.private_id, table
        if key not in self._engines:
            self._engines[key] = self._stored(blueprint.schema, table)
        return [self._engines[key].answer(request) for request in blueprint.requests]

    def _stored(self, schema: DatasetSchema, table: Table) -> DuckDBEngine:
        name, unit = str(len(self._engines)), schema.unit.private_id
        source, target = self._folder / f"{name}.csv", self._folder / f"{name}.duckdb"
        source.write_text(csv(table))
        ingest(
            source,
            target,
            columns=schema.columns,
            max_rows=schema.max_rows,
            limits=Limits(settings.DPGOV_INGEST_MEMORY_BYTES, settings.DPGOV_INGEST_SECONDS),
            key=secrets.token_bytes(32),
            unit=None if unit is None else UnitNames(unit),
        )
        return DuckDBEngine(
            target,
            seconds=settings.DPGOV_QUERY_SECONDS,
            memory_bytes=settings.DPGOV_QUERY_MEMORY_BYTES,
        )


@contextmanager
def table_files() -> Iterator[TableFiles]:
    """A folder for one run, removed at its end."""
    with tempfile.TemporaryDirectory(prefix="dpgov-noise-check-") as folder:
        yield TableFiles(Path(folder))
