"""A line through noisy moments, and how far noise and chance may have moved it.

All of it is made of released numbers and of public ones, so that it costs nothing.

The normal equations are solved as they were released, but for directions of which the noise leaves
too little to tell: there what is missing to a public multiple of the noise is added to the moments
(a ridge in these directions alone; AdaSSP, Wang, Revisiting differentially private linear
regression, 2018, adds it to all). With Ã = A + E, b̃ = b + e, and the ridge R taken as given,

    (Ã + R)(θ̃ - θ) = e - E θ,

where θ solves (A + R) θ = b. So the error of a coefficient is a weighted sum of the noises, whose
quantiles are known; θ̃ stands for θ in the weights, and what that leaves out, E (θ̃ - θ), is smaller
by the size of E beside that of Ã + R, and widens the bound. This is the parametric bootstrap of
Ferrando, Wang and Sheldon (2022) with its distribution computed in place of drawn. What the ridge
pulls towards zero, at most (Ã + R)⁻¹ R θ, is added for every θ whose line stays within the bounds
of the outcome wherever the predictors are within theirs. Nobody can know whether the true one does:
so wherever there is a ridge, that is said to be the condition.

E θ grows with the length of θ, of which θ̃ tells nothing along a ridge: there the bound is widened
to the longest θ under the same condition. Components are scaled so that it says |θ'w| <= 1 for all
rows w within the declared bounds. At the first level of every category that is |a| + Σ s |b| <= 1,
with the constant a, slopes b and sizes s of numbers: so a² + Σ b² <= 1 / min s². Where the levels
of a category lie r apart at most, the line moves by Σ r from its lowest row to its highest, and
within the bounds by no more than 2. None of the L levels after the first is further than r from it,
so that all categories together add Σ L r² <= max L (Σ r)² <= 4 max L to |θ|². As long as that is a
line by one category whose levels are all at the other bound than its first. What θ is at most along
single directions, `Design.most` tells exactly.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist

import numpy as np

from dpgov.privacy.mechanisms.design import Design, Term
from dpgov.privacy.noise.noise import CONFIDENCE_LEVELS, Floats, Noise, Provided
from dpgov.privacy.noise.spread.sums import bounds_of_many

# In sizes of the noise matrix: what a direction must have, or be given.
_RIDGE = 2.0
USUAL = Fraction(95, 100)


@dataclass(frozen=True, slots=True)
class Moments:
    """The sums of products of rows of a design, one row counting as 1, and the noise in each.

    A row's products may have a weight, in steps of one `unit`th.
    """

    design: Design
    values: Floats
    noise: Noise
    unit: int = 1

    @property
    def whole(self) -> int:
        """One row of weight one, in lattice units."""
        return self.design.size**2 * self.unit

    def matrix(self) -> Floats:
        """All products of components."""
        many = len(self.design.terms)
        places = {pair: at for at, pair in enumerate(self.design.moments)}
        found = np.zeros((many, many))
        for i in range(many):
            for j in range(many):
                pair = self.design.moment_of(i, j)
                found[i, j] = 0.0 if pair is None else self.values[places[pair]]
        return found

    def weights(self, left: Floats, right: Floats) -> Floats:
        """What each drawn moment counts in left' N right, N being the noise as such a matrix."""
        places = {pair: at for at, pair in enumerate(self.design.moments)}
        found = np.zeros(len(places))
        for i in range(len(left)):
            for j in range(len(right)):
                pair = self.design.moment_of(i, j)
                if pair is not None:
                    found[places[pair]] += left[i] * right[j]
        return found

    @property
    def deviation(self) -> float:
        """Of the noise in one moment."""
        return math.sqrt(self.noise.variance) / self.whole

    def bounds(self, weights: Floats, levels: Sequence[Fraction]) -> list[float]:
        """What the weighted noises pass with probability at most 1 - level, for each level."""
        return bounds_of_many(self.noise, weights / self.whole, levels)


