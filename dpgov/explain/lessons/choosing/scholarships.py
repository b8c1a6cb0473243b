"""Scholarships by subject, and the largest Δ: somebody with m of them changes m bars.

Counted by subject, a student with up to m scholarships moves the counts by m in all; added up in
amounts of at most A, by mA. The noise is for that, whether or not anybody has so many.
"""

from decimal import Decimal

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from dpgov.explain.lessons.drawing import bars, drawn, shown
from dpgov.explain.lessons.lesson import Chosen, Control, Lesson, LessonTable, Picture, Scene
from dpgov.explain.lessons.numbers import laplace_deviation
from dpgov.explain.lessons.sources import DEFINITION, PARALLEL
from dpgov.explain.lessons.told import SCHOLARSHIP_AT_MOST, SCHOLARSHIPS_EPSILON

MOST_EACH = ("1", "2", "3", "4", "5")
# Invented numbers of scholarships.
SUBJECTS = (
    (gettext_noop("medicine"), 48),
    (gettext_noop("law"), 31),
    (gettext_noop("history"), 17),
    (gettext_noop("music"), 9),
)


def deviations(most: int) -> tuple[Decimal, Decimal]:
    """Of each count, and of each sum of amounts."""
    return laplace_deviation(most / SCHOLARSHIPS_EPSILON), laplace_deviation(
        most * SCHOLARSHIP_AT_MOST / SCHOLARSHIPS_EPSILON
    )


def scene(at: Chosen) -> Scene:
    """The counts, each with a line of one deviation up and down."""
    most = int(at["most"])
    counted, added = deviations(most)
    numbers = [number for _name, number in SUBJECTS]
    figure = drawn(
        [
            bars(
                numbers,
                _("scholarships"),
                "1",
                errors=[counted] * len(numbers),
            )
        ],
        [_(name) for name, _number in SUBJECTS],
        _("scholarships"),
        yaxis={"range": [-15, 70]},
    )
    said = _(
        "A student may have {most}: Δ = {most} for counts and {amount} for amounts of up to 1,000. "
        "Each bar is wrong by {counted}, each sum by {added}."
    ).format(
        most=most,
        amount=shown(most * SCHOLARSHIP_AT_MOST),
        counted=shown(counted, 3),
        added=shown(added, 4),
    )
    caption = _(
        "Invented scholarships by subject; the line on each bar is one standard deviation of its "
        "noise at ε 0.5. Δ is the most that anybody could change, not what any one person did."
    )
    rows = tuple(
        (str(count), str(count), shown(deviations(count)[0], 3), shown(deviations(count)[1]))
        for count in map(int, MOST_EACH)
    )
    heads = (_("scholarships of a student"), "Δ", _("error of a bar"), _("error of a sum"))
    return Scene(said, (Picture(figure, caption),), LessonTable(heads, rows, most - 1))


LESSON = Lesson(
    slug="scholarships",
    title=gettext_noop("Scholarships and the largest Δ"),
    question=gettext_noop("What if a person is in several bars at once?"),
    sentence=gettext_noop(
        "The noise is for the person who could change most: two scholarships for a student are "
        "twice the noise in every bar."
    ),
    controls=(
        Control("most", gettext_noop("Scholarships that a student may have"), MOST_EACH, "3"),
    ),
    scene=scene,
    sources=(DEFINITION, PARALLEL),
)
