"""Slips in sources, worked out again.

The deviation of Laplace noise of scale 1/ε is sqrt(2)/ε, which is 2.57 at ε = (ln 3)/2; sqrt(3)/2
is told. A bit sent as Bern(1/2 + εb) with b = ±1 loses ln((1/2 + ε)/(1/2 - ε)) = 2 artanh 2ε when b
changes, which is about 4ε; 2ε is told. And Netflix published ten times as many ratings as is told.
"""

from decimal import Decimal
from fractions import Fraction

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from dpgov.explain.lessons.drawing import bars, drawn, shown
from dpgov.explain.lessons.lesson import Chosen, Control, Lesson, LessonTable, Picture, Scene
from dpgov.explain.lessons.numbers import exactly, laplace_deviation, logarithm, root
from dpgov.explain.lessons.sources import DEFINITION, NETFLIX, WARNER
from dpgov.explain.lessons.told import BIT_BIAS, NETFLIX_RATINGS, NETFLIX_RATINGS_TOLD

SLIPS = (
    gettext_noop("the deviation of Laplace noise"),
    gettext_noop("the ε of a biased bit"),
    gettext_noop("the ratings of Netflix"),
)


def deviation() -> tuple[Decimal, Decimal]:
    """Told and computed at ε = (ln 3)/2."""
    return root(3) / 2, laplace_deviation(1 / (logarithm(3) / 2))


def biased_bit(bias: Fraction) -> tuple[Decimal, Decimal]:
    """Told and computed: 2ε, and 2 artanh 2ε = ln((1 + 2ε)/(1 - 2ε))."""
    return exactly(2 * bias), logarithm((1 + 2 * bias) / (1 - 2 * bias))


def pairs() -> tuple[tuple[Decimal, Decimal], ...]:
    """Each slip: what is told, and what comes out."""
    ratings = exactly(NETFLIX_RATINGS_TOLD), exactly(NETFLIX_RATINGS)
    return deviation(), biased_bit(BIT_BIAS), ratings


def scene(at: Chosen) -> Scene:
    """What is told beside what comes out."""
    chosen = int(at["slip"])
    told, found = pairs()[chosen]
    figure = drawn(
        [bars([told, found], "", "2", texts=[_told(told), _told(found)])],
        [_("as told"), _("worked out")],
        _(SLIPS[chosen]),
        yaxis={"rangemode": "tozero"},
    )
    reasons = (
        _("Laplace noise of scale 1/ε has the deviation √2/ε: at ε = (ln 3)/2 that is {found}."),
        _(
            "A bit b = ±1 sent as Bern(1/2 + εb) loses 2 artanh 2ε ≈ 4ε when it changes: at ε 0.1 "
            "that is {found}."
        ),
        _("Netflix published {found} ratings; a tenth of them is often told."),
    )
    said = reasons[chosen].format(found=_told(found))
    caption = _(
        "A number found in lectures and books beside the one that its own formula or source gives."
    )
    forms = (("√3/2 = ", "√2/ε = "), ("2ε = ", "2 artanh 2ε = "), ("", ""))
    rows = tuple(
        (_(name), as_told + _told(one), as_found + _told(other))
        for name, (as_told, as_found), (one, other) in zip(SLIPS, forms, pairs(), strict=True)
    )
    heads = (_("About"), _("as told"), _("worked out"))
    return Scene(said, (Picture(figure, caption),), LessonTable(heads, rows, chosen))


def _told(number: Decimal) -> str:
    return shown(number, 3)


LESSON = Lesson(
    slug="slips",
    title=gettext_noop("Slips in sources"),
    question=gettext_noop("Can a formula in a lecture be wrong?"),
    sentence=gettext_noop(
        "Work it out again: a factor of two in ε is a factor of two in what an attacker may learn."
    ),
    controls=(
        Control(
            "slip",
            gettext_noop("What is told about"),
            tuple(map(str, range(len(SLIPS)))),
            "0",
            words=SLIPS,
            slides=False,
        ),
    ),
    scene=scene,
    sources=(DEFINITION, WARNER, NETFLIX),
)
