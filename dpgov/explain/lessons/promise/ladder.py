"""The ladder of ε: what e^ε is. e^2 is 7.389, e^10 is 22,026.5, e^12 is 162,754.8; told rounded up.

A chance of c without somebody's data is at most e^ε c with it: small chances stay small for long.
"""

from decimal import ROUND_FLOOR

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from dpgov.explain.lessons.drawing import decades, dots, drawn, factor, line, shown
from dpgov.explain.lessons.lesson import Chosen, Control, Lesson, LessonTable, Picture, Scene
from dpgov.explain.lessons.numbers import exactly, exponential
from dpgov.explain.lessons.sources import AOL, FOUNDATIONS
from dpgov.explain.lessons.told import AOL_CHANCE, AOL_FACTOR_TOLD

EPSILONS = ("0.01", "0.1", "0.5", "1", "1.1", "2", "3", "5", "8", "10", "12")


def scene(at: Chosen) -> Scene:
    """e^ε on an axis of powers of ten."""
    chosen = at["epsilon"]
    steps = [place / 10 for place in range(0, 125, 5)]
    times = exponential(chosen)
    figure = drawn(
        [
            line(steps, [exponential(str(step)) for step in steps], "e^ε", "1"),
            dots([exactly(chosen)], [times], _("chosen"), "2"),
        ],
        "ε",
        _("times as likely, at most"),
        yaxis=decades(0, 6),
        xaxis={"range": [-0.2, 12.5]},
    )
    said = _(
        "ε {epsilon}: at most e^ε ≤ {factor} times as likely. What had a chance of one in 10¹² "
        "without you has at most one in {most} with you."
    ).format(epsilon=chosen, factor=factor(chosen), most=_one_in(chosen))
    caption = _(
        "e^ε is steep: each step of 2.3 is another digit. In 2006 AOL published searches of about "
        "650,000 people, and some were recognised at once; under ε 12 a disaster whose chance was "
        "one in 10¹² without a person becomes e^12 ≤ 162,755 times as likely at most (some round "
        "it up to {told}), which is still less than one in six million."
    ).format(told=shown(AOL_FACTOR_TOLD))
    heads = ("ε", _("e^ε, times as likely at most"), _("one in 10¹² becomes at most one in"))
    rows = tuple((one, factor(one), _one_in(one)) for one in EPSILONS)
    return Scene(
        said, (Picture(figure, caption),), LessonTable(heads, rows, EPSILONS.index(chosen))
    )


def _one_in(epsilon: str) -> str:
    """Of how many it is one at most, where it was one of 10¹²."""
    return shown(1 / (exponential(epsilon) * exactly(AOL_CHANCE)), 2, ROUND_FLOOR)


LESSON = Lesson(
    slug="ladder",
    title=gettext_noop("The ladder of ε"),
    question=gettext_noop("How much larger is ε 10 than ε 1?"),
    sentence=gettext_noop(
        "ε stands in the exponent: 1 means nearly three times as likely, 10 more than twenty "
        "thousand times."
    ),
    controls=(Control("epsilon", "ε", EPSILONS, "2"),),
    scene=scene,
    sources=(FOUNDATIONS, AOL),
)
