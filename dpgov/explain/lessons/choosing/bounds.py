"""Bounds and their price: a mean of n numbers between 0 and B has noise of scale B/(nε).

Narrow bounds clip values and move the mean; wide ones add noise. The clipping is that of invented
ages between 0 and 110, by `privacy.mock.clipping`.
"""

from decimal import Decimal
from functools import lru_cache

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from dpgov.explain.lessons.drawing import bars, drawn, share, shown
from dpgov.explain.lessons.lesson import Chosen, Control, Lesson, LessonTable, Picture, Scene
from dpgov.explain.lessons.numbers import laplace_deviation
from dpgov.explain.lessons.sources import DEFINITION, PARALLEL
from dpgov.explain.lessons.told import AGE_EPSILON, AGED_PEOPLE, OLDEST
from dpgov.privacy.mock.clipping import Clipped, Shape, clipped

UPPER = ("50", "60", "70", "80", "90", "110", "150", "200", "300")


def noise(upper: int) -> Decimal:
    """The deviation of the mean by noise alone."""
    return laplace_deviation(Decimal(upper) / (AGED_PEOPLE * AGE_EPSILON))


def ages(upper: int) -> Clipped:
    """What the bound does to the invented ages: the share that lies above, how the mean moves."""
    return _clipped_at(min(upper, OLDEST))


@lru_cache(maxsize=16)
def _clipped_at(upper: int) -> Clipped:
    return clipped(0, upper, least=0, most=OLDEST, shape=Shape.HILL)


def scene(at: Chosen) -> Scene:
    """Noise and clipping, bound by bound."""
    uppers = [int(upper) for upper in UPPER]
    chosen = int(at["upper"])
    names = [f"▸ {upper}" if upper == chosen else str(upper) for upper in uppers]
    figure = drawn(
        [
            bars([ages(upper).moved for upper in uppers], _("wrong by clipping"), "2"),
            bars([noise(upper) for upper in uppers], _("wrong by noise"), "1"),
        ],
        _("upper bound"),
        _("error of the mean age, years"),
        xaxis={"tickvals": list(range(len(uppers))), "ticktext": names, "showgrid": False},
        barmode="stack",
    )
    said = _(
        "Ages declared from 0 to {upper}: noise of {noise} years in the mean of 1,000 people at ε "
        "0.1, and {share} of the ages are clipped. From 0 to 110 it is {fits}, to 300 it is {wide}."
    ).format(
        upper=chosen,
        noise=shown(noise(chosen), 3),
        share=share(ages(chosen).share),
        fits=shown(noise(OLDEST), 3),
        wide=shown(noise(300), 3),
    )
    caption = _(
        "Invented ages between 0 and 110. Bounds of 0 to 300 cost 2.7 times the noise of 0 to 110 "
        "and help nobody; bounds that are too narrow move the mean, which no ε repairs."
    )
    rows = tuple(
        (
            _("0 to {upper}").format(upper=upper),
            shown(noise(upper), 3),
            shown(ages(upper).moved, 3),
            share(ages(upper).share),
        )
        for upper in uppers
    )
    heads = (_("bounds"), _("noise, years"), _("moved by clipping"), _("ages clipped"))
    return Scene(said, (Picture(figure, caption),), LessonTable(heads, rows, uppers.index(chosen)))


LESSON = Lesson(
    slug="bounds",
    title=gettext_noop("Bounds and their price"),
    question=gettext_noop("What does it cost to declare ages from 0 to 300?"),
    sentence=gettext_noop(
        "Noise is made for the widest value that you allow: declare what can be, not what could be "
        "imagined."
    ),
    controls=(Control("upper", gettext_noop("Upper bound of age"), UPPER, "300"),),
    scene=scene,
    sources=(DEFINITION, PARALLEL),
)
