"""Names left out, and yet recognised: how many others fit what somebody knows.

Invented: each fact known about somebody is shared by one in ten people, independently. Of n - 1
others r^m (n - 1) fit m facts on average, and none at all with probability (1 - r^m)^(n - 1).
"""

from decimal import Decimal
from fractions import Fraction

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from dpgov.explain.lessons.drawing import chosen_bar, drawn, share, shown
from dpgov.explain.lessons.lesson import Chosen, Control, Lesson, LessonTable, Picture, Scene
from dpgov.explain.lessons.numbers import any_of
from dpgov.explain.lessons.sources import NETFLIX
from dpgov.explain.lessons.told import (
    FACT_SHARED,
    NETFLIX_PEOPLE,
    NETFLIX_PEOPLE_TOLD,
    NETFLIX_RATINGS,
    NETFLIX_RATINGS_TOLD,
)

FACTS = tuple(map(str, range(9)))


def others(facts: int) -> Fraction:
    """How many others fit on average."""
    return (NETFLIX_PEOPLE_TOLD - 1) * FACT_SHARED**facts


def alone(facts: int) -> Decimal:
    """The chance that nobody else fits."""
    return 1 - any_of(FACT_SHARED**facts, NETFLIX_PEOPLE_TOLD - 1)


def scene(at: Chosen) -> Scene:
    """The share of people whom so many facts single out."""
    facts = int(at["facts"])
    chances = [alone(count) for count in range(9)]
    figure = drawn(
        chosen_bar([100 * one for one in chances], facts, [share(one) for one in chances]),
        [str(count) for count in range(9)],
        _("nobody else fits, %"),
        xaxis={"title": {"text": _("facts known about a person")}},
        yaxis={"range": [0, 108]},
        showlegend=False,
    )
    said = _(
        "Facts known about a person: {facts}. On average {others} others fit them, and in {alone} "
        "of all cases nobody else does."
    ).format(facts=facts, others=shown(others(facts), 3), alone=share(chances[facts]))
    caption = _(
        "Invented: 500,000 people, and each fact fits one in ten. The real case: Netflix published "
        "{ratings} ratings of {people} people without names in 2006 (often told as {told} million "
        "of 500,000), and a few known ratings were enough to find a person."
    ).format(
        ratings=shown(NETFLIX_RATINGS),
        people=shown(NETFLIX_PEOPLE),
        told=NETFLIX_RATINGS_TOLD // 10**6,
    )
    rows = tuple((str(count), shown(others(count), 3), share(chances[count])) for count in range(9))
    heads = (_("facts known"), _("others that fit, on average"), _("nobody else fits"))
    return Scene(said, (Picture(figure, caption),), LessonTable(heads, rows, facts))


LESSON = Lesson(
    slug="without-names",
    title=gettext_noop("Names left out, and yet recognised"),
    question=gettext_noop("Is data anonymous once the names are gone?"),
    sentence=gettext_noop(
        "A handful of ordinary facts singles out one person among half a million: leaving out "
        "names is no protection."
    ),
    controls=(Control("facts", gettext_noop("Facts known about a person"), FACTS, "3"),),
    scene=scene,
    sources=(NETFLIX,),
)
