"""The loss of one answer: ln(p(x) / p'(x)), here (|x - f - Δ| - |x - f|) ε/Δ exactly.

Between the two centres it falls in a line from ε to -ε; beyond them it stays at an end.
"""

from decimal import ROUND_FLOOR, ROUND_UP
from fractions import Fraction

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from dpgov.explain.lessons.drawing import dots, drawn, factor, line, shown
from dpgov.explain.lessons.lesson import Chosen, Control, Lesson, LessonTable, Picture, Scene
from dpgov.explain.lessons.numbers import exponential
from dpgov.explain.lessons.sources import FOUNDATIONS
from dpgov.explain.lessons.told import ANSWER_EPSILON, MOVES, WITHOUT

_PLACES = tuple(map(str, range(-10, 28)))


def loss(at: Fraction) -> Fraction:
    """Of an answer, towards “without them”; negative where it speaks for “with them”."""
    return (abs(at - WITHOUT - MOVES) - abs(at - WITHOUT)) * ANSWER_EPSILON / MOVES


def scene(at: Chosen) -> Scene:
    """The loss of every answer, and a dot at the one that was seen."""
    seen = Fraction(at["answer"])
    places = [Fraction(place) for place in _PLACES]
    figure = drawn(
        [
            line(places, [loss(place) for place in places], _("loss of an answer"), "1"),
            dots([seen], [loss(seen)], _("the answer seen"), "2"),
            line([-10, 27], [ANSWER_EPSILON] * 2, _("ε and −ε"), "limit", dash=True),
            _lower(),
        ],
        _("answer x"),
        _("privacy loss"),
        yaxis={"range": [-0.65, 0.65]},
    )
    said = _(
        "Seeing {answer} is a loss of {loss}: it is {factor} times as likely without them as with "
        "them."
    ).format(answer=at["answer"], loss=_loss(seen), factor=_times(seen))
    caption = _(
        "The loss of each answer, where the exact one is 5 without one person and 12 with them, at "
        "ε 0.5. No answer loses more than ε; many lose less."
    )
    return Scene(said, (Picture(figure, caption),), _table(seen))


def _lower() -> object:
    lower = line([-10, 27], [-ANSWER_EPSILON] * 2, "", "limit", dash=True)
    lower.showlegend = False
    return lower


def _loss(at: Fraction) -> str:
    """Never nearer to none than it is."""
    return shown(loss(at), rounding=ROUND_UP)


def _times(at: Fraction) -> str:
    """The same: up where it is more than once, down where it is less."""
    lost = loss(at)
    return factor(lost) if lost >= 0 else shown(exponential(lost), rounding=ROUND_FLOOR)


def _table(seen: Fraction) -> LessonTable:
    fixed = [Fraction(place) for place in (-10, 5, 7, 10, 12, 27)]
    places = sorted({*fixed, seen})
    rows = tuple((shown(place), _loss(place), _times(place)) for place in places)
    heads = (_("answer x"), _("privacy loss"), _("times as likely without them"))
    return LessonTable(heads, rows, places.index(seen))


LESSON = Lesson(
    slug="one-answer",
    title=gettext_noop("The loss of one answer"),
    question=gettext_noop("How much does the answer that was actually seen give away?"),
    sentence=gettext_noop(
        "ε is the most that any answer can give away; the one you see often gives away less, and "
        "may point the wrong way."
    ),
    controls=(Control("answer", gettext_noop("The answer seen"), _PLACES, "6"),),
    scene=scene,
    sources=(FOUNDATIONS,),
)
