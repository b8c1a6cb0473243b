"""Takes an upload's bytes off the wire without ever holding more of them than allowed."""

from typing import Any

from django.core.files.uploadhandler import (
    FileUploadHandler,
    SkipFile,
    TemporaryFileUploadHandler,
)
from django.http import HttpRequest


class NoFiles(FileUploadHandler):
    """The rule everywhere but on the upload page: a file is read past and never stored."""

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        """Refuse it; the fields of the form around it are still read."""
        raise SkipFile

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """Nothing of a refused file arrives here."""

    def file_complete(self, file_size: int) -> None:
        """There is no file."""


class CappedUploadHandler(TemporaryFileUploadHandler):
    """Spools one file, named `file`, to a temporary file; the rest is read and thrown away.

    `too_large` says that the file was dropped because it had more than `largest` bytes.
    """

    def __init__(self, request: HttpRequest, *, largest: int) -> None:
        super().__init__(request)
        self.too_large = False
        self._largest = largest
        self._seen = False

    def new_file(self, field_name: str, *args: Any, **kwargs: Any) -> None:
        """Begin a file; others than the first one called `file` are skipped."""
        if field_name != "file" or self._seen:
            raise SkipFile
        self._seen = True
        super().new_file(field_name, *args, **kwargs)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """Write a chunk, or give the file up."""
        if start + len(raw_data) > self._largest:
            self.too_large = True
            self.file.close()
            raise SkipFile
        super().receive_data_chunk(raw_data, start)
