"""Django's cache in files, with signed JSON in them instead of pickles."""

import time
from pathlib import Path
from typing import Any, BinaryIO

from django.core.cache.backends.base import DEFAULT_TIMEOUT
from django.core.cache.backends.filebased import FileBasedCache

from dpgov.operation.sealed import NotAValue, seal, unseal

_PLACE = "file"
_MISSING = object()


class SealedFileCache(FileBasedCache):
    """What cannot be read as ours is not there. Values as in `dpgov.operation.sealed`."""

    # Django's, without a type.
    _key_to_file: Any
    _delete: Any

    def get(self, key: Any, default: Any = None, version: Any = None) -> Any:
        """The value, unless it is missing, has expired or is not ours."""
        try:
            with Path(self._key_to_file(key, version)).open("rb") as file:
                found = self._found(file)
        except FileNotFoundError:
            return default
        return default if found is _MISSING else found

    def touch(self, key: Any, timeout: Any = DEFAULT_TIMEOUT, version: Any = None) -> bool:
        """Whether there was a value, which now expires later."""
        value = self.get(key, _MISSING, version)
        if value is _MISSING:
            return False
        self.set(key, value, timeout, version)
        return True

    def _write_content(self, file: BinaryIO, timeout: Any, value: Any) -> None:
        file.write(seal(_PLACE, [self.get_backend_timeout(timeout), value]))

    def _is_expired(self, file: BinaryIO) -> bool:
        return self._found(file) is _MISSING

    def _found(self, file: BinaryIO) -> Any:
        """The value in the open file; a file that holds none (any more) is taken away."""
        try:
            expires, value = unseal(_PLACE, file.read())
            if expires is None or expires >= time.time():
                return value
        except NotAValue:
            pass
        self._delete(file.name)
        return _MISSING
