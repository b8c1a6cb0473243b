"""Parquet files on storage that an owner's cluster sees, asked through Spark Connect.

Recognised by their path. Of two folders, one within the other has rows of it; the same path may be
called through two servers, or by two names of one kind of storage.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from django.conf import settings

from dpgov.datasets.models import LiveTable
from dpgov.datasets.services.live.kinds.base import (
    HOST,
    Problems,
    SourceDescription,
    SourceKind,
    SourceNames,
    TypedField,
    port,
    statement_seconds,
)
from dpgov.datasets.services.live.refusals import SHARED
from dpgov.engines.live import LiveEngine, Provenance
from dpgov.engines.spark.checking import Problem
from dpgov.engines.spark.engine import SparkEngine, check_source
from dpgov.engines.spark.rows import Source
from dpgov.engines.spark.server import Server, is_installed, is_within
from dpgov.language.said import Said, said
from dpgov.privacy.plan.schema import ColumnSpec, PrivacyUnit

# Clients of one storage, of several ages.
_SAME = {"s3n": "s3", "s3a": "s3", "wasbs": "wasb", "abfss": "abfs"}

_PROBLEMS: Problems = {
    **{problem: SHARED[problem.value] for problem in Problem if problem.value in SHARED},
    Problem.NOT_FOUND: (
        "path",
        said("There are no Parquet files here that the server can read as one table."),
    ),
    Problem.TABLE_FORMAT: (
        "path",
        said(
            "These are the files of a Delta, Iceberg or Hudi table, or nobody can tell: they "
            "may hold rows that are no longer in it. Write the table out as plain Parquet."
        ),
    ),
    Problem.MOMENTS: (
        "columns",
        said(
            "Nobody declared that this column is kept in microseconds. Leave it out, or "
            "connect the files again and declare it there."
        ),
    ),
    Problem.FORMULA: (
        "columns",
        said("The numbers of this ratio are too large for Spark. Declare a wider step."),
    ),
}


class Spark(SourceKind):
    """One Parquet file, or a folder of files that agree in their columns."""

    name = "spark"
    title = said("Parquet files, through Spark Connect")
    rows_are = said(
        "Live table of Parquet files, asked through Spark: they stay on its owner’s storage, and "
        "may be others tomorrow"
    )
    lead = said(
        "Step 1 of 2: say where the files are. Their rows stay there: questions are asked of your "
        "cluster through Spark Connect, and only what they count leaves it."
    )
    notes: tuple[Said, ...] = (
        said(
            "Now the server is asked for the names and types of the columns, which it takes from "
            "the footers of the files. No row is read."
        ),
        said(
            "Add files or take files away as you like, but never write over one: a question that "
            "runs meanwhile could read neither the old rows nor the new ones."
        ),
        said(
            "A folder of Delta, Iceberg or Hudi is refused: it holds rows that are no longer in "
            "the table. A path in a registered folder, or around one, counts as that dataset."
        ),
    )
    fields = (
        HOST,
        port(15002),
        TypedField(
            "path",
            said("File or folder"),
            said("With its scheme, such as s3a://hospital/visits, in a folder that is allowed."),
            longest=500,
        ),
        TypedField(
            "in_microseconds",
            said("Dates with hours are kept in microseconds, in every file"),
            said(
                "Spark does not show it: tick this only after you looked into the footers, and "
                "write all later files so. INT96, nanoseconds and milliseconds are something else. "
                "Without it such columns are left out. The log says what you declared."
            ),
            how="tick",
        ),
    )
    secret = TypedField("password", said("Token"))
    named_by = "path"
    is_cluster = True
    not_allowed = said(
        "This server, or this path on it, is not on the list of this installation. Ask the people "
        "who run it to allow this host and port, and a folder that the path lies in."
    )
    not_reached = said(
        "The server did not let us in. Check host, port and token, that it is Spark Connect 4 or "
        "newer, and that it offers TLS with a certificate for this name."
    )
    problems = _PROBLEMS

    @property
    def is_offered(self) -> bool:
        return bool(_folders())

    @property
    def lacks(self) -> Said | None:
        if is_installed():
            return None
        return said(
            "This installation has no client of Spark, so that nothing can be asked through it. "
            "The people who run it can add it: it is an optional group of dependencies."
        )

    def is_allowed(self, live: LiveTable) -> bool:
        return is_within(live.path, _folders().get(live.address, ()))

    def written(self, values: Mapping[str, Any]) -> dict[str, Any]:
        path = values["path"].removesuffix("/")
        return {**values, "host": values["host"].lower(), "path": path}

    def check(
        self, live: LiveTable, secret: str, columns: tuple[ColumnSpec, ...], unit: PrivacyUnit
    ) -> SourceDescription:
        source = _source(live, columns, unit)
        kinds = check_source(_server(live, secret), source, allowed=_folders())
        return SourceDescription(kinds, _names(live))

    def engine(
        self,
        live: LiveTable,
        secret: str,
        columns: tuple[ColumnSpec, ...],
        unit: PrivacyUnit,
        key: bytes,
    ) -> LiveEngine:
        return SparkEngine(
            _server(live, secret),
            _source(live, columns, unit),
            allowed=_folders(),
            key=key,
            seconds=statement_seconds(),
        )

    def names(self, live: LiveTable, provenance: Provenance) -> SourceNames:
        return _names(live)

    def sought(self, live: LiveTable) -> frozenset[str] | None:
        return _names(live).sought


def _folders() -> Mapping[str, Collection[str]]:
    found: Mapping[str, Collection[str]] = settings.DPGOV_LIVE["folders"]
    return found


def _server(live: LiveTable, token: str) -> Server:
    certificates = settings.DPGOV_LIVE["ca_file"]
    return Server(
        live.host,
        live.port,
        token,
        is_encrypted=settings.DPGOV_LIVE["tls"] != "disable",
        certificates="" if certificates == "system" else certificates,
    )


def _source(live: LiveTable, columns: tuple[ColumnSpec, ...], unit: PrivacyUnit) -> Source:
    return Source(live.path, columns, unit, in_microseconds=live.in_microseconds)


def _names(live: LiveTable) -> SourceNames:
    """Whose path begins with whose: of two, one is named at the other, or within it.

    Two folders in a third are not the same, though both are within it: nobody seeks that.
    """
    path, *above = _paths(live.path)
    here = f"spark {live.address}/at {path}"
    claim = f"spark/at {path}"
    within = {f"spark/within {folder}": False for folder in (path, *above)}
    sought = {f"spark/at {folder}" for folder in above}
    kept = {here: True, claim: False, **within}
    return SourceNames(claim, kept, frozenset({here, claim, f"spark/within {path}", *sought}))


def _paths(path: str) -> Iterator[str]:
    """The path in one spelling, and each folder that it lies in, up to the storage itself."""
    scheme, _, rest = path.partition("://")
    authority, *steps = rest.split("/")
    name = scheme.lower()
    root = f"{_SAME.get(name, name)}://{authority.lower()}"
    for size in range(len(steps), -1, -1):
        yield "/".join([root, *steps[:size]])
