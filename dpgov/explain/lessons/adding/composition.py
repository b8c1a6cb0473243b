"""Many answers, ε 0.1 each: the plain sum kε, and what grows with sqrt(k) but for a δ.

The plain sum needs no δ and holds for amounts chosen along the way; the others are those of
`privacy.accounting.comparison`.
"""

from decimal import ROUND_CEILING

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from dpgov.explain.lessons.drawing import decades, dots, drawn, line, shown
from dpgov.explain.lessons.lesson import Chosen, Control, Lesson, LessonTable, Picture, Scene
from dpgov.explain.lessons.sources import BOOSTING, CONCENTRATED, OPTIMAL
from dpgov.explain.lessons.told import QUESTION_NANO, QUESTIONS_DELTA
from dpgov.privacy.accounting.comparison import EqualCharges, advanced, basic, zcdp
from dpgov.privacy.accounting.loss import Mode

QUESTIONS = ("1", "10", "30", "100", "300", "1000", "3000", "10000")


def totals(questions: int) -> tuple[float, float, float]:
    """Of so many answers: plain sum, advanced composition, and zCDP read at δ."""
    asked = [EqualCharges(Mode.PURE, QUESTION_NANO, questions)]
    return (
        basic(asked, QUESTIONS_DELTA),
        advanced(asked, QUESTIONS_DELTA),
        zcdp(asked, QUESTIONS_DELTA),
    )


def scene(at: Chosen) -> Scene:
    """Three accounts of the same answers, on axes of powers of ten."""
    found = {count: totals(int(count)) for count in QUESTIONS}
    counts = [int(count) for count in QUESTIONS]
    named = ((_("plain sum kε"), "2"), (_("advanced, but for δ"), "3"), (_("zCDP, but for δ"), "1"))
    lines = [
        line(counts, [found[count][place] for count in QUESTIONS], name, role)
        for place, (name, role) in enumerate(named)
    ]
    chosen = at["questions"]
    marks = dots([int(chosen)] * 3, list(found[chosen]), _("chosen"), "rest", 10)
    figure = drawn(
        [*lines, marks],
        _("questions k"),
        _("ε of all together"),
        xaxis=decades(0, 4),
        yaxis=decades(-1, 3),
    )
    plain, _advanced, best = found[chosen]
    said = _(
        "{count} answers at ε 0.1 are ε {plain} by the plain sum, and ε {best} but for δ 10⁻⁶ by "
        "zCDP."
    ).format(count=shown(int(chosen)), plain=_amount(plain), best=_amount(best))
    caption = _(
        "Ten times as many questions are ten times the sum, but only about three times the root: "
        "where δ is allowed, the curves part once there are many questions."
    )
    rows = tuple(
        (shown(int(count)), *(_amount(one) for one in found[count])) for count in QUESTIONS
    )
    heads = (_("questions k"), *(name for name, _role in named))
    return Scene(
        said, (Picture(figure, caption),), LessonTable(heads, rows, QUESTIONS.index(chosen))
    )


def _amount(epsilon: float) -> str:
    # The shortest decimal that reads back as this float, so that 0.1 stays 0.1.
    return shown(repr(epsilon), rounding=ROUND_CEILING)


LESSON = Lesson(
    slug="composition",
    title=gettext_noop("Many questions: k or its root"),
    question=gettext_noop("What do many small losses add up to?"),
    sentence=gettext_noop(
        "Losses add up: without a δ in step with the number of questions, with a tiny δ only with "
        "its root."
    ),
    controls=(Control("questions", gettext_noop("Questions k"), QUESTIONS, "100"),),
    scene=scene,
    sources=(BOOSTING, OPTIMAL, CONCENTRATED),
)
