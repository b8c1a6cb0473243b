"""From a belief before to a belief after: the odds change by a factor of e^ε at most.

A belief b becomes at most b e^ε / (1 - b + b e^ε) and at least b / (b + (1 - b) e^ε), by Bayes.
"""

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from dpgov.explain.beliefs import BELIEFS, PLACES
from dpgov.explain.lessons.drawing import band, dots, drawn, line, share
from dpgov.explain.lessons.lesson import Chosen, Control, Lesson, LessonTable, Picture, Scene
from dpgov.explain.lessons.sources import FOUNDATIONS, SEMANTICS
from dpgov.privacy.accounting.decimals import parse_epsilon
from dpgov.privacy.accounting.loss import PURE
from dpgov.privacy.meaning.odds import Belief, belief_after

EPSILONS = ("0.1", "0.5", "1", "1.1", "2", "3", "5", "10")


def after(before: Decimal, epsilon: str) -> Belief:
    """What the belief can become, by `privacy.meaning.odds`."""
    return belief_after(before, parse_epsilon(epsilon), PURE)


def scene(at: Chosen) -> Scene:
    """Every belief before, and from where to where it may move."""
    epsilon = at["epsilon"]
    found = [after(before, epsilon) for before in PLACES]
    before = [100 * each.before for each in found]
    half = after(Decimal("0.5"), epsilon)
    figure = drawn(
        [
            *band(
                before,
                [100 * each.low for each in found],
                [100 * each.high for each in found],
                _("possible afterwards"),
                "1",
            ),
            line(before, before, _("if nothing were learned"), "rest", dash=True),
            dots([50, 50], [100 * half.low, 100 * half.high], _("from 50%"), "2"),
        ],
        _("sure before, %"),
        _("sure afterwards, %"),
        xaxis={"range": [0, 100]},
        yaxis={"range": [0, 100]},
    )
    said = _(
        "ε {epsilon}: who was {half} sure ends between {low} and {high} sure; {tenth} may become "
        "{most}."
    ).format(
        epsilon=epsilon,
        half=share("0.5", 0),
        low=share(half.low, rounding=ROUND_FLOOR),
        high=share(half.high, rounding=ROUND_CEILING),
        tenth=share("0.1", 0),
        most=share(after(Decimal("0.1"), epsilon).high, rounding=ROUND_CEILING),
    )
    caption = _(
        "Where a belief that you are in the data can end, whatever it was before and whatever else "
        "is known. The wider the band, the more may be learned about one person. Where people come "
        "and go, a belief about what your row says moves as at twice the ε."
    )
    rows = tuple(
        (
            share(one, 0),
            share(moved.low, rounding=ROUND_FLOOR),
            share(moved.high, rounding=ROUND_CEILING),
        )
        for one, moved in ((prior, after(prior, epsilon)) for prior in BELIEFS)
    )
    heads = (_("sure before"), _("afterwards at least"), _("afterwards at most"))
    return Scene(said, (Picture(figure, caption),), LessonTable(heads, rows, 3))


LESSON = Lesson(
    slug="beliefs",
    title=gettext_noop("From belief to belief"),
    question=gettext_noop("How sure can someone become about you after an answer?"),
    sentence=gettext_noop(
        "Whatever someone believed before, the answer multiplies their odds by e^ε at most: at ε "
        "1.1 an even belief ends between about a quarter and about three quarters."
    ),
    controls=(Control("epsilon", "ε", EPSILONS, "1.1"),),
    scene=scene,
    sources=(FOUNDATIONS, SEMANTICS),
    leads=(("explain:understanding_general", gettext_noop("The same for a limit of yours")),),
)
