"""Nobody trusted, or a curator: the price of randomising at home, in people.

Randomised response of ε tells the truth with p = e^ε/(1 + e^ε) and estimates the number of yes
among n with the deviation sqrt(n p (1 - p))/(2p - 1), which grows with sqrt(n). A trusted curator
adds Laplace noise once: sqrt(2)/ε, whatever n is.
"""

from decimal import ROUND_CEILING, Decimal

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from dpgov.explain.lessons.drawing import decades, dots, drawn, line, share, shown
from dpgov.explain.lessons.lesson import Chosen, Control, Lesson, LessonTable, Picture, Scene
from dpgov.explain.lessons.numbers import (
    laplace_deviation,
    response_deviation,
    shuffled,
    truth_share,
)
from dpgov.explain.lessons.sources import CLONES, LOCAL, WARNER
from dpgov.explain.lessons.told import MIXED_DELTA, MIXED_EPSILON, MIXED_PEOPLE

EPSILONS = ("0.1", "0.2", "0.5", "1", "2", "3", "5")
_PEOPLE = (100, 1_000, 10_000, 100_000, 1_000_000)


def errors(people: int, epsilon: str) -> tuple[Decimal, Decimal]:
    """Of the estimated number of yes: at home, and by a curator."""
    at_home = response_deviation(truth_share(epsilon), people)
    return at_home, laplace_deviation(1 / Decimal(epsilon))


def scene(at: Chosen) -> Scene:
    """Both errors as shares of everybody, by the number of people."""
    epsilon = at["epsilon"]
    found = [errors(people, epsilon) for people in _PEOPLE]
    figure = drawn(
        [
            line(_PEOPLE, [home for home, _one in found], _("randomised at home"), "2"),
            line(_PEOPLE, [one for _home, one in found], _("noise by a curator"), "1"),
            dots([MIXED_PEOPLE] * 2, list(found[2]), _("10,000 people"), "rest"),
        ],
        _("people"),
        _("error of the number of yes"),
        xaxis=decades(2, 6),
        yaxis=decades(-1, 5),
    )
    home, one = found[2]
    said = _(
        "ε {epsilon}, 10,000 people: randomised at home the number of yes is wrong by {home} "
        "people ({share} of all), with a trusted curator by {one}."
    ).format(
        epsilon=epsilon, home=shown(home, 3), share=share(home / MIXED_PEOPLE), one=shown(one, 3)
    )
    caption = _(
        "Trusting nobody costs the root of the number of people; trusting a curator costs the same "
        "for any number. Both promise the same ε. Between the two: 10,000 reports of ε 1 that a "
        "trusted party mixes promise ε {mixed} at δ 10⁻⁶ together. Surveys here do not count on "
        "it: reports are seen as they come."
    ).format(mixed=shown(shuffled(MIXED_EPSILON, MIXED_PEOPLE, MIXED_DELTA), 2, ROUND_CEILING))
    rows = tuple(
        (shown(people), shown(at_home, 3), share(at_home / people, 2), shown(once, 3))
        for people, (at_home, once) in zip(_PEOPLE, found, strict=True)
    )
    heads = (_("people"), _("at home, people"), _("at home, of all"), _("by a curator, people"))
    return Scene(said, (Picture(figure, caption),), LessonTable(heads, rows, 2))


LESSON = Lesson(
    slug="local-and-central",
    title=gettext_noop("Trusting nobody, or a curator"),
    question=gettext_noop("What does it cost to randomise every answer at home?"),
    sentence=gettext_noop(
        "At home nobody need be trusted, and the error grows with the root of the number of "
        "people; with a curator it stays the same."
    ),
    controls=(Control("epsilon", "ε", EPSILONS, "1"),),
    scene=scene,
    sources=(WARNER, LOCAL, CLONES),
)
