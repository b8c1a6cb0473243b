"""A multiset of hashed values in bounded memory.

A sketch keeps the smallest hashes of a stream and how often each occurs (Gibbons, "Distinct
sampling", 2001): two tables keep the same values where they have the same values, so their samples
can be compared.
"""

import numpy as np
import numpy.typing as npt

from dpgov.engines.fingerprint import SKETCH_SIZE, MultisetFingerprint
from dpgov.engines.ingest.recognised.siphash import Words
from dpgov.engines.keys import keyed

Counts = npt.NDArray[np.int64]


class Multiset:
    """Takes hashed values with their numbers, in any order, and ends as a fingerprint."""

    def __init__(self) -> None:
        self._hashes: Words = np.empty(0, np.uint64)
        self._counts: Counts = np.empty(0, np.int64)
        self._sum = 0
        self._total = 0

    def add(self, hashes: Words, counts: Counts) -> None:
        """Add values; a value that comes again is the same value.

        A value among the smallest at the end was among them ever since it first came, so its
        count is the true one.
        """
        self._total += int(counts.sum())
        self._sum += weighted_sum(hashes, counts)
        if len(self._hashes) == SKETCH_SIZE:
            small = hashes <= self._hashes[-1]
            hashes, counts = hashes[small], counts[small]
        joined = np.concatenate([self._hashes, hashes])
        values, places = np.unique(joined, return_inverse=True)
        totals = np.zeros(len(values), np.int64)
        np.add.at(totals, places, np.concatenate([self._counts, counts]))
        self._hashes, self._counts = values[:SKETCH_SIZE], totals[:SKETCH_SIZE]

    def join(self, total: int, weight: int, hashes: Words, counts: Counts) -> None:
        """Add another multiset, by what `state` gave of it.

        Each of the smallest values of both together is among the smallest of the one, of the other
        or of both, so that their counts are the true ones.
        """
        self.add(hashes, counts)
        self._total += total - int(counts.sum())
        self._sum += weight - weighted_sum(hashes, counts)

    def state(self) -> tuple[int, int, Words, Counts]:
        """What `join` needs: how many values, the sum of their hashes, the sketch."""
        return self._total, self._sum, self._hashes, self._counts

    def part(self, key: bytes, *, span: int) -> MultisetFingerprint:
        """What is kept of it."""
        return MultisetFingerprint(
            self._total,
            keyed(key, f"{self._total} {self._sum}"),
            span,
            self._hashes,
            self._counts,
        )


def weighted_sum(hashes: Words, counts: Counts) -> int:
    """The exact sum of hash times count: the same for the same multiset, in any order."""
    times = counts.astype(np.uint64)
    high = int(((hashes >> np.uint64(32)) * times).sum())
    low = int(((hashes & np.uint64(0xFFFFFFFF)) * times).sum())
    return (high << 32) + low
