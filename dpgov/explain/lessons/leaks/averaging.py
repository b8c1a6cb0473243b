"""The averaging attack again and again: other invented noise each time, the same end.

The mean of k answers has the deviation sqrt(2a)/(1 - a)/sqrt(k), a = e^-ε, of two-sided geometric
noise. The band is exact: of all runs 95 in 100 at least end within it after that many answers,
from the distribution of a sum of k such numbers by its k-th power in the discrete Fourier domain.
"""

import math
from decimal import ROUND_CEILING
from fractions import Fraction
from functools import lru_cache

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from dpgov.explain.averaging import TRUTH
from dpgov.explain.invented import steps
from dpgov.explain.lessons.drawing import band, drawn, line, shown
from dpgov.explain.lessons.lesson import Chosen, Control, Lesson, LessonTable, Picture, Scene
from dpgov.explain.lessons.sources import FOUNDATIONS, REVEALING
from dpgov.explain.lessons.told import AGAIN_EPSILON

RUNS = tuple(map(str, range(1, 13)))
_ASKED = (1, 2, 3, 5, 8, 12, 20, 30, 50, 80, 120, 200, 300, 500)
_LISTED = (1, 5, 20, 50, 120, 300, 500)
# Far more than sums of 500 answers reach: 2^15 places hold them to 40 deviations on each side.
_PLACES = 2**15


@lru_cache(maxsize=64)
def reach(asked: int, epsilon: float = AGAIN_EPSILON) -> int:
    """The least whole t such that a sum of so many answers' noise lies within ±t in 95 of 100."""
    shrink = math.exp(-epsilon)
    places = np.arange(_PLACES)
    away = np.minimum(places, _PLACES - places)
    one = (1 - shrink) / (1 + shrink) * shrink**away
    total = np.fft.irfft(np.fft.rfft(one) ** asked, _PLACES)
    within, at = float(total[0]), 0
    while within < 0.95:
        at += 1
        within += float(total[at] + total[-at])
    return at


def means(run: int) -> list[float]:
    """The mean after each number of answers of a run."""
    noise = [
        steps(f"averaging, run {run}", place, 1 / AGAIN_EPSILON) for place in range(max(_ASKED))
    ]
    return [TRUTH + sum(noise[:asked]) / asked for asked in _ASKED]


def scene(at: Chosen) -> Scene:
    """One run within the band of all."""
    run = int(at["run"])
    found = means(run)
    low = [TRUTH - reach(asked) / asked for asked in _ASKED]
    high = [TRUTH + reach(asked) / asked for asked in _ASKED]
    truth = line([1, _ASKED[-1]], [TRUTH, TRUTH], _("the invented truth"), "rest", dash=True)
    figure = drawn(
        [
            *band(_ASKED, low, high, _("95 of 100 runs"), "3"),
            line(_ASKED, found, _("this run"), "1"),
            truth,
        ],
        _("times asked"),
        _("mean of the answers"),
        xaxis={"type": "log", "tickvals": [1, 10, 100, 500]},
        yaxis={"range": [TRUTH - 8, TRUTH + 8]},
    )
    said = _(
        "Run {run}: after 500 answers the mean is {mean}, where 412 is true, so that nobody is "
        "hidden any more; by then they would have cost ε {cost} in all."
    ).format(run=run, mean=shown(found[-1], 5), cost=shown(AGAIN_EPSILON * _ASKED[-1]))
    caption = _(
        "The same count asked again and again at ε 0.5, with new noise each time: the band narrows "
        "with the root of the number of answers, whatever the noise. Only a budget ends it."
    )
    rows = tuple(
        (
            str(asked),
            shown(found[place], 5),
            "± " + shown(Fraction(reach(asked), asked), 3, ROUND_CEILING),
            shown(AGAIN_EPSILON * asked),
        )
        for place, asked in enumerate(_ASKED)
        if asked in _LISTED
    )
    heads = (_("times asked"), _("mean of this run"), _("95 of 100 runs within"), _("ε so far"))
    return Scene(said, (Picture(figure, caption),), LessonTable(heads, rows))


LESSON = Lesson(
    slug="averaging",
    title=gettext_noop("Asking again and again"),
    question=gettext_noop("Does noise help if the same may be asked for ever?"),
    sentence=gettext_noop(
        "Noise cancels out: fifty answers are seven times as exact as one, so that only a budget "
        "that ends keeps anything hidden."
    ),
    controls=(Control("run", gettext_noop("Run"), RUNS, "1", again=gettext_noop("Run again")),),
    scene=scene,
    sources=(FOUNDATIONS, REVEALING),
    leads=(
        (
            "explain:understanding_general",
            gettext_noop("The same attack, stopped by a budget of yours"),
        ),
    ),
)
