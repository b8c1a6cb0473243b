"""Counts made plausible: never negative, never falling where they cannot fall.

Computed from released numbers alone, so that it costs nothing and reveals nothing more.
"""

from collections.abc import Sequence

import numpy as np

from dpgov.language.said import pattern
from dpgov.privacy.noise.noise import Floats

TABLE = pattern("never negative, adding up to the same total")
RISING = pattern("never negative and never falling")


def adjusted_table(counts: Sequence[float]) -> list[int]:
    """The nearest table without negative counts and with the same total, in whole numbers.

    Rounding keeps the total.
    """
    values = np.array(counts, dtype=np.float64)
    total = max(0.0, float(values.sum()))
    return _rounded(projected(values, total), round(total))


def projected(values: Floats, total: float) -> Floats:
    """The nearest numbers that are never negative and add up to `total`; their shape stays.

    The projection onto a simplex: one number is taken from every value, and what would fall below
    zero is zero (Held, Wolfe and Crowder 1974).
    """
    if total <= 0:
        return np.zeros_like(values)
    falling = -np.sort(-values, axis=None)
    excess = (np.cumsum(falling) - total) / np.arange(1, values.size + 1)
    kept = int(np.flatnonzero(falling > excess)[-1])
    return np.asarray(np.maximum(values - excess[kept], 0), dtype=np.float64)


def _rounded(exact: Floats, total: int) -> list[int]:
    """Whole numbers with that total, each less than one away: the largest remainders go up."""
    low = np.floor(exact).astype(np.int64)
    missing = total - int(low.sum())
    order = np.argsort(low - exact, kind="stable")
    low[order[: max(0, missing)]] += 1
    found: list[int] = low.tolist()
    return found


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
