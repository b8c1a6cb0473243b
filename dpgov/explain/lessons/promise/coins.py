"""One-time pad and randomised response: the same coins, thrown away or kept.

Both flip a bit with probability 1 - p. At p = 1/2 the flip is a one-time pad: what is sent is a
fair coin whatever the truth is (ε 0), and who keeps the coins reads everything. Randomised response
throws the coins away and makes them a little unfair: ε = ln(p/(1 - p)), nobody can undo it for one
person, and for all together c of n yes estimate (c/n - (1 - p))/(2p - 1).
"""

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from fractions import Fraction

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from dpgov.explain.lessons.drawing import bars, drawn, share, shown
from dpgov.explain.lessons.lesson import Chosen, Control, Lesson, LessonTable, Picture, Scene
from dpgov.explain.lessons.numbers import exactly, response_epsilon, root
from dpgov.explain.lessons.sources import SHANNON, WARNER
from dpgov.explain.lessons.told import COIN_PEOPLE, COIN_YES

TRUTHS = tuple(Fraction(n, 16) for n in (8, 10, 11, 12, 13, 14, 15))
_NORMAL = Decimal("1.959963984540054")


def estimate(truth: Fraction) -> tuple[Decimal, Decimal, Decimal] | None:
    """The share of yes from 400 of 1,000 and its 95% interval by the normal curve; none of 1/2."""
    if truth == Fraction(1, 2):
        return None
    seen, gain = Fraction(COIN_YES, COIN_PEOPLE), 2 * truth - 1
    middle = exactly((seen - (1 - truth)) / gain)
    half = _NORMAL * root(seen * (1 - seen) / COIN_PEOPLE) / exactly(gain)
    return middle, middle - half, middle + half


def scene(at: Chosen) -> Scene:
    """What is sent by who means yes and by who means no."""
    truth = Fraction(at["truth"])
    figure = drawn(
        [
            bars([truth, 1 - truth], _("who means yes"), "1", texts=_texts(truth)),
            bars([1 - truth, truth], _("who means no"), "2", texts=_texts(1 - truth)),
        ],
        (_("“yes” is sent"), _("“no” is sent")),
        _("probability"),
        yaxis={"range": [0, 1]},
        barmode="group",
    )
    if truth == Fraction(1, 2):
        said = _(
            "A fair coin is a one-time pad: what is sent says nothing to anybody (ε 0), and "
            "everything to who kept the coins."
        )
    else:
        said = _(
            "Telling the truth with probability {truth} is ε {epsilon}: nobody can undo it for one "
            "person, and the share of yes among many can be estimated."
        ).format(truth=shown(truth), epsilon=shown(response_epsilon(truth), rounding=ROUND_CEILING))
    caption = _(
        "The nearer the two colours are to each other, the less one sent answer says. The coins "
        "are thrown away in randomised response, and kept with a one-time pad."
    )
    return Scene(said, (Picture(figure, caption),), _table(truth))


def _texts(truth: Fraction) -> list[str]:
    return [share(truth, 2), share(1 - truth, 2)]


def _table(chosen: Fraction) -> LessonTable:
    rows = []
    for truth in TRUTHS:
        found = estimate(truth)
        said = (
            _("nothing")
            if found is None
            else _("{middle} ({low} to {high})").format(
                middle=share(found[0]),
                low=share(max(Decimal(0), found[1]), rounding=ROUND_FLOOR),
                high=share(found[2], rounding=ROUND_CEILING),
            )
        )
        rows.append((shown(truth), shown(response_epsilon(truth), rounding=ROUND_CEILING), said))
    heads = (_("truth told"), "ε", _("estimate if 400 of 1,000 send yes"))
    return LessonTable(heads, tuple(rows), TRUTHS.index(chosen))


LESSON = Lesson(
    slug="coins",
    title=gettext_noop("Coins: one-time pad and randomised response"),
    question=gettext_noop("How can an answer be hidden from everybody and still be of use?"),
    sentence=gettext_noop(
        "A fair coin hides everything and tells nothing; a slightly unfair one that is thrown away "
        "hides each of us and tells about all of us."
    ),
    controls=(
        Control(
            "truth",
            gettext_noop("How often the truth is told"),
            tuple(map(str, TRUTHS)),
            "3/4",
        ),
    ),
    scene=scene,
    sources=(SHANNON, WARNER),
)
