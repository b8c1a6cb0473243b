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
so wherever there is a ridge, that is said to be the condition. The noise of earlier steps has moved
where the last one begins, and nothing else. Where its end had to be held within reach, δ does not
stand for δ*, and no error is known. Of a one-step estimate chance moves what it moves of the
maximum likelihood: its variance is the inverse of H. Noisy descent as an estimate with intervals:
Avella-Medina, Bradshaw and Loh, Differentially private inference via noisy optimization (2023).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist

import numpy as np

from dpgov.privacy.mechanisms.least_squares import USUAL, Moments, longest
from dpgov.privacy.mechanisms.sigmoid import FINE, REACH
from dpgov.privacy.noise.noise import CONFIDENCE_LEVELS, FAR, Floats, Noise, Provided
from dpgov.privacy.noise.spread.sums import bounds_of_many

Point = tuple[int, ...]
"""Coefficients of a row's components, in multiples of 1 / FINE."""

# By how much a step is longer than is always safe to first order; below 2 it still descends.
_LONGER = 1.5
# The largest slope of a row's weight, of its score.
_BENDING = 1 / (6 * math.sqrt(3))


def noise_size(sums: Moments) -> float:
    """How large the noise matrix is about, a public number: 2 σ √p for p components."""
    return 2 * sums.deviation * math.sqrt(len(sums.design.terms))


@dataclass(frozen=True, slots=True)
class Inverse:
    """Of a noisy matrix whose eigenvalues were raised to the size of its noise; `ridge` did it, in
    the directions that are `raised`.
    """

    matrix: Floats
    ridge: Floats
    raised: Floats

    @property
    def widened(self) -> int:
        """In how many directions."""
        return len(self.raised)


def inverse_of(sums: Moments) -> Inverse:
    """Never steeper than the noise: a step is no longer than can be told."""
    values, directions = np.linalg.eigh(sums.matrix())
    kept = np.maximum(values, noise_size(sums))
    return Inverse(
        matrix=(directions / kept) @ directions.T,
        ridge=(directions * (kept - values)) @ directions.T,
        raised=directions.T[kept > values],
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
    gradient, in steps of one `whole`th.
    """

    point: Point
    gradient: Floats
    noises: tuple[Noise, Noise]
    whole: int
    weighted: Moments
    moments: Moments


@dataclass(frozen=True, slots=True)
class Fit:
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
        weighted = self.end.weighted
        parts = [
            *(
                bounds_of_many(n, pulled / self.end.whole, CONFIDENCE_LEVELS)
                for n in self.end.noises
            ),
            weighted.bounds(weighted.weights(pulled, self._whole_step(pulled)), CONFIDENCE_LEVELS),
        ]
        more = self._shrunk(pulled) + self._bent(pulled)
        return [math.hypot(*bounds) + more for bounds in zip(*parts, strict=True)]

    @property
    def provided(self) -> Provided | None:
        """What its errors hold under alone; None where nothing was widened, or none is known."""
        return Provided.PROBABILITY_WITHIN if self.inverse.widened else None

    def _whole_step(self, pulled: Floats) -> Floats:
        """The last step, as long as it might have been where the ridge held it back."""
        held = self.inverse.ridge @ pulled
        length = float(np.linalg.norm(held))
        if not length:
            return self.step
        whole: Floats = self.step + math.copysign(self._hidden / length, held @ self.step) * held
        return whole

    @property
    def _hidden(self) -> float:
        """How long a step along the ridge may be to any minimum that is `provided`: as θ of a line
        within bounds, see `least_squares`, times the largest log odds.
        """
        design, here = self.end.weighted.design, np.array(self.end.point) / FINE
        ways = [FAR * design.most(one.tolist()) + abs(one @ here) for one in self.inverse.raised]
        most = FAR * math.sqrt(longest(design.terms, design.size))
        return min(math.hypot(*ways), most + float(np.linalg.norm(here)))

    def _shrunk(self, pulled: Floats) -> float:
        """What the ridge adds at most: from the last point to any minimum that is `provided`."""
        weights = self.inverse.ridge @ pulled
        here = float(weights @ np.array(self.end.point)) / FINE
        return FAR * self.end.weighted.design.most(weights.tolist()) + abs(here)

    def _bent(self, pulled: Floats) -> float:
        """What the change of weights along the last step adds at most."""
        along = max(0.0, float(self.step @ self.end.moments.matrix() @ self.step))
        return _BENDING / 2 * along * float(np.abs(pulled).sum())

    def chance(self, combination: Floats) -> float:
        """How far chance may have moved it at the usual level: other rows of the same kind."""
        times = NormalDist().inv_cdf(float((1 + USUAL) / 2))
        variance = float(combination @ self.inverse.matrix @ combination)
        return times * math.sqrt(max(0.0, variance))


def fit(end: End) -> Fit:
    """Newton's step from the last point."""
    inverse = inverse_of(end.weighted)
    start = np.array(end.point) / FINE
    theta = _within(start - inverse.matrix @ end.gradient)
    return Fit(end, theta, theta - start, inverse)


def quotients(numbers: Sequence[int], whole: int) -> Floats:
    """Drawn integers as sums over rows."""
    return np.array([float(Fraction(number, whole)) for number in numbers])
