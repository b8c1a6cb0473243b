"""Where files live: names made by us, readable by the product's own user alone.

No name or path of a user takes part, so nothing can point outside, and nothing here is served.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from uuid import UUID

from django.conf import settings

from dpgov.privacy.said import said
from dpgov.tenants.spoken import SpokenRefusal


class TooLarge(SpokenRefusal):
    """The content is larger than `largest` bytes; what had been written is gone again."""

    def __init__(self, largest: int) -> None:
        super().__init__(
            said("The file is larger than {megabytes:,} MB.", megabytes=largest // 1_000_000)
        )
        self.largest = largest


def upload_path(upload_id: UUID) -> Path:
    """The raw file of an upload, there until it is registered or discarded."""
    return _folder("uploads") / str(upload_id)


def data_path(version_id: UUID) -> Path:
    """The codes of a dataset version, for the engine."""
    return _folder("data") / f"{version_id}.duckdb"


def arriving_path(version_id: UUID) -> Path:
    """Stands beside a data file until its version is recorded; see `services.orphans`."""
    return _folder("data") / f"{version_id}.arriving"


def left_behind(version_id: UUID) -> list[Path]:
    """The data file and drafts of it, for a version that never came to be."""
    return sorted(_folder("data").glob(f"{version_id}.duckdb*"))


def arriving() -> Iterator[tuple[UUID, Path]]:
    """Every version that began to arrive and is not known to have ended."""
    return _named(_folder("data").glob("*.arriving"))


def raw_files() -> Iterator[tuple[UUID, Path]]:
    """The raw file of every upload."""
    return _named(_folder("uploads").iterdir())


def _named(paths: Iterable[Path]) -> Iterator[tuple[UUID, Path]]:
    for path in paths:
        try:
            yield UUID(path.name.split(".", 1)[0]), path
        except ValueError:
            continue


def _folder(name: str) -> Path:
    folder = Path(settings.DPGOV_HOME) / name
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def write(path: Path, chunks: Iterable[bytes], *, largest: int) -> int:
    """Write a new file chunk by chunk and return its size; raises TooLarge, leaving nothing.

    An existing file or link at `path` is never followed or overwritten.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    size = 0
    try:
        with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
            for chunk in chunks:
                size += len(chunk)
                if size > largest:
                    raise TooLarge(largest)
                file.write(chunk)
    except FileExistsError:
        raise
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return size
