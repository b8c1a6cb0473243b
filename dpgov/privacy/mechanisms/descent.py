"""Down the logistic loss by noisy gradients, and how far noise and chance may have moved its end.

All of it is made of released numbers and of public ones, so that it costs nothing.

The loss of n rows with components x and outcomes y bends by H = Σ w x x', where no weight w passes
1/4. So a quarter of the second moments bends at least as much everywhere, and steps that are as
long as it allows never climb (Böhning and Lindsay, Monotonicity of quadratic-approximation
algorithms, 1988); they may even be longer by half, as most weights are smaller. These moments are
drawn first and tell each direction its step. After a fixed number of steps the gradient g̃ = g + e
and the bend H̃ = H + E are drawn there, and Newton's step δ = -(H̃ + R)⁻¹ g̃ ends it; e is the sum
of two noises, that of the outcomes' part and that of the curve's. With δ* the step to the minimum,
g + H δ* = c, and

    (H̃ + R)(δ - δ*) = -e - (E + R) δ* - c.

So the error is a weighted sum of noises with known quantiles, where δ stands for δ*, and what the
ridge R and the change of weights on the way, c, may add: |c| <= δ' (Σ x x') δ / 2 times the largest
slope of a weight, 1/(6 √3). What R adds is that of every minimum whose probabilities stay away from
0 and 1 wherever the predictors are within their bounds; nobody can know whether the true one's do,
so that is said to be the condition, wherever there is a ridge or a direction is not clear.

δ* is longer than δ where noise has lifted an eigenvalue, as θ is in `least_squares`. δ* is no whole
line, but what was left of it to go: so a direction is clear where no more than half of its
eigenvalue is what noise may move along it. Of the others the condition bounds δ*. Along the rest δ
and δ* are no further apart than e, E δ* and c may bring them, and E δ* brings them no further than
the part β of |δ*|: the size of the noise beside the least eigenvalue there, or the length of what
noise may move along each of them beside its own. The noise of earlier steps has moved where the
last one begins, and nothing else. Where its end had to be held within reach, δ does not
stand for δ*, and no error is known. Of a one-step estimate chance moves what it moves of the
maximum likelihood: its variance is the inverse of H.

What is added up is no logistic curve but a table with lines between, rounded down, each place off
by κ at most (`sigmoid.misplaced`); and columns of many steps are coarse, so that true components
are x = w + d with |d| <= o, half a coarse step, and the place of a row's true score is o'|θ| / 4
further off at most. So c has Σ w t with |t| <= κ + o'|θ| / 4, and Σ d r with residuals |r| <= 1
besides, and, as weights are off by κ and their own rounding, as much of the last step. Of Σ w t a
combination z makes |t| √(n Σ (z'w)²) at most, by Cauchy and Schwarz.

Noisy descent as an estimate with intervals:
Avella-Medina, Bradshaw and Loh, Differentially private inference via noisy optimization (2023).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist

import numpy as np

from dpgov.privacy.mechanisms.least_squares import Moments, longest, offs, stretched
from dpgov.privacy.mechanisms.sigmoid import FINE, REACH
from dpgov.privacy.noise.noise import FAR, Floats, Noise, Provided
from dpgov.privacy.noise.spread.sums import bounds_of_many
from dpgov.privacy.plan.levels import CONFIDENCE_LEVELS, USUAL_LEVEL

Point = tuple[int, ...]
"""Coefficients of a row's components, in multiples of 1 / FINE."""

# By how much a step is longer than is always safe to first order; below 2 it still descends.
_LONGER = 1.5
# What a clear direction has, in parts of what noise may move along it.
_CLEAR = 2.0
# The largest slope of a row's weight, of its score.
_BENDING = 1 / (6 * math.sqrt(3))


def noise_size(sums: Moments) -> float:
    """How large the noise matrix is about, a public number: 2 σ √p for p components."""
    return 2 * sums.deviation * math.sqrt(len(sums.design.terms))


def noise_along(sums: Moments) -> float:
    """How far noise may move any one direction, about: two deviations, of which a product of two
    components counts twice.
    """
    return 2 * sums.deviation * math.sqrt(2)


@dataclass(frozen=True, slots=True)
class Inverse:
    """Of a noisy matrix whose eigenvalues were raised to the size of its noise; `ridge` did it.

    `widened` directions have been raised, and with them `unclear` ones are not clear: the first of
    all `directions`, which are by their eigenvalues, `kept`.
    """

    matrix: Floats
    ridge: Floats
    directions: Floats
    kept: Floats
    widened: int
    unclear: int


