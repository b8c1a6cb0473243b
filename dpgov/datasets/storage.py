"""Where files live: names made by us, readable by the product's own user alone.

No name or path of a user takes part, so nothing can point outside, and nothing here is served.
"""

import errno
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from io import BufferedWriter
from pathlib import Path
from uuid import UUID, uuid4

from django.conf import settings

from dpgov.language.said import said
from dpgov.language.spoken import SpokenRefusal

FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
_ARRIVING = ".part"


class NoRoom(SpokenRefusal):
    """The state folder is full: nothing is kept, and whoever runs the installation has to help."""

    def __init__(self) -> None:
        super().__init__(
            said(
                "This installation has no room for the file at present. Its operator finds the "
                "reason in its log; try again once there is room."
            )
        )


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


def data_folder() -> Path:
    """Where they lie, and the marks beside them."""
    return _folder("data")


def data_files() -> list[tuple[UUID, Path]]:
    """Every data file that is here, by its version."""
    return list(_named(data_folder().glob("*.duckdb")))


def away_path(version_id: UUID) -> Path:
    """Says by its age when a file could last not be brought here; see `stored.bringing`."""
    return _folder("data") / f"{version_id}.away"


def arriving_path(version_id: UUID) -> Path:
    """Stands beside a data file until its version is recorded; see `services.orphans`."""
    return _folder("data") / f"{version_id}.arriving"


def leaving_path(version_id: UUID) -> Path:
    """Stands beside a data file that is being deleted; see `services.deleting`."""
    return _folder("data") / f"{version_id}.leaving"


def leaving() -> Iterator[tuple[UUID, Path]]:
    """Every version whose data file began to be deleted and may still be there."""
    return _named(_folder("data").glob("*.leaving"))


def remove_left_behind(version_id: UUID) -> None:
    """Delete the data file and drafts of it, of a version that never came to be.

    Some of these are folders: of what was put aside, or did not fit into memory.
    """
    for path in _folder("data").glob(f"{version_id}.duckdb*"):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def arriving() -> Iterator[tuple[UUID, Path]]:
    """Every version that began to arrive and is not known to have ended."""
    return _named(_folder("data").glob("*.arriving"))


def raw_files() -> Iterator[tuple[UUID, Path]]:
    """The raw file of every upload, and of those that are still arriving."""
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


class Spool:
    """A file that is still arriving, under a name of ours that nobody looks at.

    It is gone again unless it is kept. What a process leaves here that dies is an orphan.
    """

    def __init__(self, *, largest: int) -> None:
        self.id = uuid4()
        self.size = 0
        self._largest = largest
        self._path = _folder("uploads") / f"{self.id}{_ARRIVING}"
        self._file = _new_file(self._path)

    def write(self, chunk: bytes) -> None:
        """Take the next bytes; raises TooLarge or NoRoom, and then nothing of the file is left."""
        self.size += len(chunk)
        if self.size > self._largest:
            self.discard()
            raise TooLarge(self._largest)
        with self._or_nothing():
            self._file.write(chunk)

    def keep(self) -> Path:
        """The whole file, by the name of its upload; renamed, not written a second time."""
        with self._or_nothing():
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()
            return self._path.rename(upload_path(self.id))

    def discard(self) -> None:
        """Leave nothing, unless the file is kept already."""
        with suppress(OSError):
            self._file.close()
        self._path.unlink(missing_ok=True)

    @contextmanager
    def _or_nothing(self) -> Iterator[None]:
        try:
            yield
        except OSError as problem:
            self.discard()
            if problem.errno in FULL:
                raise NoRoom from problem
            raise


def _new_file(path: Path) -> BufferedWriter:
    """An existing file or link at `path` is never followed or overwritten."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    try:
        return os.fdopen(os.open(path, flags, 0o600), "wb")
    except OSError as problem:
        if problem.errno in FULL:
            raise NoRoom from problem
        raise
