"""Distance: how many rows must come or go to turn one table into the other; the bound is e^(εd).

A changed row is distance 2: one goes, another comes.
"""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from dpgov.explain.lessons.drawing import chosen_bar, drawn, factor, shown
from dpgov.explain.lessons.lesson import Chosen, Control, Lesson, LessonTable, Picture, Scene
from dpgov.explain.lessons.numbers import exponential
from dpgov.explain.lessons.sources import DEFINITION, FOUNDATIONS
from dpgov.explain.lessons.told import DISTANCE_EPSILON

# What happened to the table, and how many rows came or went.
CHANGES = (
    (gettext_noop("one row more"), 1),
    (gettext_noop("one row changed"), 2),
    (gettext_noop("a person with three rows leaves"), 3),
    (gettext_noop("two rows changed"), 4),
    (gettext_noop("a person with three rows changes them all"), 6),
)


def scene(at: Chosen) -> Scene:
    """The bound for each change, the chosen one in colour."""
    chosen = int(at["change"])
    heights = [exponential(DISTANCE_EPSILON * distance) for _words, distance in CHANGES]
    factors = [factor(DISTANCE_EPSILON * distance) for _words, distance in CHANGES]
    distances = [f"d = {distance}" for _words, distance in CHANGES]
    figure = drawn(
        chosen_bar(heights, chosen, factors),
        distances,
        _("times as likely, at most"),
        showlegend=False,
    )
    said = _("{change}: distance {number}, so at most e^(0.5 × {number}) ≤ {factor} times.").format(
        change=_(CHANGES[chosen][0]), number=CHANGES[chosen][1], factor=factors[chosen]
    )
    caption = _(
        "How many times as likely an answer may become, at ε 0.5 for one row that comes or goes. "
        "Where the number of rows is public, as under “change one”, the change itself is distance "
        "1 and ε is for it."
    )
    rows = tuple(
        (_(words), str(distance), shown(DISTANCE_EPSILON * distance), times)
        for (words, distance), times in zip(CHANGES, factors, strict=True)
    )
    heads = (_("What happened"), _("distance d"), "ε·d", _("e^(ε·d), times as likely at most"))
    return Scene(said, (Picture(figure, caption),), LessonTable(heads, rows, chosen))


LESSON = Lesson(
    slug="distance",
    title=gettext_noop("Distance: a changed row counts twice"),
    question=gettext_noop("Which tables must an answer hardly tell apart?"),
    sentence=gettext_noop(
        "The further two tables are apart, the more an answer may tell them apart: e^ε for each "
        "row that comes or goes, and a changed row is both."
    ),
    controls=(
        Control(
            "change",
            gettext_noop("What happened to the table"),
            tuple(map(str, range(len(CHANGES)))),
            "1",
            words=tuple(words for words, _distance in CHANGES),
            slides=False,
        ),
    ),
    scene=scene,
    sources=(DEFINITION, FOUNDATIONS),
)