def inverse_of(sums: Moments) -> Inverse:
    """Never steeper than the noise: a step is no longer than can be told."""
    size = noise_size(sums)
    values, directions = np.linalg.eigh(sums.matrix())
    kept = np.maximum(values, size)
    return Inverse(
        matrix=(directions / kept) @ directions.T,
        ridge=(directions * (kept - values)) @ directions.T,
        directions=directions.T,
        kept=kept,
        widened=int((values < size).sum()),
        unclear=int((values < max(size, _CLEAR * noise_along(sums))).sum()),
    )


def stepped(point: Point, gradient: Floats, moments: Inverse) -> Point:
    """The next point: as far as a quarter of the moments allows, and within reach."""
    found = np.array(point) / FINE - 4 * _LONGER * moments.matrix @ gradient
    return tuple(round(number * FINE) for number in _within(found).tolist())


def _within(theta: Floats) -> Floats:
    length = float(np.linalg.norm(theta))
    return theta if length <= REACH else theta * (REACH / length)


@dataclass(frozen=True, slots=True)
class End:
    """What was drawn at the last point: the gradient, in rows, and the weighted moments.

    `moments` are those of the rows without weights. `noises` are those of the two parts of the
    gradient, in steps of one `whole`th. Places on the curve are `misplaced` by so much at most.
    """

    point: Point
    gradient: Floats
    noises: tuple[Noise, Noise]
    whole: int
    weighted: Moments
    moments: Moments
    misplaced: float


