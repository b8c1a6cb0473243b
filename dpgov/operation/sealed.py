"""Values of caches as signed JSON: what somebody else put there is not a value.

A cache may be written by whoever reaches the server that keeps it. So nothing from there is ever
unpickled, and nothing is believed that does not carry this installation's signature for this key: a
stranger can make the product forget what it counted, and nothing else.
"""

import json
import math
import time
from pathlib import Path
from typing import Any, BinaryIO

from django.core.cache.backends.base import DEFAULT_TIMEOUT
from django.core.cache.backends.filebased import FileBasedCache
from django.utils.crypto import constant_time_compare, salted_hmac

_SALT = "dpgov.operation.sealed"
_LONGEST = 100_000


class NotAValue(Exception):
    """What lies there was not put there by this installation under this key."""


class NotPlain(TypeError):
    """Only None, booleans, integers, finite floats, texts, and lists and maps of them are kept."""

    def __init__(self, value: object) -> None:
        super().__init__(f"A {type(value).__name__} cannot be kept in a cache.")


def seal(key: str, value: object) -> bytes:
    """The value as signed text for this key; raises NotPlain for what JSON would change."""
    _check_plain(value)
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    return f"{_signature(key, text)}:{text}".encode()


def unseal(key: str, stored: bytes) -> Any:
    """The value that was sealed for this key; raises NotAValue for anything else."""
    if len(stored) > _LONGEST:
        raise NotAValue
    try:
        signature, _, text = stored.decode().partition(":")
    except UnicodeDecodeError:
        raise NotAValue from None
    # Before it is parsed: a stranger's text is not worth a parser's time.
    if not constant_time_compare(signature, _signature(key, text)):
        raise NotAValue
    return json.loads(text)


def _signature(key: str, text: str) -> str:
    return salted_hmac(f"{_SALT}:{key}", text, algorithm="sha256").hexdigest()


def _check_plain(value: object) -> None:
    """Of exactly these types: JSON would make a list of a tuple and a text of a number as key."""
    kind = type(value)
    if value is None or kind in (bool, int, str) or (isinstance(value, float) and _finite(value)):
        return
    if isinstance(value, list) and kind is list:
        for member in value:
            _check_plain(member)
        return
    if isinstance(value, dict) and kind is dict and all(type(key) is str for key in value):
        for member in value.values():
            _check_plain(member)
        return
    raise NotPlain(value)


def _finite(value: float) -> bool:
    return type(value) is float and math.isfinite(value)


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
