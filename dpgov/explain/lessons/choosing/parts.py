"""Editors of a page, by country: questions about different people cost the largest ε, not the sum.

Each editor stands in one bar: a row more or less changes one count by 1, whatever their number, so
that every bar has Laplace noise of scale 1/ε. Were each bar a question about anybody, ε would be
divided among k and the noise k times as wide.
"""

from decimal import Decimal

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from dpgov.explain.lessons.drawing import dots, drawn, line, shown
from dpgov.explain.lessons.lesson import Chosen, Control, Lesson, LessonTable, Picture, Scene
from dpgov.explain.lessons.numbers import laplace_deviation
from dpgov.explain.lessons.sources import PARALLEL
from dpgov.explain.lessons.told import EDITORS_EPSILON

COUNTRIES = ("1", "2", "5", "10", "20", "30", "50")


def errors(countries: int) -> tuple[Decimal, Decimal]:
    """Of each bar: where everybody is in one bar, and where anybody may be in all."""
    return laplace_deviation(1 / EDITORS_EPSILON), laplace_deviation(countries / EDITORS_EPSILON)


def scene(at: Chosen) -> Scene:
    """Both errors by the number of bars."""
    counts = [int(count) for count in COUNTRIES]
    chosen = int(at["countries"])
    one, every = errors(chosen)
    figure = drawn(
        [
            line(
                counts,
                [errors(count)[1] for count in counts],
                _("anybody may be in every bar"),
                "2",
            ),
            line(counts, [errors(count)[0] for count in counts], _("everybody is in one bar"), "1"),
            dots([chosen, chosen], [one, every], _("chosen"), "rest"),
        ],
        _("bars"),
        _("error of each bar, editors"),
        yaxis={"rangemode": "tozero"},
    )
    said = _(
        "{countries} countries at ε 0.5 for all: each bar is wrong by {one} editors, because each "
        "editor stands in one; were they in every bar, by {every}."
    ).format(countries=chosen, one=shown(one, 3), every=shown(every, 3))
    caption = _(
        "Invented: editors of a page of an encyclopaedia, counted by country. What one person can "
        "change decides about the noise, not how many numbers are published."
    )
    rows = tuple(
        (str(count), shown(errors(count)[0], 3), shown(errors(count)[1], 3)) for count in counts
    )
    heads = (_("bars"), _("everybody in one bar"), _("anybody in every bar"))
    return Scene(said, (Picture(figure, caption),), LessonTable(heads, rows, counts.index(chosen)))


LESSON = Lesson(
    slug="disjoint-parts",
    title=gettext_noop("Editors of a page, by country"),
    question=gettext_noop("Does a histogram of fifty bars cost fifty times as much?"),
    sentence=gettext_noop(
        "Where everybody stands in one bar, fifty bars cost what one costs: a person who comes or "
        "goes changes a single bar."
    ),
    controls=(Control("countries", gettext_noop("Countries"), COUNTRIES, "20"),),
    scene=scene,
    sources=(PARALLEL,),
)
