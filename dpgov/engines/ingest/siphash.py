"""SipHash-2-4 of whole arrays: a hash that nobody without the key can compute or check.

Aumasson and Bernstein, "SipHash: a fast short-input PRF" (2012). Every element is one message of
eight bytes, a little-endian word.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.uint64]
_START = (0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573)
_LENGTH = np.uint64(8 << 56)


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
    low, high = key.low, key.high
    state = [
        np.full(messages.shape, start ^ part, np.uint64)
        for start, part in zip(_START, (low, high, low, high), strict=True)
    ]
    for block in (messages, np.broadcast_to(_LENGTH, messages.shape)):
        state[3] ^= block
        _rounds(state, 2)
        state[0] ^= block
    state[2] ^= np.uint64(0xFF)
    _rounds(state, 4)
    return state[0] ^ state[1] ^ state[2] ^ state[3]


def _rounds(v: list[Words], times: int) -> None:
    for _ in range(times):
        _mix(v, 0, 1, 13)
        v[0] = _turned(v[0], 32)
        _mix(v, 2, 3, 16)
        _mix(v, 0, 3, 21)
        _mix(v, 2, 1, 17)
        v[2] = _turned(v[2], 32)


def _mix(v: list[Words], into: int, other: int, bits: int) -> None:
    v[into] += v[other]
    v[other] = _turned(v[other], bits)
    v[other] ^= v[into]


def _turned(word: Words, bits: int) -> Words:
    return (word << np.uint64(bits)) | (word >> np.uint64(64 - bits))
