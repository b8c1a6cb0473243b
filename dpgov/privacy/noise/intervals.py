"""How wrong a mean or variance made of noisy sums may be, from the noise alone.

Fieller's argument. The sums are of u = 0 ... 1, a value's place between its bounds. For the true
mean m, the rows' u - m add up to nothing, so that the same combination of the noisy sums,
S1' - m N', is noise of a known distribution, whatever the data. The set of all m with
|S1' - m N'| <= q(m), q(m) the quantile of that noise, holds the true mean with at least the stated
confidence; the bound is the largest distance from the released mean to that set (E. C. Fieller,
Some problems in interval estimation, 1954). The same with (u - m)² - v for a variance v, where a
small part of the error probability is spent on how far off the mean may be.

It covers whatever the rows are. It is also no wider than 1.15 times what it bounds when rows times
ε is at least about 1000 and the mean lies inside its bounds by more than the noise. With fewer
rows, or at a bound, where clamping hides half of the errors, it is wider, and has to be: the noisy
numbers cannot tell such cases from worse ones.

Everything here is after the noise or before the data; floats are safe, and rounded up.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from dpgov.privacy.noise.noise import Floats, Noise
from dpgov.privacy.noise.spread import sums as spread_sums
from dpgov.privacy.noise.spread.weighted import SMOOTH

HALF = 0.5
QUARTER = 0.25
_NODES = 65
_MEAN_NODES, _VARIANCE_NODES = 17, 9
# So many cells are looked at together.
_PIECE = 2**8
# Far more than what floats lose on the way to a bound.
_ROUNDED_UP = 1 + 2**-40
_LEAST = 1e-300
# Of the error probability of a variance, what is spent on the mean.
_SPENT_ON_MEAN = Fraction(1, 20)


@dataclass(frozen=True, slots=True)
class BernsteinSums:
    """Noisy sums over rows of the Bernstein polynomials of u of this degree, times `whole`.

    Each has `times` noises in it: of so many cells that were added up.
    """

    noise: Noise
    degree: int
    whole: int
    times: int = 1

    def quantiles(self, at_zero: Floats, slope: Floats, at_one: Floats, level: Fraction) -> Floats:
        """Of the noise in the sums of polynomials g: g(0), half its slope there added, g(1)."""
        ends = (at_zero, at_one) if self.degree == 1 else (at_zero, slope, at_one)
        weights = np.stack(ends, axis=-1)
        return spread_sums.bounds(self.noise, self.times, weights, level) / self.whole


def mean_bounds(sums: BernsteinSums, level: Fraction, centred: Floats, counts: Floats) -> Floats:
    """For each mean, as its distance from one half, and noisy count, a bound on its error.

    A noisy count below one says nothing of the mean but its declared bounds.
    """
    sizes, rows = np.abs(centred), np.maximum(counts, 1)
    line = _mean_line(sums, level)
    # On the left of a mean lies what lies on the right of its mirror image.
    means, rows = np.concatenate([sizes, -sizes]), np.concatenate([rows, rows])
    farthest = [_farthest(line, means[at], rows[at]) for at in _pieces(len(means))]
    right, left = np.split(np.concatenate(farthest), 2)
    found: Floats = np.where(counts >= 1, np.maximum(right, left), HALF + sizes)
    return found


def _pieces(length: int) -> list[slice]:
    """Of a table of many cells, so that what is made of each cell and node stays small."""
    return [slice(at, at + _PIECE) for at in range(0, max(1, length), _PIECE)]


@dataclass(frozen=True, slots=True)
class _Line:
    """q over all means from 1/2 down to -1/2: between two nodes it is straight."""

    nodes: Floats
    quantiles: Floats
    slopes: Floats


def _farthest(line: _Line, means: Floats, rows: Floats) -> Floats:
    """The distance to the last plausible mean above each: t N' <= q(mean + t).

    Where it is no node, t N' crosses the straight q before the next node, which is too far.
    """
    apart = line.nodes - means[:, None]
    last = (apart * rows[:, None] <= line.quantiles).argmax(axis=1)
    cell, slope = np.arange(len(means)), line.slopes[last]
    here, too_far = apart[cell, last], apart[cell, np.maximum(last - 1, 0)]
    crossing = (line.quantiles[last] - slope * here) / np.maximum(rows - slope, _LEAST)
    farthest: Floats = np.clip(_ROUNDED_UP * crossing, here, too_far)
    return farthest


@lru_cache(maxsize=256)
def _mean_line(sums: BernsteinSums, level: Fraction) -> _Line:
    """q at evenly spaced means, never below the true quantile between them.

    q is convex for smooth noise (floating bodies of log-concave measures are convex), so that
    lines between nodes lie above it; for coarse noise it jumps, so each node takes the larger of
    its own and the next one's value, outwards from the middle.
    """
    nodes = np.linspace(0.0, HALF, _NODES)
    quantiles = np.maximum.accumulate(sums.quantiles(-(HALF + nodes), -nodes, HALF - nodes, level))
    if sums.noise.scale < SMOOTH:
        quantiles[:-1] = quantiles[1:]
    nodes = np.concatenate([nodes[::-1], -nodes[1:]])
    quantiles = np.concatenate([quantiles[::-1], quantiles[1:]])
    # Nothing is beyond the first one.
    slopes = np.insert(np.diff(quantiles) / np.diff(nodes), 0, 0.0)
    return _Line(nodes, quantiles, slopes)


def variance_range(
    sums: BernsteinSums, level: Fraction, centred: Floats, variances: Floats, counts: Floats
) -> tuple[Floats, Floats]:
    """The least and largest plausible variance of u for each noisy mean, variance and count."""
    spent = (1 - level) * _SPENT_ON_MEAN
    inside = np.clip(centred, -HALF, HALF)
    off = mean_bounds(sums, 1 - spent, inside, counts)
    rows = np.maximum(counts, 1)
    near, far = np.maximum(np.abs(inside) - off, 0), np.minimum(np.abs(inside) + off, HALF)
    # The noisy variance is about the noisy mean as it was before it was clamped.
    apart = off + np.abs(centred - inside)
    low, high = np.zeros_like(rows), np.full_like(rows, QUARTER)
    for _ in range(3):
        corners = [(m, v) for m in (near, far) for v in (low, high)]
        noise = np.max([_variance_quantile(sums, level + spent, m, v) for m, v in corners], axis=0)
        low = np.clip(variances - noise / rows, 0, QUARTER)
        high = np.clip(variances + apart**2 + noise / rows, 0, QUARTER)
    unknown = counts < 1
    return np.where(unknown, 0.0, low), np.where(unknown, QUARTER, high)


def _variance_quantile(
    sums: BernsteinSums, level: Fraction, sizes: Floats, variances: Floats
) -> Floats:
    """q by bilinear interpolation in a table over |m - 1/2| and v."""
    table = _variance_table(sums, level)
    row = np.clip(sizes / HALF, 0, 1) * (_MEAN_NODES - 1)
    column = np.clip(variances / QUARTER, 0, 1) * (_VARIANCE_NODES - 1)
    i = np.minimum(row.astype(np.int64), _MEAN_NODES - 2)
    j = np.minimum(column.astype(np.int64), _VARIANCE_NODES - 2)
    a, b = row - i, column - j
    upper = table[i, j] * (1 - b) + table[i, j + 1] * b
    lower = table[i + 1, j] * (1 - b) + table[i + 1, j + 1] * b
    mixed: Floats = upper * (1 - a) + lower * a
    return mixed


@lru_cache(maxsize=64)
def _variance_table(sums: BernsteinSums, level: Fraction) -> Floats:
    """q at nodes, and for the bend of weights between nodes, which are quadratic in m, a little."""
    means, variances = np.meshgrid(
        HALF + np.linspace(0.0, HALF, _MEAN_NODES),
        np.linspace(0.0, QUARTER, _VARIANCE_NODES),
        indexing="ij",
    )
    m, v = means.ravel(), variances.ravel()
    quantiles = sums.quantiles(m * m - v, m * m - m - v, (1 - m) ** 2 - v, level)
    bend = np.full(1, (HALF / (_MEAN_NODES - 1)) ** 2 / 4)
    table: Floats = (quantiles + sums.quantiles(bend, bend, bend, level)).reshape(means.shape)
    return table
