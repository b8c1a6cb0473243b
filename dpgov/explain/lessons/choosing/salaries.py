"""Salaries around 30,000, and some millionaires: bounds for a mean, or a histogram instead.

A mean with the upper bound B has noise of scale B/(nε) and loses what lies above B. Counts in
classes of salary have Δ = 1 whatever anybody earns.
"""

from decimal import Decimal
from fractions import Fraction

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from dpgov.explain.invented import whole
from dpgov.explain.lessons.drawing import bars, drawn, shown
from dpgov.explain.lessons.lesson import Chosen, Control, Lesson, LessonTable, Picture, Scene
from dpgov.explain.lessons.numbers import laplace_deviation
from dpgov.explain.lessons.sources import DEFINITION, PARALLEL
from dpgov.explain.lessons.told import MILLIONAIRES, SALARY_EPSILON, USUAL_SALARIES

UPPER = ("30000", "40000", "60000", "100000", "1000000", "5000000")


def salaries() -> list[int]:
    """Invented: 990 between 20,000 and 40,000, and ten of one to five million."""
    usual = [20_000 + 1_000 * whole("salaries", place, 21) for place in range(USUAL_SALARIES)]
    return usual + [1_000_000 + 400_000 * place for place in range(MILLIONAIRES)]


def clipped_mean(upper: int) -> Fraction:
    """The mean with nothing above the bound."""
    found = salaries()
    return Fraction(sum(min(one, upper) for one in found), len(found))


def noise(upper: int) -> Decimal:
    """The deviation of the noisy mean."""
    return laplace_deviation(Decimal(upper) / ((USUAL_SALARIES + MILLIONAIRES) * SALARY_EPSILON))


def scene(at: Chosen) -> Scene:
    """The mean that each bound leaves, with the noise that it costs."""
    uppers = [int(upper) for upper in UPPER]
    chosen = int(at["upper"])
    names = [shown(upper) for upper in uppers]
    thousands = [shown(upper // 1_000) for upper in uppers]
    marked = [
        f"▸ {name}" if upper == chosen else name
        for name, upper in zip(thousands, uppers, strict=True)
    ]
    means = [clipped_mean(upper) for upper in uppers]
    figure = drawn(
        [
            bars(means, _("mean after clipping"), "1", errors=[noise(upper) for upper in uppers]),
        ],
        _("upper bound of a salary, thousands"),
        _("mean salary"),
        xaxis={"tickvals": list(range(len(uppers))), "ticktext": marked, "showgrid": False},
    )
    said = _(
        "Bound {upper}: the mean is {mean}, and its noise {noise}. A count of a class of salaries "
        "is wrong by {count} people, whatever the millionaires earn."
    ).format(
        upper=shown(chosen),
        mean=shown(clipped_mean(chosen), 5),
        noise=shown(noise(chosen), 3),
        count=shown(laplace_deviation(1 / SALARY_EPSILON), 3),
    )
    caption = _(
        "Invented: 990 salaries around 30,000 and ten millionaires, at ε 0.1; the line on each bar "
        "is one standard deviation of noise. The true mean of all is {truth}, which describes "
        "nobody."
    ).format(truth=shown(clipped_mean(uppers[-1]), 5))
    rows = tuple(
        (name, shown(mean, 5), shown(noise(upper), 3))
        for name, mean, upper in zip(names, means, uppers, strict=True)
    )
    heads = (_("upper bound"), _("mean after clipping"), _("noise of the mean"))
    return Scene(said, (Picture(figure, caption),), LessonTable(heads, rows, uppers.index(chosen)))


LESSON = Lesson(
    slug="salaries",
    title=gettext_noop("Salaries, and some millionaires"),
    question=gettext_noop("How is a mean asked for when a few values are huge?"),
    sentence=gettext_noop(
        "A bound for ten millionaires buries the salaries of a thousand under noise: bound what is "
        "usual, or ask for a histogram or a median."
    ),
    controls=(
        Control(
            "upper",
            gettext_noop("Upper bound of a salary"),
            UPPER,
            "5000000",
        ),
    ),
    scene=scene,
    sources=(DEFINITION, PARALLEL),
)