@dataclass(frozen=True, slots=True)
class Line:
    """A solution: of the coefficients of a row's components, for an outcome between -1 and 1."""

    moments: Moments
    theta: Floats
    inverse: Floats
    ridge: Floats
    widened: int
    blur: float
    hidden: float

    @property
    def rows(self) -> float:
        """How many rows there were, by the noisy count."""
        return float(max(1.0, self.moments.matrix()[0, 0]))

    @property
    def residual(self) -> float:
        """The sum of squared residuals, by the noisy moments; never below nothing."""
        ends = np.append(self.theta, -1.0)
        return max(0.0, float(ends @ self.moments.matrix() @ ends))

    @property
    def explained(self) -> float:
        """R squared: the share of the outcome's variance that the line explains, from 0 to 1."""
        matrix = self.moments.matrix()
        total = float(matrix[-1, -1] - matrix[0, -1] ** 2 / self.rows)
        return min(1.0, max(0.0, 1 - self.residual / total)) if total > 0 else 0.0

    def errors(self, combination: Floats) -> list[float]:
        """How far noise may have moved this combination of the coefficients, at each level."""
        pulled = self.inverse @ combination
        weights = self.moments.weights(np.append(pulled, 0.0), np.append(-self.theta, 1.0))
        shrunk = self.moments.design.most((self.ridge @ pulled).tolist())
        found = self.moments.bounds(weights, CONFIDENCE_LEVELS)
        return [bound * self._widening + shrunk for bound in found]

    @property
    def _widening(self) -> float:
        """How much longer (θ, -1) may be than (θ̃, -1), which is no shorter than one."""
        told = (1 + self.hidden) * (1 + self.blur**2)
        *components, _outcome = self.moments.design.terms
        return math.sqrt(min(told, 1 + longest(components, self.moments.design.size)))

    @property
    def provided(self) -> Provided | None:
        """What its errors hold under alone; None where nothing was widened."""
        return Provided.LINE_WITHIN_BOUNDS if self.widened else None

    def chance(self, combination: Floats, spread: float) -> float:
        """How far chance may have moved it at the usual level: other rows of the same kind.

        `spread` is the variance around the line, equal everywhere.
        """
        times = NormalDist().inv_cdf(float((1 + USUAL) / 2))
        variance = spread * max(0.0, float(combination @ self.inverse @ combination))
        return times * math.sqrt(variance)

    def spread(self) -> float:
        """The variance of outcomes around the line, with what noise may have taken from it."""
        ends = np.append(self.theta, -1.0)
        (noise,) = self.moments.bounds(self.moments.weights(ends, ends), (USUAL,))
        freedom = max(1.0, self.rows - len(self.theta))
        return (self.residual + noise) / freedom


def solve(moments: Moments) -> Line:
    """The least squares line, widened where the noise leaves too little."""
    matrix = moments.matrix()
    squares, products = matrix[:-1, :-1], matrix[:-1, -1]
    size = noise_size(moments)
    values, directions = np.linalg.eigh(squares)
    kept = np.maximum(values, _RIDGE * size)
    inverse = (directions / kept) @ directions.T
    pulled = directions.T[kept > values]
    return Line(
        moments=moments,
        theta=inverse @ products,
        inverse=inverse,
        ridge=(directions * (kept - values)) @ directions.T,
        widened=len(pulled),
        blur=float(size / kept.min()),
        hidden=sum(moments.design.most(one) ** 2 for one in pulled.tolist()),
    )


def longest(components: Sequence[Term], size: int) -> float:
    """|θ|² at most, over all lines that stay between -1 and 1 wherever columns are in bounds."""
    levels = Counter(term.column for term in components if term.is_indicator)
    smallest = min(term.size for term in components if not term.is_indicator)
    return (size / smallest) ** 2 + 4 * max(levels.values(), default=0)


def noise_size(moments: Moments) -> float:
    """How large the noise matrix is about, a public number: 2 σ √p for p independent components."""
    return 2 * moments.deviation * math.sqrt(len(moments.design.terms) - 1)
