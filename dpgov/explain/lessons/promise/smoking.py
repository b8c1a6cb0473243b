"""Alice smokes. A study finds that smoking causes cancer, and her insurer draws the conclusion.

It would with or without Alice among the people studied: that is knowledge about people, not a leak
about her. Differential privacy bounds the difference that her own row makes: odds by e^ε.
"""

from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from dpgov.explain.lessons.drawing import bars, drawn, share
from dpgov.explain.lessons.lesson import Chosen, Control, Lesson, LessonTable, Picture, Scene
from dpgov.explain.lessons.promise.beliefs import after
from dpgov.explain.lessons.sources import FOUNDATIONS
from dpgov.explain.lessons.told import RISK_BEFORE, RISK_WITHOUT_ALICE

EPSILONS = ("0.01", "0.1", "0.5", "1", "2", "5")


def scene(at: Chosen) -> Scene:
    """What is believed about Alice before, after a study without her, and with her."""
    found = after(RISK_WITHOUT_ALICE, at["epsilon"])
    beliefs = [RISK_BEFORE, RISK_WITHOUT_ALICE, found.low, found.high]
    names = [_("before"), _("study without Alice"), _("with her, least"), _("with her, most")]
    figure = drawn(
        [bars([100 * one for one in beliefs], "", "1", texts=_texts(beliefs, 1))],
        names,
        _("believed risk of Alice, %"),
        yaxis={"range": [0, 50 if found.high < Decimal("0.45") else 100]},
    )
    said = _(
        "The study moves the belief about Alice from {before} to {without} without her. Her own "
        "row can make it {low} to {high}, at ε {epsilon}."
    ).format(
        before=share(RISK_BEFORE, 0),
        without=share(RISK_WITHOUT_ALICE, 0),
        low=share(found.low, rounding=ROUND_FLOOR),
        high=share(found.high, rounding=ROUND_CEILING),
        epsilon=at["epsilon"],
    )
    caption = _(
        "Invented numbers. The step from the first bar to the second is what the study found out "
        "about smoking, and is not hidden; the last two bars are what taking part can change."
    )
    rows = tuple(zip(names, _texts(beliefs, 2), strict=True))
    table = LessonTable((_("Belief"), _("risk of Alice")), rows)
    return Scene(said, (Picture(figure, caption),), table)


def _texts(beliefs: list[Decimal], digits: int) -> list[str]:
    """The last two are bounds."""
    ways = (ROUND_HALF_EVEN, ROUND_HALF_EVEN, ROUND_FLOOR, ROUND_CEILING)
    return [share(one, digits, way) for one, way in zip(beliefs, ways, strict=True)]


LESSON = Lesson(
    slug="smoking",
    title=gettext_noop("Alice and the study about smoking"),
    question=gettext_noop("Can a study harm someone who did not take part?"),
    sentence=gettext_noop(
        "What is true of smokers is learned with or without Alice; differential privacy bounds "
        "what her taking part adds."
    ),
    controls=(Control("epsilon", "ε", EPSILONS, "0.1"),),
    scene=scene,
    sources=(FOUNDATIONS,),
)
