"""Noisy counts made plausible: never negative, never falling where they cannot fall.

Post-processing of what was released, which costs nothing and reveals nothing; the released numbers
stay as they are beside it. On tables with many empty cells it takes away much of the error.
"""

from collections.abc import Sequence

import numpy as np

from dpgov.language.said import pattern
from dpgov.privacy.noise.noise import Floats

TABLE = pattern("never negative, adding up to the same total")
RISING = pattern("never negative and never falling")


def adjusted_table(counts: Sequence[float]) -> list[int]:
    """The nearest table without negative counts and with the same total, in whole numbers.

    The projection onto a simplex: one number is taken from every count, and what would fall below
    zero is zero (Held, Wolfe and Crowder 1974). Rounding keeps the total.
    """
    values = np.array(counts, dtype=np.float64)
    total = max(0.0, float(values.sum()))
    falling = -np.sort(-values)
    excess = (np.cumsum(falling) - total) / np.arange(1, len(values) + 1)
    kept = int(np.flatnonzero(falling > excess)[-1]) if total > 0 else 0
    exact = np.maximum(values - excess[kept], 0) if total > 0 else np.zeros_like(values)
    return _rounded(exact, round(total))


def _rounded(exact: Floats, total: int) -> list[int]:
    """Whole numbers with that total, each less than one away: the largest remainders go up."""
    low = np.floor(exact).astype(np.int64)
    missing = total - int(low.sum())
    order = np.argsort(low - exact, kind="stable")
    low[order[: max(0, missing)]] += 1
    return [int(value) for value in low]


def adjusted_rising(counts: Sequence[float]) -> list[int]:
    """The nearest sequence that never falls and is never negative (pool adjacent violators)."""
    means: list[float] = []
    sizes: list[int] = []
    for count in counts:
        means.append(float(count))
        sizes.append(1)
        while len(means) > 1 and means[-2] > means[-1]:
            size = sizes[-2] + sizes[-1]
            mean = (means[-2] * sizes[-2] + means[-1] * sizes[-1]) / size
            means[-2:], sizes[-2:] = [mean], [size]
    return [
        max(0, round(mean)) for mean, size in zip(means, sizes, strict=True) for _ in range(size)
    ]
