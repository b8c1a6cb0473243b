"""Masks that add up to nothing: only the total of all parties can be read, no number of one.

Every two parties agree on a secret (X25519) and make of it, for this question alone, one number
modulo 2^64 for each cell (HKDF with SHA-256); the first of the two adds it, the other takes it
away (Bonawitz and others, Practical Secure Aggregation for Privacy-Preserving Machine Learning,
2017, without its recovery of parties that drop out: here a total comes of all parties or not at
all). As long as two parties are honest, what each of them sends is uniform to everybody else: all
that the rest together see of them is the sum of both.

What could leak: masks of one question used for another one, which would give the difference of two
answers away; a party that is its own peer; a total that is taken before every share is there
(catalogue M41, `unit/privacy/joint`).
"""

from collections.abc import Iterable, Sequence

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from dpgov.privacy.joint.noise import MODULUS

WIDTH = 8
# HKDF with SHA-256 makes 255 times 32 bytes at most.
_BLOCK = 255 * 32 // WIDTH
_LABEL = b"dpgov joint answer v1"


class NotAKey(ValueError):
    """Not a public key that a secret can be agreed with; the text says nothing of it."""


class SharesMissing(ValueError):
    """Not one share of every party: nothing is added up."""


def public_key_of(private: bytes) -> bytes:
    """The 32 bytes that others are given."""
    return X25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw()


def mask_of(
    *, private: bytes, place: int, keys: Sequence[bytes], question: bytes, cells: int
) -> list[int]:
    """One party's mask for each cell, modulo 2^64.

    `keys` are the public keys of all parties in their order, of which the own one stands at
    `place`; `question` names the question and is never used twice. Raises NotAKey for keys that
    are not all different, not of this party, or none at all.
    """
    if len(set(keys)) != len(keys) or not question:
        raise NotAKey("every party has a key of its own")
    if not 0 <= place < len(keys) or keys[place] != public_key_of(private):
        raise NotAKey("this is not the key that the others know")
    whole = [0] * cells
    for other, key in enumerate(keys):
        if other == place:
            continue
        first, second = sorted((place, other))
        context = b"".join(
            (len(question).to_bytes(2, "big"), question, _place(first), _place(second))
        )
        pair = _stream(_agreed(private, key), context + keys[first] + keys[second], cells)
        sign = 1 if place == first else -1
        whole = [(mask + sign * one) % MODULUS for mask, one in zip(whole, pair, strict=True)]
    return whole


def masked(values: Sequence[int], mask: Sequence[int]) -> list[int]:
    """What a party sends: its noisy integers, hidden."""
    return [(value + one) % MODULUS for value, one in zip(values, mask, strict=True)]


def total_of(shares: Sequence[Sequence[int]], parties: int) -> list[int]:
    """What the shares of all parties add up to, as signed integers. Raises SharesMissing."""
    if len(shares) != parties or len({len(share) for share in shares}) != 1:
        raise SharesMissing("one share of each party, all of the same length")
    if any(not 0 <= number < MODULUS for share in shares for number in share):
        raise SharesMissing("a share has numbers below 2^64")
    sums = [sum(cell) % MODULUS for cell in zip(*shares, strict=True)]
    return [one - MODULUS if one >= MODULUS // 2 else one for one in sums]


def as_bytes(share: Iterable[int]) -> bytes:
    """Eight bytes for each number, so that every share of a question has one size."""
    return b"".join(number.to_bytes(WIDTH, "big") for number in share)


def from_bytes(text: bytes) -> list[int]:
    """The numbers of a stored share. Raises SharesMissing for what is cut off."""
    if len(text) % WIDTH:
        raise SharesMissing("a share has eight bytes for each number")
    return [int.from_bytes(text[at : at + WIDTH], "big") for at in range(0, len(text), WIDTH)]


def _agreed(private: bytes, other: bytes) -> bytes:
    try:
        peer = X25519PublicKey.from_public_bytes(other)
        return X25519PrivateKey.from_private_bytes(private).exchange(peer)
    except ValueError as error:
        raise NotAKey("no secret can be agreed with this key") from error


def _place(place: int) -> bytes:
    return place.to_bytes(2, "big")


def _stream(secret: bytes, context: bytes, cells: int) -> list[int]:
    """One number below 2^64 for each cell."""
    found: list[int] = []
    for block, start in enumerate(range(0, cells, _BLOCK)):
        width = min(_BLOCK, cells - start)
        info = _LABEL + block.to_bytes(4, "big") + context
        drawn = HKDF(SHA256(), WIDTH * width, salt=None, info=info).derive(secret)
        found += from_bytes(drawn)
    return found
