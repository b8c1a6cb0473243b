"""One district that differs: what is true of a group is shown, and tells about each of its people.

Invented: 99.1% of a district speak a language that 15.5% of the country speak. Counts by district
are about different people, so that each has the whole ε; the share comes out well in a district of
a thousand. Who is known to live there is known by it, with or without their own row.
"""

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from dpgov.explain.lessons.drawing import bars, drawn, share
from dpgov.explain.lessons.lesson import Chosen, Control, Lesson, LessonTable, Picture, Scene
from dpgov.explain.lessons.promise.beliefs import after
from dpgov.explain.lessons.sources import FOUNDATIONS, PARALLEL
from dpgov.explain.lessons.told import COUNTRY_SHARE, DISTRICT_PEOPLE, DISTRICT_SHARE

EPSILONS = ("0.01", "0.1", "0.5", "1", "2")


def half_width(epsilon: str) -> Decimal:
    """Of the 95% interval of the share, from the noise in the count: ln(20)/(nε)."""
    return Decimal(20).ln() / (Decimal(epsilon) * DISTRICT_PEOPLE)


def scene(at: Chosen) -> Scene:
    """The share in the country, in the district, and what is believed of somebody who lives "
    "there."""
    epsilon = at["epsilon"]
    width = half_width(epsilon)
    with_row = after(DISTRICT_SHARE, epsilon)
    shares = [COUNTRY_SHARE, DISTRICT_SHARE, with_row.low]
    names = [_("country"), _("district"), _("of one person: least")]
    figure = drawn(
        [
            bars(
                [100 * one for one in shares],
                "",
                "1",
                texts=[*map(share, shares[:2]), share(with_row.low, rounding=ROUND_FLOOR)],
                errors=[0, 100 * width, 0],
            )
        ],
        names,
        _("speakers, %"),
        yaxis={"range": [0, 125 if epsilon != "0.01" else 140]},
    )
    said = _(
        "ε {epsilon}: the share of the district is 99.1%, give or take {width} (95%). Who is known "
        "to live there is believed a speaker at {belief} instead of 15.5%, with or without their "
        "row."
    ).format(epsilon=epsilon, width=share(width, 2, ROUND_CEILING), belief=share(DISTRICT_SHARE))
    caption = _(
        # The signs are per cent; xgettext:no-python-format
        "Invented: a language spoken by 15.5% of a country and by 99.1% of the 1,000 people of one "
        "district. The last bar is the least that their own row leaves of the belief about "
        "somebody."
    )
    rows = tuple(
        (
            one,
            "± " + share(half_width(one), 2, ROUND_CEILING),
            share(after(DISTRICT_SHARE, one).low, 2, ROUND_FLOOR),
        )
        for one in EPSILONS
    )
    heads = ("ε", _("error of the share (95%)"), _("belief about one person, least"))
    return Scene(
        said, (Picture(figure, caption),), LessonTable(heads, rows, EPSILONS.index(epsilon))
    )


LESSON = Lesson(
    slug="one-district",
    title=gettext_noop("One district that differs"),
    question=gettext_noop("Does ε hide what is true of nearly everybody in a group?"),
    sentence=gettext_noop(
        "ε hides your row, not what is true of your district: declare or ask in groups that do not "
        "speak for each of their people."
    ),
    controls=(Control("epsilon", "ε", EPSILONS, "0.5"),),
    scene=scene,
    sources=(FOUNDATIONS, PARALLEL),
)
