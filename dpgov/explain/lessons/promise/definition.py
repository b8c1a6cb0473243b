"""The definition, drawn: no answer is e^ε times as likely with somebody as without them.

Without somebody the exact answer is f, with them f + Δ. Laplace noise of scale Δ/ε has the density
p(x) = ε/(2Δ) e^(-ε|x - f|/Δ). Moving its centre by Δ changes it at x by the factor
e^(ε(|x - f - Δ| - |x - f|)/Δ), whose power lies between -ε and ε by the triangle inequality.
"""

from decimal import ROUND_FLOOR, Decimal
from fractions import Fraction

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from dpgov.explain.lessons.drawing import band, drawn, factor, line, shown
from dpgov.explain.lessons.lesson import Chosen, Control, Lesson, LessonTable, Picture, Scene
from dpgov.explain.lessons.numbers import exponential, laplace_density
from dpgov.explain.lessons.sources import DEFINITION, FOUNDATIONS
from dpgov.explain.lessons.told import MOVES, WITHOUT

EPSILONS = ("0.1", "0.2", "0.5", "1", "2", "3", "5", "10")
_POINTS = 240
# A band of e^5 times a peak would leave nothing else to see.
_MOST_OF_BAND = Decimal(2)


def densities(f: int, delta: int, epsilon: Fraction, at: Fraction) -> tuple[Decimal, Decimal]:
    """Of an answer, without somebody and with them."""
    scale = delta / epsilon
    return laplace_density(at, f, scale), laplace_density(at, f + delta, scale)


def scene(at: Chosen) -> Scene:
    """Both hills and the band that the definition allows."""
    f, delta, epsilon = int(at["f"]), int(at["delta"]), Fraction(at["epsilon"])
    places = [f - 3 * delta + Fraction(7 * delta * step, _POINTS) for step in range(_POINTS + 1)]
    pairs = [densities(f, delta, epsilon, place) for place in places]
    most, least = exponential(epsilon), exponential(-epsilon)
    peak = densities(f, delta, epsilon, Fraction(f))[0]
    figure = drawn(
        [
            *band(
                places,
                [least * within for _without, within in pairs],
                [most * within for _without, within in pairs],
                _("what ε allows"),
                "3",
            ),
            line(places, [within for _without, within in pairs], _("with them"), "2"),
            line(places, [without for without, _within in pairs], _("without them"), "1"),
        ],
        _("answer x"),
        _("density"),
        yaxis={"range": [0, float(peak * min(most, _MOST_OF_BAND) * Decimal("1.05"))]},
    )
    said = _(
        "p(x) = ε/(2Δ) · e^(−ε·|x−f|/Δ), with f = {f}, Δ = {delta}, ε = {epsilon}: no answer is "
        "more than e^ε ≤ {most} times as likely on one side, nor less than e^−ε ≥ {least} times."
    ).format(
        f=f,
        delta=delta,
        epsilon=at["epsilon"],
        most=factor(epsilon),
        least=shown(least, rounding=ROUND_FLOOR),
    )
    caption = _(
        "The hill without one person never leaves the band around the hill with them. A small ε "
        "makes both hills flat and alike."
    )
    return Scene(said, (Picture(figure, caption),), _table(f, delta, epsilon))


def _table(f: int, delta: int, epsilon: Fraction) -> LessonTable:
    rows = []
    for at in (f - delta, f, f + Fraction(delta, 2), f + delta, f + 2 * delta):
        without, within = densities(f, delta, epsilon, Fraction(at))
        rows.append((shown(at), shown(without), shown(within), shown(without / within)))
    heads = (_("answer x"), _("density without them"), _("density with them"), _("ratio"))
    return LessonTable(heads, tuple(rows))


LESSON = Lesson(
    slug="definition",
    title=gettext_noop("The definition, drawn"),
    question=gettext_noop("What exactly does ε promise about an answer?"),
    sentence=gettext_noop(
        "Whatever the answer is, it was nearly as likely without you: at most e^ε times as likely "
        "one way or the other."
    ),
    controls=(
        Control("epsilon", "ε", EPSILONS, "0.5"),
        Control(
            "f",
            gettext_noop("f, the exact answer without them"),
            tuple(map(str, range(21))),
            str(WITHOUT),
        ),
        Control(
            "delta",
            gettext_noop("Δ, how far one person moves it"),
            tuple(map(str, range(1, 21))),
            str(MOVES),
        ),
    ),
    scene=scene,
    sources=(DEFINITION, FOUNDATIONS),
)
