"""Numbers that look like chance and are the same for ever: rows and habits of invented people.

Out of a hash, because nothing of this code base may draw random numbers but the noise.
"""

import hashlib

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]


def below(seed: str, count: int, limit: int) -> Whole:
    """So many whole numbers from 0 to `limit` - 1, as good as equally often."""
    raw = hashlib.shake_256(seed.encode()).digest(8 * count)
    return (np.frombuffer(raw, dtype="<u8") % limit).astype(np.int64)


def around(seed: str, count: int, middle: int, spread: int) -> Whole:
    """So many whole numbers around a middle, most of them within `spread`: sums of three."""
    parts = [below(f"{seed} {part}", count, 2 * spread + 1) for part in range(3)]
    return middle - spread + (parts[0] + parts[1] + parts[2]) // 3


def among(seed: str, count: int, weights: tuple[int, ...]) -> Whole:
    """So many places in a list whose entries are as frequent as their weights."""
    bounds = np.cumsum(weights)
    drawn = below(seed, count, int(bounds[-1]))
    return np.searchsorted(bounds, drawn, side="right").astype(np.int64)


def waits(seed: str, count: int, mean: float) -> Whole:
    """So many whole numbers from 1 on, small ones more often, like days until something ends."""
    uniform = (below(seed, count, 1 << 30) + 1) / (1 << 30)
    return np.maximum(1, np.ceil(-mean * np.log(uniform))).astype(np.int64)
