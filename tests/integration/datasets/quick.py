"""Files that are read in this process: the same reader without the child, for tests of many."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from dpgov.datasets.declaration import Declaration
from dpgov.datasets.models import Dataset, Upload
from dpgov.datasets.services import add_version, receive_upload, register_dataset
from dpgov.engines import child
from dpgov.engines.child import Ingested, Inspection, RefusedFile
from dpgov.engines.ingest.recognised.fingerprint import hash_of_file
from dpgov.engines.ingest.refusal import Refused
from dpgov.engines.ingest.store import StoredRows, store
from dpgov.engines.ingest.tables import open_table
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.plan.domains import category_domain, column_spec
from dpgov.privacy.plan.schema import DatasetSchema, Neighbouring, PrivacyUnit
from dpgov.tenants.models import Membership

Rows = Sequence[Sequence[object]]
_MEMORY = 500_000_000


def _ingest(
    source: Path, target: Path, *, limits: Any, watch: Any, reading: Any, join: None, **more: Any
) -> Ingested:
    try:
        stored = _stored(source, target, **more).of_file(hash_of_file(source, reading, more["key"]))
    except Refused as refusal:
        raise RefusedFile(str(refusal)) from refusal
    return Ingested(
        stored.rows,
        stored.fingerprint,
        stored.units,
        addition=stored.addition,
        newcomers=stored.newcomers,
    )


def _stored(source: Path, target: Path, **more: Any) -> StoredRows:
    table = open_table(source, format_name="csv")
    return store(table, target, memory_bytes=_MEMORY, **more)


def _inspect(path: Path, *, limits: Any) -> Inspection:
    with path.open() as file:
        return Inspection("csv", tuple(file.readline().strip().split(",")))


@contextmanager
def read_here() -> Generator[None]:
    """Within, no child process reads files."""
    with patch.object(child, "inspect", _inspect), patch.object(child, "ingest", _ingest):
        yield


def csv(rows: Rows, names: Sequence[str]) -> bytes:
    """A plain file; no cell needs quotes."""
    lines = (",".join(map(str, row)) for row in [names, *rows])
    return ("\n".join(lines) + "\n").encode()


def brought(member: Membership, rows: Rows, names: Sequence[str]) -> Upload:
    """The file, uploaded."""
    return receive_upload(
        tenant=member.tenant, uploader=member.user, name="x.csv", chunks=[csv(rows, names)]
    )


def registered(member: Membership, rows: Rows, names: Sequence[str], name: str = "P") -> Dataset:
    """The file as a dataset of this person's, its first column declared."""
    schema = DatasetSchema((_first(names),), PrivacyUnit(), Neighbouring.ADD_REMOVE, 1, 100_000)
    declaration = Declaration(name, "", schema, 3 * NANO, NANO)
    with read_here():
        return register_dataset(
            tenant=member.tenant,
            owner=member.user,
            upload=brought(member, rows, names),
            declaration=declaration,
        ).dataset


def version_added(
    member: Membership, dataset: Dataset, rows: Rows, names: Sequence[str]
) -> Dataset:
    """The file as a new version, brought by this person."""
    with read_here():
        return add_version(
            dataset=dataset,
            upload=brought(member, rows, names),
            columns=(_first(names),),
            user=member.user,
        ).dataset


def _first(names: Sequence[str]) -> Any:
    return column_spec(names[0], category_domain(("a", "b")), "drop", "")
