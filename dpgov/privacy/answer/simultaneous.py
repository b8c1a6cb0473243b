"""Error bounds that hold for all groups of an answer at once, so that groups may be picked from it.

Each group gets its part of what may go wrong (the union bound; Bonferroni), and its bound is made
anew at that level from what was released with the answer: its noise and its noisy integers. So any
two groups may be compared after looking, the highest with the lowest too. Everything here is after
the noise.
"""

from fractions import Fraction
from typing import Any

import numpy as np

from dpgov.privacy.noise.intervals import HALF, BernsteinSums, mean_bounds
from dpgov.privacy.noise.noise import Noise, NoiseKind
from dpgov.privacy.plan.statistics import STATISTICS, Recipe

LEVEL = Fraction(95, 100)
_WIDEST = Fraction(99, 100)
# The unit of a mean's sums is stored as a decimal: up to here it is told exactly.
_LARGEST_WHOLE = 100_000


def bounds_for_all(body: dict[str, Any], place: int) -> list[float] | None:
    """For each group of statistic number `place`, in its unit; None where nothing can be said.

    With 95% confidence all true numbers lie within them together. Counts, sums and means have
    them: spreads and choices do not, nor has what was put together of several answers.
    """
    statistic = body["statistics"][place]
    if "draw" not in statistic or any(cell["value"] is None for cell in statistic["cells"]):
        return None
    drawn = body["draws"][statistic["draw"]]
    if drawn["mechanism"] not in list(NoiseKind):
        return None
    noise = Noise(NoiseKind(drawn["mechanism"]), drawn["noise_scale"])
    level = 1 - (1 - LEVEL) / max(1, len(statistic["cells"]))
    recipe = STATISTICS[statistic["statistic"]].recipe
    if len(drawn["readings"]) == 1:
        return _of_one_reading(statistic, noise, level)
    if recipe is Recipe.MEAN and len(drawn["readings"]) == 2 and statistic.get("range"):
        return _of_means(statistic, drawn, noise, level)
    return None


def _of_one_reading(statistic: dict[str, Any], noise: Noise, level: Fraction) -> list[float] | None:
    """The stated bounds are so many steps of the noise: as many more as this level takes."""
    steps, wanted = noise.tail_bound(_WIDEST), noise.tail_bound(max(level, _WIDEST))
    stated = [
        item["value"]
        for cell in statistic["cells"]
        for item in cell["accuracy"]
        if item["confidence_level"] == float(_WIDEST)
    ]
    if not steps or len(stated) != len(statistic["cells"]) or None in stated:
        return None
    return [bound * wanted / steps for bound in stated]


def _of_means(
    statistic: dict[str, Any], drawn: dict[str, Any], noise: Noise, level: Fraction
) -> list[float] | None:
    """As `mechanisms.views.Mean` has them, at this level."""
    whole = round(1 / drawn["readings"][0]["lattice"])
    if not 1 <= whole <= _LARGEST_WHOLE:
        return None
    table = np.array(drawn["cells"], dtype=np.float64) / whole
    counts = table.sum(axis=1)
    centred = np.clip((table[:, 1] - table[:, 0]) / 2 / np.maximum(counts, 1), -HALF, HALF)
    bounds = mean_bounds(BernsteinSums(noise, 1, whole), level, centred, counts)
    low, high = statistic["range"]
    return [float(bound) * (high - low) for bound in bounds]
