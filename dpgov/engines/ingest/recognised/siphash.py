"""SipHash-2-4 of whole arrays: a hash that nobody without the key can compute or check.

Aumasson and Bernstein, "SipHash: a fast short-input PRF" (2012). Every element is one message of
eight bytes, a little-endian word.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.uint64]
_START = (0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573)
_LENGTH = np.uint64(8 << 56)
# So many at a time that the state stays in a processor's own memory.
_AT_A_TIME = 1 << 15


@dataclass(frozen=True, slots=True)
class SipKey:
    """The two words of a key of sixteen bytes."""

    low: int
    high: int

    @classmethod
    def of(cls, key: bytes) -> "SipKey":
        """From exactly sixteen bytes."""
        if len(key) != 16:
            raise ValueError("a SipHash key has sixteen bytes")
        return cls(int.from_bytes(key[:8], "little"), int.from_bytes(key[8:], "little"))


def siphash(key: SipKey, messages: Words) -> Words:
    """The hash of each word."""
    hashes = np.empty(len(messages), np.uint64)
    room = np.empty((5, min(_AT_A_TIME, len(messages))), np.uint64)
    for begin in range(0, len(messages), _AT_A_TIME):
        part = messages[begin : begin + _AT_A_TIME]
        _hash(key, part, room[:, : len(part)], hashes[begin : begin + _AT_A_TIME])
    return hashes


def _hash(key: SipKey, messages: Words, room: Words, hashes: Words) -> None:
    *state, free = room
    for word, start, part in zip(state, _START, (key.low, key.high) * 2, strict=True):
        word[:] = np.uint64(start ^ part)
    blocks: Sequence[Words | np.uint64] = (messages, _LENGTH)
    for block in blocks:
        state[3] ^= block
        _rounds(state, 2, free)
        state[0] ^= block
    state[2] ^= np.uint64(0xFF)
    _rounds(state, 4, free)
    np.bitwise_xor(state[0], state[1], out=hashes)
    hashes ^= state[2]
    hashes ^= state[3]


def _rounds(v: Sequence[Words], times: int, free: Words) -> None:
    for _ in range(times):
        _mix(v, 0, 1, 13, free)
        _turn(v[0], 32, free)
        _mix(v, 2, 3, 16, free)
        _mix(v, 0, 3, 21, free)
        _mix(v, 2, 1, 17, free)
        _turn(v[2], 32, free)


def _mix(v: Sequence[Words], into: int, other: int, bits: int, free: Words) -> None:
    np.add(v[into], v[other], out=v[into])
    _turn(v[other], bits, free)
    np.bitwise_xor(v[other], v[into], out=v[other])


def _turn(word: Words, bits: int, free: Words) -> None:
    np.left_shift(word, np.uint64(bits), out=free)
    np.right_shift(word, np.uint64(64 - bits), out=word)
    np.bitwise_or(word, free, out=word)
