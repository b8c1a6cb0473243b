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
_ALL = 2**64 - 1
# Arrays: a number would become one in each of some two hundred calls.
_LENGTH, _END = np.array(8 << 56, np.uint64), np.array(0xFF, np.uint64)
_SHIFTS = {
    bits: (np.array(bits, np.uint64), np.array(64 - bits, np.uint64))
    for bits in (13, 16, 17, 21, 32)
}
# So many at a time that the state stays in a processor's own memory.
_AT_A_TIME = 1 << 14


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
    _first_round(key, messages, state, free)
    _rounds(state, 1, free)
    np.bitwise_xor(state[0], messages, state[0])
    np.bitwise_xor(state[3], _LENGTH, state[3])
    _rounds(state, 2, free)
    np.bitwise_xor(state[0], _LENGTH, state[0])
    np.bitwise_xor(state[2], _END, state[2])
    _rounds(state, 3, free)
    _last_round(state, free, hashes)


def _first_round(key: SipKey, messages: Words, v: Sequence[Words], free: Words) -> None:
    """Two of four words are the same for every message until the others are mixed into them."""
    zero, one, two, three = (
        start ^ part for start, part in zip(_START, (key.low, key.high) * 2, strict=True)
    )
    zero = (zero + one) & _ALL
    one = _turned(one, 13) ^ zero
    np.bitwise_xor(messages, np.uint64(three), v[3])
    np.add(v[3], np.uint64(two), v[2])
    _turn(v[3], 16, free)
    np.bitwise_xor(v[3], v[2], v[3])
    np.add(v[3], np.uint64(_turned(zero, 32)), v[0])
    _turn(v[3], 21, free)
    np.bitwise_xor(v[3], v[0], v[3])
    np.add(v[2], np.uint64(one), v[2])
    np.bitwise_xor(v[2], np.uint64(_turned(one, 17)), v[1])
    _turn(v[2], 32, free)


def _turned(word: int, bits: int) -> int:
    return (word << bits | word >> (64 - bits)) & _ALL


def _rounds(v: Sequence[Words], times: int, free: Words) -> None:
    for _ in range(times):
        _mix(v, 0, 1, 13, free)
        _turn(v[0], 32, free)
        _mix(v, 2, 3, 16, free)
        _mix(v, 0, 3, 21, free)
        _mix(v, 2, 1, 17, free)
        _turn(v[2], 32, free)


def _last_round(v: Sequence[Words], free: Words, hashes: Words) -> None:
    """All four words combined: the first would be mixed into the last, and then out of it."""
    np.add(v[0], v[1], v[0])
    _turn(v[1], 13, free)
    np.bitwise_xor(v[1], v[0], v[1])
    _mix(v, 2, 3, 16, free)
    _turn(v[3], 21, free)
    _mix(v, 2, 1, 17, free)
    _turn(v[2], 32, free)
    np.bitwise_xor(v[1], v[2], hashes)
    np.bitwise_xor(hashes, v[3], hashes)


def _mix(v: Sequence[Words], into: int, other: int, bits: int, free: Words) -> None:
    np.add(v[into], v[other], v[into])
    _turn(v[other], bits, free)
    np.bitwise_xor(v[other], v[into], v[other])


def _turn(word: Words, bits: int, free: Words) -> None:
    left, right = _SHIFTS[bits]
    np.left_shift(word, left, free)
    np.right_shift(word, right, word)
    np.bitwise_or(word, free, word)