@dataclass(frozen=True, slots=True)
class LogisticFit:
    """Coefficients of a row's components for the log odds of its outcome."""

    end: End
    theta: Floats
    step: Floats
    inverse: Inverse

    @property
    def rows(self) -> float:
        """How many rows there were, by the noisy count."""
        return float(max(1.0, self.end.moments.matrix()[0, 0]))

    @property
    def at_the_end(self) -> bool:
        """Whether the coefficients were held within reach."""
        return float(np.linalg.norm(self.theta)) >= REACH * (1 - 1e-9)

    def errors(self, combination: Floats) -> list[float] | None:
        """How far noise may have moved this combination of the coefficients, at each level.

        None where they were held within reach: how far the minimum lies beyond, no draw tells.
        """
        if self.at_the_end:
            return None
        pulled = self.inverse.matrix @ combination
        drawn = [
            bounds_of_many(n, pulled / self.end.whole, CONFIDENCE_LEVELS) for n in self.end.noises
        ]
        # The condition may bound the step along all that is not clear, or along the ridge alone.
        ways = {self.inverse.widened, self.inverse.unclear}
        bends = map(min, zip(*(self._by_bend(pulled, known) for known in ways), strict=True))
        more = self._shrunk(pulled) + self._bent(pulled) + self._misread(pulled)
        return [math.hypot(*bounds) + more for bounds in zip(*drawn, bends, strict=True)]

    @property
    def provided(self) -> Provided | None:
        """What its errors hold under alone; None where every direction is clear."""
        return Provided.PROBABILITY_WITHIN if self.inverse.unclear else None

    def _by_bend(self, pulled: Floats, known: int) -> list[float]:
        """What the noise of the bend adds, E δ*, if the condition bounds δ* along the first `known`
        directions.
        """
        weighted, hidden = self.end.weighted, self._hidden(known)
        whole, further = self.step, self._further(known, hidden)
        for ways, length in ((slice(known), hidden), (slice(known, None), further)):
            directions = self.inverse.directions[ways]
            whole = whole + _along(directions.T @ (directions @ pulled), self.step, length)
        return weighted.bounds(weighted.weights(pulled, whole), CONFIDENCE_LEVELS)

    def _hidden(self, known: int) -> float:
        """How long a step along these may be to any minimum that is `provided`: as θ of a line
        within bounds, see `least_squares`, times the largest log odds.
        """
        design, here = self.end.weighted.design, np.array(self.end.point) / FINE
        directions = self.inverse.directions[:known]
        ways = [FAR * design.most(one.tolist()) + abs(one @ here) for one in directions]
        most = FAR * math.sqrt(longest(design.terms, design.size))
        return min(math.hypot(*ways), most + float(np.linalg.norm(here)))

    def _further(self, known: int, hidden: float) -> float:
        """How far δ* is from δ at most along the others, if it is `hidden` long along these."""
        kept, weighted = self.inverse.kept[known:], self.end.weighted
        if not len(kept):
            return 0.0
        least, shares = float(kept[0]), float(np.linalg.norm(1 / kept))
        blur = min(noise_size(weighted) / least, noise_along(weighted) * shares)
        noise = 2 * math.sqrt(sum(one.variance for one in self.end.noises)) / self.end.whole
        far, misread = self._apart_by(1.0) / least, self._apart_by(0.0) / least
        blur += far - misread
        moved = noise * shares + self._change * math.sqrt(len(self.step)) / least + misread
        start = moved + float(np.linalg.norm(self.step))
        return moved + blur * start * stretched(blur, (hidden / start) ** 2)

    def _shrunk(self, pulled: Floats) -> float:
        """What the ridge adds at most: from the last point to any minimum that is `provided`."""
        weights = self.inverse.ridge @ pulled
        here = float(weights @ np.array(self.end.point)) / FINE
        return FAR * self.end.weighted.design.most(weights.tolist()) + abs(here)

    def _bent(self, pulled: Floats) -> float:
        """What the change of weights along the last step adds at most."""
        return self._change * float(np.abs(pulled).sum())

    def _misread(self, pulled: Floats) -> float:
        """What the drawn curve and coarse predictors add at most, see above."""
        moments, off = self.end.moments, self._off
        hidden = noise_size(moments) * float(pulled @ pulled)
        along = max(0.0, float(pulled @ moments.matrix() @ pulled) + hidden)
        rows, weight = self.rows + noise_size(moments), 1 / self.end.weighted.unit
        drawn = self._misplaced * math.sqrt(rows) + (self.end.misplaced + weight) * self._length
        return drawn * math.sqrt(along) + rows * float(np.abs(pulled) @ off)

    def _apart_by(self, further: float) -> float:
        """How long what misreading adds to a gradient is at most, at a minimum so much further."""
        matrix, off = self.end.moments.matrix(), float(np.linalg.norm(self._off))
        rows = self.rows + noise_size(self.end.moments)
        far = float(np.linalg.norm(self.theta) + np.linalg.norm(self.step)) + further
        places = self.end.misplaced + off * far / 4
        return places * math.sqrt(rows * (max(1.0, np.trace(matrix)) + rows)) + rows * off

    @property
    def _off(self) -> Floats:
        return offs(self.end.moments.design.terms, self.end.moments.design.size)

    @property
    def _misplaced(self) -> float:
        """How far a row's place on the curve may be from that of its true score, at most."""
        known, off = self.inverse.unclear, self._off
        most = float(off @ np.abs(self.theta))
        if off.any():
            hidden = self._hidden(known)
            apart = math.hypot(hidden, self._further(known, hidden)) + hidden
            most += float(np.linalg.norm(off)) * apart
        return self.end.misplaced + most / 4

    @property
    def _change(self) -> float:
        """By how much that changes any component of a gradient, at most."""
        return _BENDING / 2 * self._length**2

    @property
    def _length(self) -> float:
        """Of all rows' scores along the last step together."""
        return math.sqrt(max(0.0, float(self.step @ self.end.moments.matrix() @ self.step)))

    def chance(self, combination: Floats) -> float:
        """How far chance may have moved it at the usual level: other rows of the same kind."""
        times = NormalDist().inv_cdf(float((1 + USUAL_LEVEL) / 2))
        variance = float(combination @ self.inverse.matrix @ combination)
        return times * math.sqrt(max(0.0, variance))


def fit(end: End) -> LogisticFit:
    """Newton's step from the last point."""
    inverse = inverse_of(end.weighted)
    start = np.array(end.point) / FINE
    theta = _within(start - inverse.matrix @ end.gradient)
    return LogisticFit(end, theta, theta - start, inverse)


def _along(way: Floats, step: Floats, length: float) -> Floats:
    """A vector of this length along `way`, to the side to which the step goes."""
    whole = float(np.linalg.norm(way))
    found: Floats = way * (math.copysign(length / whole, way @ step) if whole else 0.0)
    return found


def quotients(numbers: Sequence[int], whole: int) -> Floats:
    """Drawn integers as sums over rows."""
    return np.array([float(Fraction(number, whole)) for number in numbers])
