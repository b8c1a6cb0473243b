"""Takes an upload's bytes off the wire without ever holding more of them than allowed.

Never through a temporary folder: that is small where the product runs in a container.
"""

from io import BytesIO
from typing import TYPE_CHECKING, Any

from django.core.files.uploadedfile import SimpleUploadedFile, UploadedFile
from django.core.files.uploadhandler import FileUploadHandler, SkipFile
from django.http import HttpRequest

from dpgov.datasets.storage import NoRoom, Spool, TooLarge

# Django's own class takes no argument when it runs.
if TYPE_CHECKING:
    _UploadedFile = UploadedFile[bytes]
else:
    _UploadedFile = UploadedFile


class NoFiles(FileUploadHandler):
    """The rule everywhere but on the upload page: a file is read past and never stored."""

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        """Refuse it; the fields of the form around it are still read."""
        raise SkipFile

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """Nothing of a refused file arrives here."""

    def file_complete(self, file_size: int) -> None:
        """There is no file."""


class _OneFile(FileUploadHandler):
    """Takes the first file named `file`; the rest is read and thrown away.

    `too_large` says that it was dropped because it had more than `largest` bytes.
    """

    def __init__(self, request: HttpRequest, *, largest: int) -> None:
        super().__init__(request)
        self.too_large = False
        self.largest = largest
        self._seen = False

    def new_file(self, field_name: str, *args: Any, **kwargs: Any) -> None:
        """Begin a file; others are skipped."""
        if field_name != "file" or self._seen:
            raise SkipFile
        self._seen = True
        super().new_file(field_name, *args, **kwargs)


class MemoryHandler(_OneFile):
    """For a small file: it is never written anywhere."""

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        """Begin it."""
        super().new_file(*args, **kwargs)
        self._bytes = BytesIO()

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """Take a chunk, or give the file up."""
        if start + len(raw_data) > self.largest:
            self.too_large = True
            raise SkipFile
        self._bytes.write(raw_data)

    def file_complete(self, file_size: int) -> "UploadedFile[bytes]":
        """The file."""
        return SimpleUploadedFile(self.file_name or "", self._bytes.getvalue())


class SpooledFile(_UploadedFile):
    """An uploaded file that lies in the state folder; closed before it is kept, it is gone."""

    def __init__(self, spool: Spool, name: str) -> None:
        super().__init__(None, name, size=spool.size)
        self.spool = spool

    def close(self) -> None:
        """Django does so at the end of the request."""
        self.spool.discard()


class SpoolHandler(_OneFile):
    """Streams the file into the state folder, from where it is renamed and not copied.

    `no_room` says that it was dropped because the disk is full.
    """

    def __init__(self, request: HttpRequest, *, largest: int) -> None:
        super().__init__(request, largest=largest)
        self.no_room = False
        self._spools: list[Spool] = []

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        """Begin it."""
        super().new_file(*args, **kwargs)
        try:
            self._spools.append(Spool(largest=self.largest))
        except NoRoom as full:
            self.no_room = True
            raise SkipFile from full

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """Write a chunk, or give the file up."""
        try:
            self._spools[-1].write(raw_data)
        except TooLarge as problem:
            self.too_large = True
            raise SkipFile from problem
        except NoRoom as problem:
            self.no_room = True
            raise SkipFile from problem

    def file_complete(self, file_size: int) -> SpooledFile:
        """The file, not yet kept."""
        return SpooledFile(self._spools[-1], self.file_name or "")

    def forget(self) -> None:
        """Whatever happened on the way: a file that was not kept is gone."""
        for spool in self._spools:
            spool.discard()
