"""Noise on each row before counting, or once on the count: sqrt(2n)/ε against sqrt(2)/ε.

Each row is a bit. Laplace noise of scale 1/ε on each makes every row ε-private by itself; a sum of
n of them has n times the variance. On the sum one draw does the same for everybody.
"""

from decimal import Decimal

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from dpgov.explain.lessons.drawing import decades, dots, drawn, line, share, shown
from dpgov.explain.lessons.lesson import Chosen, Control, Lesson, LessonTable, Picture, Scene
from dpgov.explain.lessons.numbers import laplace_deviation, root
from dpgov.explain.lessons.sources import DEFINITION, FOUNDATIONS
from dpgov.explain.lessons.told import ROWS_EPSILON

PEOPLE = ("10", "100", "1000", "10000", "100000", "1000000")


def errors(people: int) -> tuple[Decimal, Decimal]:
    """The deviation of a count with noise on every row, and on the count."""
    once = laplace_deviation(1 / ROWS_EPSILON)
    return once * root(people), once


def scene(at: Chosen) -> Scene:
    """Both errors by the number of rows."""
    counts = [int(people) for people in PEOPLE]
    found = [errors(count) for count in counts]
    chosen = int(at["people"])
    every, once = errors(chosen)
    figure = drawn(
        [
            line(counts, [each for each, _once in found], _("noise on every row"), "2"),
            line(counts, [one for _each, one in found], _("noise on the count"), "1"),
            dots([chosen, chosen], [every, once], _("chosen"), "rest"),
        ],
        _("rows"),
        _("error of the count"),
        xaxis=decades(1, 6),
        yaxis=decades(0, 4),
    )
    said = _(
        "{people} rows: noise on each makes the count wrong by {every} ({share} of all), noise on "
        "the count by {once}."
    ).format(
        people=shown(chosen),
        every=shown(every, 3),
        share=share(every / chosen),
        once=shown(once, 3),
    )
    caption = _(
        "The standard deviation of a count at ε 0.5. Noise put into every row adds up with the "
        "root of their number; noise put into the answer does not grow."
    )
    rows = tuple(
        (shown(count), shown(each, 3), shown(one, 3), share(each / count, 2))
        for count, (each, one) in zip(counts, found, strict=True)
    )
    heads = (_("rows"), _("on every row"), _("on the count"), _("on every row, of all"))
    return Scene(said, (Picture(figure, caption),), LessonTable(heads, rows, counts.index(chosen)))


LESSON = Lesson(
    slug="where-noise-goes",
    title=gettext_noop("Noise in the data or in the answer"),
    question=gettext_noop("Why not publish noisy rows and let everybody count?"),
    sentence=gettext_noop(
        "Noise on the answer costs the same error for ten rows and for a million; noise on every "
        "row grows with the root of their number."
    ),
    controls=(Control("people", gettext_noop("Rows"), PEOPLE, "10000"),),
    scene=scene,
    sources=(DEFINITION, FOUNDATIONS),
)
