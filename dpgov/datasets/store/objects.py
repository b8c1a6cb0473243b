"""S3-compatible object storage as the store: everything is sealed before it leaves this machine.

The storage's operator sees how many files there are, their size classes, and when they come, go
and are read. Must never reach another address than the operator declared, nor take credentials from
anywhere but the environment of this product.
"""

import os
import secrets
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO
from uuid import UUID

from dpgov.datasets.store.base import Beat, Mark, Missing, StoreAway, quiet
from dpgov.datasets.store.sealing import PIECE, SALT_BYTES, Damaged, Sealer, Sink
from dpgov.operation.away import FULL

_CONNECT_SECONDS, _REQUEST_SECONDS, _ATTEMPTS = 3, 20, 3
_FILES, _MARK_SECONDS = "files", 600


@dataclass(frozen=True, slots=True)
class Bucket:
    """A bucket, a folder in it, where it is served, and what opens it."""

    bucket: str
    folder: str
    region: str
    endpoint: str
    tls: bool
    ca_file: str
    access_key: str = field(repr=False)
    secret_key: str = field(repr=False)
    key: bytes = field(repr=False)


class _Beating:
    """Says after each piece that the work goes on."""

    def __init__(self, sink: Sink, beat: Beat) -> None:
        self._sink, self._beat = sink, beat

    def write(self, data: bytes, /) -> object:
        self._beat()
        return self._sink.write(data)


class _Nowhere:
    """For what is read to be compared alone."""

    def write(self, data: bytes, /) -> object:
        return len(data)


class InObjects:
    """Files under `files/`, marks under `arriving/` and `leaving/`."""

    is_shared = True

    def __init__(self, place: Bucket) -> None:
        self._place = place
        self._opened: tuple[int, Any] | None = None

    def put(self, tenant_id: UUID, path: Path, *, beat: Beat = quiet) -> str:
        """A broken upload leaves its mark, by which the sweeper ends it."""
        sealer, salt = Sealer(self._place.key, tenant_id), secrets.token_bytes(SALT_BYTES)
        with path.open("rb") as file:
            name = sealer.name(salt, file)
            self.mark([name], Mark.ARRIVING)
            marking = self.fresh(name, beat)
            with _away(), self._system.open_output_stream(self._at(_FILES, name)) as stream:
                sealer.seal(salt, name, file, _Beating(stream, marking))
        return name

    def bring(self, tenant_id: UUID, name: str, path: Path, *, beat: Beat = quiet) -> None:
        """A copy for the product's user alone; raises Missing for what cannot be opened."""
        sealer, at = Sealer(self._place.key, tenant_id), self._at(_FILES, name)
        with _away(), _whole_file(path) as copy:
            try:
                with self._system.open_input_stream(at, buffer_size=4 * PIECE) as stored:
                    sealer.open(name, stored, _Beating(copy, beat))
            except (FileNotFoundError, Damaged):
                raise Missing(name) from None

    def holds(self, tenant_id: UUID, name: str, path: Path, *, beat: Beat = quiet) -> bool:
        """By the keyed hash of both contents; what cannot be opened holds nothing."""
        sealer, at = Sealer(self._place.key, tenant_id), self._at(_FILES, name)
        with _away():
            try:
                with self._system.open_input_stream(at, buffer_size=4 * PIECE) as stored:
                    salt = sealer.open(name, stored, _Beating(_Nowhere(), beat))
            except (FileNotFoundError, Damaged):
                return False
        with path.open("rb") as file:
            return sealer.name(salt, file) == name

    def size(self, name: str) -> int | None:
        """As it is stored, which is no smaller than the file."""
        with _away():
            found = self._system.get_file_info(self._at(_FILES, name))
        return found.size if found.is_file else None

    def remove(self, name: str) -> None:
        """The file first: a mark without a file is taken away by the next round."""
        for kind in (_FILES, *Mark):
            self._delete(self._at(kind, name))

    def mark(self, names: Iterable[str], mark: Mark) -> None:
        """An empty object for each."""
        for name in names:
            with _away():
                self._system.open_output_stream(self._at(mark, name)).close()

    def unmark(self, name: str, mark: Mark) -> None:
        """The mark goes."""
        self._delete(self._at(mark, name))

    def marked(self, mark: Mark, *, older_than: float) -> list[str]:
        """By the storage's clock, so that a rough age will do."""
        from pyarrow.fs import FileSelector

        folder = FileSelector(self._at(mark, ""), allow_not_found=True)
        with _away():
            found = self._system.get_file_info(folder)
        newest = time.time() - older_than
        return [one.base_name for one in found if one.is_file and one.mtime.timestamp() <= newest]

    def fresh(self, name: str, beat: Beat) -> Beat:
        """Mark it anew now and again: a mark that is an hour old is that of somebody who died."""
        marked = time.monotonic()

        def tell() -> None:
            nonlocal marked
            beat()
            if time.monotonic() - marked > _MARK_SECONDS:
                self.mark([name], Mark.ARRIVING)
                marked = time.monotonic()

        return tell

    def _delete(self, path: str) -> None:
        with _away():
            try:
                self._system.delete_file(path)
            except FileNotFoundError:
                return

    def _at(self, kind: str, name: str) -> str:
        parts = (self._place.bucket, self._place.folder, kind, name)
        return "/".join(part for part in parts if part)

    @property
    def _system(self) -> Any:
        """Opened by each process for itself: threads and connections do not survive a fork."""
        if self._opened is None or self._opened[0] != os.getpid():
            self._opened = (os.getpid(), self._open())
        return self._opened[1]

    def _open(self) -> Any:
        # Half a second of imports, which an installation without object storage need not wait for.
        from pyarrow.fs import AwsStandardS3RetryStrategy, S3FileSystem

        place = self._place
        return S3FileSystem(
            access_key=place.access_key,
            secret_key=place.secret_key,
            region=place.region,
            endpoint_override=place.endpoint or None,
            scheme="https" if place.tls else "http",
            tls_ca_file_path=place.ca_file or None,
            connect_timeout=_CONNECT_SECONDS,
            request_timeout=_REQUEST_SECONDS,
            retry_strategy=AwsStandardS3RetryStrategy(max_attempts=_ATTEMPTS),
        )


@contextmanager
def _whole_file(path: Path) -> Iterator[BinaryIO]:
    """A new file under this name, forced to disk; gone again if the block raises."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
        try:
            yield file
            file.flush()
            os.fsync(file.fileno())
        except BaseException:
            path.unlink(missing_ok=True)
            raise


@contextmanager
def _away() -> Iterator[None]:
    """Whatever the storage says is an outage; its text may name addresses, and stays here."""
    try:
        yield
    except StoreAway:
        raise
    except OSError as problem:
        if problem.errno in FULL:
            raise
        raise StoreAway(type(problem).__name__) from None
