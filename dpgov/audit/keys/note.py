"""Signed checkpoints: the head of a log as a C2SP tlog-checkpoint in a C2SP signed note.

Pure: texts and keys in, texts out. A note is a text, an empty line, and a line for each signature
(Ed25519); the text of a checkpoint is the log's name, its size and the base64 of its root. Formats:
c2sp.org/signed-note and c2sp.org/tlog-checkpoint.
"""

import base64
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from dpgov.language.said import said

_ED25519 = b"\x01"
_DASH = "— "
_LONGEST_NOTE = 1_000_000
_MOST_SIGNATURES = 100
_SEED_BYTES = 32


class UnreadableNote(ValueError):
    """The text is not a signed checkpoint; `str` says what is wrong with it."""


class UnreadableKey(ValueError):
    """The text is not a key of the expected form; `str` never repeats it."""


class NotSigned(ValueError):
    """No signature of a known key is on the note, or one of them is forged."""


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A log's public key: what a verifier must have from a trusted place.

    From the size `until` on a key that followed has to sign, as far as is known: this one alone
    proves nothing any more.
    """

    name: str
    raw: bytes
    until: int | None = field(default=None, compare=False)

    @property
    def key_id(self) -> bytes:
        """The first four bytes of SHA-256(name, newline, 0x01, key)."""
        return hashlib.sha256(f"{self.name}\n".encode() + _ED25519 + self.raw).digest()[:4]

    def as_text(self) -> str:
        """The one-line form: name+id+base64."""
        return f"{self.name}+{self.key_id.hex()}+{_base64(_ED25519 + self.raw)}"

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the key in hex, for reading out over the telephone."""
        return hashlib.sha256(self.raw).hexdigest()


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The head of a log: its name, its number of entries and the root over them."""

    origin: str
    size: int
    root: bytes

    def as_text(self) -> str:
        """The three lines that are signed."""
        return f"{self.origin}\n{self.size}\n{_base64(self.root)}\n"


@dataclass(frozen=True, slots=True)
class Signature:
    """One signature line of a note."""

    name: str
    key_id: bytes
    signature: bytes


@dataclass(frozen=True, slots=True)
class Note:
    """A note taken apart; nothing in it is verified yet."""

    text: str
    signatures: tuple[Signature, ...]


def new_seed() -> str:
    """A new private key: base64 of 32 random bytes."""
    return _base64(Ed25519PrivateKey.generate().private_bytes_raw())


def public_key(*, seed: str, name: str) -> PublicKey:
    """The public key that belongs to a private one, for the log of this name."""
    return PublicKey(name=name, raw=_private(seed).public_key().public_bytes_raw())


def parse_public_key(text: str) -> PublicKey:
    """A key from its one-line form; raises UnreadableKey."""
    name, _, rest = text.strip().partition("+")
    key_id, _, encoded = rest.partition("+")
    raw = _decoded(encoded) or b""
    key = PublicKey(name=name, raw=raw[1:])
    if not _good_name(name) or raw[:1] != _ED25519 or len(raw) != 1 + _SEED_BYTES:
        raise UnreadableKey("A public key is one line: name+id+base64, made by Ed25519.")
    if key.key_id.hex() != key_id:
        raise UnreadableKey(f"The id of the public key of {name} does not fit the key.")
    return key


def sign(text: str, *, seeds: Sequence[str], name: str) -> str:
    """The signed note over a text that ends with a newline, one signature for each key."""
    lines = []
    for seed in seeds:
        key_id = public_key(seed=seed, name=name).key_id
        signature = _private(seed).sign(text.encode())
        lines.append(f"{_DASH}{name} {_base64(key_id + signature)}\n")
    return f"{text}\n{''.join(lines)}"


def parse_note(note: str) -> Note:
    """Take a note apart; raises UnreadableNote."""
    text, found, rest = note.rpartition("\n\n")
    lines = rest.split("\n")
    if len(note) > _LONGEST_NOTE or not found or lines.pop() or len(lines) > _MOST_SIGNATURES:
        raise UnreadableNote(
            said("It is not a signed note: a text, an empty line, then signatures.")
        )
    return Note(text=f"{text}\n", signatures=tuple(map(_signature, lines)))


def parse_checkpoint(note: str) -> Checkpoint:
    """What a note says about its log, whoever signed it; raises UnreadableNote."""
    text = parse_note(note).text
    lines = text.split("\n")
    origin, size, encoded = (*lines, "", "", "")[:3]
    root = _decoded(encoded)
    if not origin or len(lines) < 4 or root is None or len(root) != hashlib.sha256().digest_size:
        raise UnreadableNote(said("It is not a checkpoint: name of the log, size, root."))
    if not size.isascii() or not size.isdecimal() or len(size) > 18 or str(int(size)) != size:
        raise UnreadableNote(said("The size in the checkpoint is not a plain number."))
    return Checkpoint(origin=origin, size=int(size), root=root)


def opened(note: str, keys: Iterable[PublicKey]) -> Checkpoint:
    """The checkpoint of a note that is signed by the log itself with one of these keys.

    A key counts for the log of its own name alone, and no further than to where the next one
    begins. Raises NotSigned, UnreadableNote.
    """
    checkpoint = parse_checkpoint(note)
    own = [key for key in keys if key.name == checkpoint.origin]
    check_signed(note, own)
    check_signed(note, [key for key in own if key.until is None or checkpoint.size < key.until])
    return checkpoint


def check_signed(note: str, keys: Iterable[PublicKey]) -> None:
    """Raise NotSigned unless a key signed it; a bad signature of a known key is one too many."""
    parts, known = parse_note(note), {(key.name, key.key_id): key for key in keys}
    signed = [(known.get((s.name, s.key_id)), s.signature) for s in parts.signatures]
    checks = [(key, signature) for key, signature in signed if key]
    if not checks:
        raise NotSigned(said("it is not signed by a known key of this log"))
    for key, signature in checks:
        _check(key, signature, parts.text)


def _check(key: PublicKey, signature: bytes, text: str) -> None:
    try:
        Ed25519PublicKey.from_public_bytes(key.raw).verify(signature, text.encode())
    except InvalidSignature as error:
        forged = said("its signature by key {key} is forged", key=key.key_id.hex())
        raise NotSigned(forged) from error


def _signature(line: str) -> Signature:
    name, _, encoded = line.removeprefix(_DASH).partition(" ")
    raw = _decoded(encoded) or b""
    if not line.startswith(_DASH) or not _good_name(name) or len(raw) < 5:
        raise UnreadableNote(said("A signature line of the note is malformed."))
    return Signature(name=name, key_id=raw[:4], signature=raw[4:])


def _good_name(name: str) -> bool:
    return bool(name) and "+" not in name and not any(map(str.isspace, name))


def _private(seed: str) -> Ed25519PrivateKey:
    raw = _decoded(seed.strip())
    if raw is None or len(raw) != _SEED_BYTES:
        raise UnreadableKey("A checkpoint key is the base64 of 32 random bytes, on one line.")
    return Ed25519PrivateKey.from_private_bytes(raw)


def _base64(raw: bytes) -> str:
    return base64.b64encode(raw).decode("ascii")


def _decoded(text: str) -> bytes | None:
    """The bytes of strict base64, in its one form; None for anything else."""
    try:
        raw = base64.b64decode(text, validate=True)
    except ValueError:
        return None
    return raw if _base64(raw) == text else None
