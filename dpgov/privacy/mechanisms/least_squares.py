"""A line through noisy moments, and how far noise and chance may have moved it.

All of it is made of released numbers and of public ones, so that it costs nothing.

The normal equations are solved as they were released, but for directions of which the noise leaves
too little to tell: there what is missing to a public multiple of the noise is added to the moments
(a ridge in these directions alone; AdaSSP, Wang, Revisiting differentially private linear
regression, 2018, adds it to all). With Ã = A + E, b̃ = b + e, and the ridge R taken as given,

    (Ã + R)(θ̃ - θ) = e - E θ,

where θ solves (A + R) θ = b. So the error of a coefficient is a weighted sum of the noises, whose
quantiles are known; θ̃ stands for θ in the weights, and the bound is widened by how much longer
(θ, -1) may be than (θ̃, -1), see below. This is the parametric bootstrap of Ferrando, Wang and
Sheldon (2022) with its distribution computed in place of drawn. What the ridge pulls towards zero,
at most (Ã + R)⁻¹ R θ, is added for every θ whose line stays within the bounds of the outcome
wherever the predictors are within theirs. Nobody can know whether the true one does: so that is
said to be the condition, wherever there is a ridge or a direction is not clear.

With v = (θ, -1), ṽ = (θ̃, -1) and N = (E, e) the equation above is (Ã + R)(θ̃ - θ) = -N v, so that
along a direction of eigenvalue λ̃ without a ridge θ and θ̃ are |N v| / λ̃ apart at most, and |N v| is
no more than the size of the noise times |v|. With β that size as a part of the least such λ̃,
|v| <= |ṽ| + β |v|: noise that lifted λ̃ has shortened θ̃, and v may be 1 / (1 - β) times as long. A
direction is clear where β is no more than a quarter, so that without a condition a bound is never
widened by more than a third. Along the others the condition tells that no θ passes h in length: so
|v|² <= (|ṽ| + β |v|)² + h², where β is that of the clear ones.

Which directions are clear is read off λ̃, a released number that noise may have lifted. By more than
its size it rarely does, so that of a table whose own eigenvalue is below three sizes hardly any
answer leaves the condition out. What confidence means holds of every table: no more than 5 in 100
of its answers have an error at 95% that stands there without the condition and is too small. Among
those few that only an unusual noise has lifted over the threshold it may be many; no threshold
avoids that.

How long θ is at most under that condition: components are scaled so that it says |θ'w| <= 1 for all
rows w within the declared bounds. At the first level of every category that is |a| + Σ s |b| <= 1,
with the constant a, slopes b and sizes s of numbers: so a² + Σ b² <= 1 / min s². Where the levels
of a category lie r apart at most, the line moves by Σ r from its lowest row to its highest, and
within the bounds by no more than 2. None of the L levels after the first is further than r from it,
so that all categories together add Σ L r² <= max L (Σ r)² <= 4 max L to |θ|². As long as that is a
line by one category whose levels are all at the other bound than its first. What θ is at most along
single directions, `Design.most` tells exactly.

Columns of many steps are made coarse: a row's true components are x = w + d with |d| <= o, half a
coarse step, and its true outcome y is no further from its coarse u. For the line θ through the true
rows, Σ x (y - x'θ) = 0, so that with r = y - x'θ

    Σ w (u - w'θ) = -Σ d r - Σ w t,   |t| = |(d, d_y)'v| <= |o| |v|.

These are added on the right side above. Times z = (Ã + R)⁻¹ c the last is |o| |v| √(n Σ (z'w)²) at
most, by Cauchy and Schwarz, and Σ (z'w)² is z'c and what the noise may hide of it; the first is
o'|z| √(n Σ r²), where no line leaves more of r than θ̃ does. Both blur what is clear, too. Where all
is clear |t| is no more than o'|ṽ| either, and |o| times what v and ṽ are apart.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist

import numpy as np

from dpgov.privacy.mechanisms.design import Design, Term
from dpgov.privacy.noise.noise import Floats, Noise, Provided
from dpgov.privacy.noise.spread.sums import bounds_of_many
from dpgov.privacy.plan.levels import CONFIDENCE_LEVELS, USUAL_LEVEL

# In sizes of the noise matrix: what a direction must have, or be given; and what a clear one has.
_RIDGE = 2.0
_CLEAR = 4.0
_TINY = 1e-9


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
class LinearFit:
    """A solution: of the coefficients of a row's components, for an outcome between -1 and 1.

    `widened` directions have a ridge; with them `unclear` ones are not clear. (θ, -1) may be
    `longer` than (θ̃, -1) by that factor, under the condition that is `provided`.
    """

    moments: Moments
    theta: Floats
    inverse: Floats
    ridge: Floats
    widened: int
    unclear: int
    longer: float

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
        more = shrunk + self._taken_together(pulled, combination)
        found = self.moments.bounds(weights, CONFIDENCE_LEVELS)
        return [bound * self.longer + more for bound in found]

    def _taken_together(self, pulled: Floats, combination: Floats) -> float:
        """What steps that were taken together add at most, see above."""
        off = offs(self.moments.design.terms, self.moments.design.size)
        if not off.any():
            return 0.0
        size, ends = noise_size(self.moments), np.append(self.theta, -1.0)
        along = float(pulled @ combination + size * pulled @ pulled)
        scores = self._apart(off, ends) * math.sqrt((self.rows + size) * max(0.0, along))
        return scores + float(np.abs(pulled) @ off[:-1]) * _residuals(self.moments, self.theta)

    def _apart(self, off: Floats, ends: Floats) -> float:
        """How far what a row leaves of its outcome may be from what its coarse numbers leave."""
        whole = float(np.linalg.norm(off) * np.linalg.norm(ends))
        if self.unclear:
            return whole * self.longer
        return min(whole * self.longer, float(off @ np.abs(ends)) + whole * (self.longer - 1))

    @property
    def provided(self) -> Provided | None:
        """What its errors hold under alone; None where every direction is clear."""
        return Provided.LINE_WITHIN_BOUNDS if self.unclear else None

    def chance(self, combination: Floats, spread: float) -> float:
        """How far chance may have moved it at the usual level: other rows of the same kind.

        `spread` is the variance around the line, equal everywhere.
        """
        times = NormalDist().inv_cdf(float((1 + USUAL_LEVEL) / 2))
        variance = spread * max(0.0, float(combination @ self.inverse @ combination))
        return times * math.sqrt(variance)

    def spread(self) -> float:
        """The variance of outcomes around the line, with what noise may have taken from it."""
        ends = np.append(self.theta, -1.0)
        (noise,) = self.moments.bounds(self.moments.weights(ends, ends), (USUAL_LEVEL,))
        freedom = max(1.0, self.rows - len(self.theta))
        return (self.residual + noise) / freedom


def solve(moments: Moments) -> LinearFit:
    """The least squares line, widened where the noise leaves too little."""
    matrix = moments.matrix()
    squares, products = matrix[:-1, :-1], matrix[:-1, -1]
    size = noise_size(moments)
    values, directions = np.linalg.eigh(squares)
    kept = np.maximum(values, _RIDGE * size)
    inverse = (directions / kept) @ directions.T
    theta, off = inverse @ products, offs(moments.design.terms, moments.design.size)
    wide, rows = float(np.linalg.norm(off)), max(1.0, float(matrix[0, 0])) + size
    blurs = size / kept + wide * np.sqrt(rows * (1 + 1 / _RIDGE) / kept)
    widened, unclear = int((values < _RIDGE * size).sum()), int((blurs > 1 / _CLEAR).sum())
    moved = wide * _residuals(moments, theta) / float(kept[0]) if wide else 0.0
    return LinearFit(
        moments=moments,
        theta=theta,
        inverse=inverse,
        ridge=(directions * (kept - values)) @ directions.T,
        widened=widened,
        unclear=unclear,
        longer=_longer(moments.design, directions.T[:unclear], blurs, widened, moved),
    )


def _residuals(moments: Moments, theta: Floats) -> float:
    """√n times the length of all residuals of the best line, at most: they are no longer than those
    of this one.
    """
    size, ends = noise_size(moments), np.append(theta, -1.0)
    matrix, off = moments.matrix(), offs(moments.design.terms, moments.design.size)
    rows = max(1.0, float(matrix[0, 0])) + size
    squares = max(0.0, float(ends @ matrix @ ends)) + size * float(ends @ ends)
    return math.sqrt(rows) * (math.sqrt(squares) + math.sqrt(rows) * float(off @ np.abs(ends)))


def _longer(design: Design, unclear: Floats, blurs: Floats, widened: int, moved: float) -> float:
    """How much longer (θ, -1) may be than (θ̃, -1), which is no shorter than one.

    `blurs` are those of all directions, the `unclear` ones first. The condition bounds θ along all
    of these, or along the `widened` ones, and blurs do along the others; and all of it at once.
    Where every direction is clear, 4/3 is the most by the blurs, and needs no condition. Steps that
    were taken together have `moved` it by no more than that besides.
    """
    hidden = [design.most(one) ** 2 for one in unclear.tolist()]
    told = [
        stretched(float(max(blurs[known:], default=0.0)), sum(hidden[:known])) * (1 + moved)
        for known in {widened, len(hidden)}
    ]
    if not hidden:
        return min(told)
    *components, _outcome = design.terms
    return min(*told, math.sqrt(1 + longest(components, design.size)))


def offs(terms: Sequence[Term], size: int) -> Floats:
    """How far steps that were taken together move each component at most: half a coarse step."""
    widths = [1 if term.factor is None else term.factor.width for term in terms]
    steps = [
        term.times * (width - 1) / (2 * width) for term, width in zip(terms, widths, strict=True)
    ]
    return np.array(steps) / size


def stretched(blur: float, hidden: float) -> float:
    """The largest x with x² <= (1 + blur x)² + hidden, for a blur below one."""
    rest = max(1 - blur**2, _TINY)
    return (blur + math.sqrt(1 + hidden * rest)) / rest


def longest(components: Sequence[Term], size: int) -> float:
    """|θ|² at most, over all lines that stay between -1 and 1 wherever columns are in bounds."""
    levels = Counter(term.column for term in components if term.is_indicator)
    smallest = min(term.size for term in components if not term.is_indicator)
    return (size / smallest) ** 2 + 4 * max(levels.values(), default=0)


def noise_size(moments: Moments) -> float:
    """How large the noise matrix is about, a public number: 2 σ √p for p independent components."""
    return 2 * moments.deviation * math.sqrt(len(moments.design.terms) - 1)
