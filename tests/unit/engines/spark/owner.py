"""The cluster of an invented owner: files are written beside it, and read through it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from dpgov.engines.spark.engine import SparkEngine
from dpgov.engines.spark.rows import Source
from dpgov.engines.spark.server import Server
from dpgov.privacy.plan.schema import ColumnSpec, PrivacyUnit
from tests.servers.spark import Spark

KEY = bytes(range(32))


@dataclass(frozen=True)
class Owner:
    """What an owner has: a cluster, and a folder that each of its workers sees."""

    spark: Spark
    folder: Path

    @property
    def server(self) -> Server:
        return Server("127.0.0.1", self.spark.port, self.spark.token, is_encrypted=False)

    @property
    def root(self) -> str:
        return f"file://{self.folder}/"

    @property
    def allowed(self) -> dict[str, list[str]]:
        return {self.server.address: [self.root]}

    def has(self, name: str, columns: Mapping[str, pa.Array], **options: Any) -> Path:
        """Write a file of this name anew; a name within a folder makes the folder."""
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        pq.write_table(pa.table(dict(columns)), path, **options)
        return path

    def source(
        self, name: str, columns: Sequence[ColumnSpec], unit: PrivacyUnit | None = None
    ) -> Source:
        path = f"{self.root}{name}"
        return Source(path, tuple(columns), unit or PrivacyUnit(), in_microseconds=True)

    def engine(
        self,
        name: str,
        columns: Sequence[ColumnSpec],
        unit: PrivacyUnit | None = None,
        *,
        seconds: int = 600,
        **changed: Any,
    ) -> SparkEngine:
        """An engine over files of this owner."""
        return SparkEngine(
            replace(self.server, **changed),
            self.source(name, columns, unit),
            allowed=self.allowed,
            key=KEY,
            seconds=seconds,
        )
