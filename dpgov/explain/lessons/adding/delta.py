"""Why δ must be far below 1/n: who publishes each row with probability δ keeps (0, δ).

Of n rows nδ are published on average, and some row is with probability 1 - (1 - δ)^n.
"""

from fractions import Fraction

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from dpgov.explain.lessons.drawing import dots, drawn, line, share, shown
from dpgov.explain.lessons.lesson import Chosen, Control, Lesson, LessonTable, Picture, Scene
from dpgov.explain.lessons.numbers import any_of
from dpgov.explain.lessons.sources import COMPLEXITY, FOUNDATIONS
from dpgov.explain.lessons.told import PUBLISHED_PEOPLE

POWERS = tuple(range(2, 11))
_NAMES = ("10⁻²", "10⁻³", "10⁻⁴", "10⁻⁵ = 1/n", "10⁻⁶", "10⁻⁷", "10⁻⁸", "10⁻⁹", "10⁻¹⁰")


def scene(at: Chosen) -> Scene:
    """The chance that somebody's row is published, by δ."""
    chosen = int(at["delta"])
    fine = [Fraction(step, 10) for step in range(20, 101)]
    curve = [100 * any_of(10.0 ** -float(power), PUBLISHED_PEOPLE) for power in fine]
    chance = any_of(Fraction(1, 10**chosen), PUBLISHED_PEOPLE)
    figure = drawn(
        [
            line([-power for power in fine], curve, _("some row is published"), "1"),
            dots([-chosen], [100 * chance], _("chosen"), "2"),
        ],
        "δ",
        _("probability, %"),
        xaxis={
            "tickvals": [-power for power in POWERS],
            "ticktext": [name.partition(" ")[0] for name in _NAMES],
        },
        yaxis={"range": [-3, 103]},
    )
    said = _(
        "At δ {delta} it publishes {rows} of 100,000 rows on average, and at least one with "
        "probability {chance}."
    ).format(
        delta=_NAMES[POWERS.index(chosen)],
        rows=shown(Fraction(PUBLISHED_PEOPLE, 10**chosen)),
        chance=share(chance, 4 if chosen > 6 else 1),
    )
    caption = _(
        "A mechanism that publishes each of 100,000 rows as it is with probability δ, and nothing "
        "else, satisfies (0, δ). Its ε is perfect; only a δ far below 1/n keeps it from harm."
    )
    rows = tuple(
        (
            name,
            shown(Fraction(PUBLISHED_PEOPLE, 10**power)),
            share(any_of(Fraction(1, 10**power), PUBLISHED_PEOPLE), 4 if power > 6 else 1),
        )
        for power, name in zip(POWERS, _NAMES, strict=True)
    )
    heads = ("δ", _("rows published on average"), _("at least one"))
    return Scene(said, (Picture(figure, caption),), LessonTable(heads, rows, POWERS.index(chosen)))


LESSON = Lesson(
    slug="delta",
    title=gettext_noop("Why δ must be far below 1/n"),
    question=gettext_noop("What does a δ of one in a thousand allow?"),
    sentence=gettext_noop(
        "At worst δ is the chance that your row is published as it is, and there are n of you: it "
        "must be far below 1/n."
    ),
    controls=(Control("delta", "δ", tuple(map(str, POWERS)), "5", words=_NAMES),),
    scene=scene,
    sources=(FOUNDATIONS, COMPLEXITY),
)
