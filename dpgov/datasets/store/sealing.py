"""A file as it lies in somebody else's storage: nothing of it can be read, changed or recognised.

It is encrypted in pieces by AES-256-GCM under a key of its own, out of the installation's key, the
organisation and a random salt (HKDF). Every piece tells its place and whether it is the last one
(the STREAM construction), so that none can be left out, moved or cut off. The name is a keyed hash
of salt and content: whoever opens a file knows that it is the very one that was recorded, and equal
files have nothing in common for whoever lists them. Must never use a salt twice, nor write a byte
that was not authenticated to a place where it could be taken for the file.
"""

import hashlib
import hmac
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Protocol
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

_MARK = b"dpgov store 1\n\0\0"
SALT_BYTES = 32
PIECE = 1 << 20
_TAG = 16
_LENGTH = 8
_LEAST = 1 << 16


class Damaged(Exception):
    """What lies under this name is not what was put there."""


class Sink(Protocol):
    """Whatever takes bytes."""

    def write(self, data: bytes, /) -> object:
        """All of them."""


@dataclass(frozen=True, slots=True)
class Sealer:
    """Seals and opens the files of one organisation."""

    key: bytes
    tenant_id: UUID

    def name(self, salt: bytes, file: BinaryIO) -> str:
        """What a file with this content and salt is called; reads it from its beginning."""
        file.seek(0)
        digest = hashlib.sha256()
        while piece := file.read(PIECE):
            digest.update(piece)
        return self._name(salt, digest.digest())

    def seal(self, salt: bytes, name: str, file: BinaryIO, sink: Sink) -> None:
        """Write the file as it may be stored; `salt` is that of its name."""
        size = file.seek(0, os.SEEK_END)
        file.seek(0)
        sink.write(_MARK + salt)
        cipher = AESGCM(self._derived(b"file", salt))
        pieces = _pieces(_Padded(size, file), _LENGTH + padded(size))
        for number, (piece, last) in enumerate(pieces):
            sink.write(cipher.encrypt(_nonce(number, last), piece, name.encode()))

    def open(self, name: str, stored: BinaryIO, sink: Sink) -> bytes:
        """Write what was sealed under this name; after Damaged none of it may be used.

        Returns the salt of its name.
        """
        salt = self._salt(stored.read(len(_MARK) + SALT_BYTES))
        cipher = AESGCM(self._derived(b"file", salt))
        digest, left = hashlib.sha256(), -1
        for number, (piece, last) in enumerate(_sealed_pieces(stored)):
            try:
                text = cipher.decrypt(_nonce(number, last), piece, name.encode())
            except InvalidTag:
                raise Damaged(name) from None
            if number == 0:
                left, text = int.from_bytes(text[:_LENGTH]), text[_LENGTH:]
            text = text[:left]
            left -= len(text)
            digest.update(text)
            sink.write(text)
        if left or not hmac.compare_digest(name, self._name(salt, digest.digest())):
            raise Damaged(name)
        return salt

    def _salt(self, head: bytes) -> bytes:
        if len(head) != len(_MARK) + SALT_BYTES or not head.startswith(_MARK):
            raise Damaged
        return head[len(_MARK) :]

    def _name(self, salt: bytes, digest: bytes) -> str:
        return hmac.digest(self._derived(b"name", b""), salt + digest, "sha256").hex()

    def _derived(self, purpose: bytes, salt: bytes) -> bytes:
        info = b"dpgov store 1 " + purpose + b" " + self.tenant_id.bytes
        return HKDF(SHA256(), length=32, salt=salt, info=info).derive(self.key)


def padded(size: int) -> int:
    """The size class of a file, an eighth larger at most (Padmé), and never less than 64 KiB.

    Nikitin and others, 2019: so much is told of a size as by its exponent and a few leading bits.
    """
    size = max(size, _LEAST)
    exponent = size.bit_length() - 1
    mask = (1 << (exponent - exponent.bit_length())) - 1
    return (size + mask) & ~mask


class _Padded:
    """The length of a file, the file, and zeros without an end."""

    def __init__(self, size: int, file: BinaryIO) -> None:
        self._head = size.to_bytes(_LENGTH)
        self._left = size
        self._file = file

    def read(self, number: int) -> bytes:
        head, self._head = self._head[:number], self._head[number:]
        text = self._file.read(min(self._left, number - len(head)))
        self._left -= len(text)
        return (head + text).ljust(number, b"\0")


def _pieces(text: _Padded, size: int) -> Iterator[tuple[bytes, bool]]:
    while size > 0:
        piece = text.read(min(PIECE, size))
        size -= len(piece)
        yield piece, size == 0


def _sealed_pieces(stored: BinaryIO) -> Iterator[tuple[bytes, bool]]:
    """Every piece, and whether it is the last one: nothing comes after it."""
    piece = stored.read(PIECE + _TAG)
    while True:
        following = stored.read(PIECE + _TAG)
        yield piece, not following
        if not following:
            return
        piece = following


def _nonce(number: int, last: bool) -> bytes:
    return number.to_bytes(11) + bytes([last])
