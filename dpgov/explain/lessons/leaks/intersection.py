"""Two lists that hide somebody among others, and what both say together.

Each release gives for a group of similar patients the set of their diagnoses. Somebody who was in
several hospitals has a diagnosis in all of the sets: in their intersection.
"""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from dpgov.explain.lessons.drawing import bars, drawn, factor
from dpgov.explain.lessons.lesson import Chosen, Control, Lesson, LessonTable, Picture, Scene
from dpgov.explain.lessons.sources import COMPOSITION_ATTACK
from dpgov.explain.lessons.told import RELEASE_EPSILON

DIAGNOSES = (
    gettext_noop("asthma"),
    gettext_noop("diabetes"),
    gettext_noop("migraine"),
    gettext_noop("depression"),
    gettext_noop("cancer"),
    gettext_noop("arthritis"),
    gettext_noop("epilepsy"),
    gettext_noop("anaemia"),
)
# Invented: the places of the diagnoses in the group that somebody belongs to, release by release.
RELEASES = (
    frozenset({0, 1, 3, 4, 6, 7}),
    frozenset({1, 2, 3, 5, 6}),
    frozenset({0, 2, 3, 4, 6}),
    frozenset({1, 3, 5, 7}),
)


def possible(releases: int) -> frozenset[int]:
    """What is left for somebody who is in the first so many releases."""
    return frozenset(range(len(DIAGNOSES))).intersection(*RELEASES[:releases])


def scene(at: Chosen) -> Scene:
    """How many diagnoses are left, release by release."""
    seen = int(at["releases"])
    left = [len(possible(count)) for count in range(len(RELEASES) + 1)]
    names = [_("none")] + [str(count) for count in range(1, len(RELEASES) + 1)]
    figure = drawn(
        [
            bars(left[: seen + 1], _("possible diagnoses"), "1", texts=[str(n) for n in left]),
        ],
        names,
        _("diagnoses left"),
        xaxis={"title": {"text": _("releases seen")}, "range": [-0.6, 4.6]},
        yaxis={"range": [0, 8.5]},
    )
    said = _("Releases seen: {seen}. Diagnoses left for her: {number} ({names}).").format(
        seen=seen, number=left[seen], names=_named(possible(seen))
    )
    caption = _(
        "Invented: each release alone hides a patient among at least four diagnoses. Nobody broke "
        "a rule, and together they tell. Under differential privacy k answers multiply odds by "
        "e^(kε) at most, whoever gave them."
    )
    rows = tuple(
        (
            names[count],
            _named(RELEASES[count - 1]) if count else "–",
            str(left[count]),
            factor(count * RELEASE_EPSILON),
        )
        for count in range(len(RELEASES) + 1)
    )
    heads = (
        _("Release"),
        _("diagnoses in her group"),
        _("left for her"),
        _("odds under ε 0.5 each, times at most"),
    )
    return Scene(said, (Picture(figure, caption),), LessonTable(heads, rows, seen))


def _named(places: frozenset[int]) -> str:
    return ", ".join(_(DIAGNOSES[place]) for place in sorted(places))


LESSON = Lesson(
    slug="intersection",
    title=gettext_noop("Two lists together"),
    question=gettext_noop("What if a person is in two releases that are each safe?"),
    sentence=gettext_noop(
        "Hiding among others does not add up: two lists that are each safe can name a person "
        "together, while losses in ε add up to a known sum."
    ),
    controls=(Control("releases", gettext_noop("Releases seen"), ("0", "1", "2", "3", "4"), "2"),),
    scene=scene,
    sources=(COMPOSITION_ATTACK,),
)
