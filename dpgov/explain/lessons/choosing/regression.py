"""Two ways to a regression: noisy sums once for a line, noisy steps for a yes or no.

All that a line by least squares needs of the rows are sums of values, squares and products: one
draw of them, and the line is computed of it. The loss of a yes or no has no such sums, so that one
walks down its slope, which is asked for anew at each step. With ρ for all of T steps each has ρ/T,
and noise √T as large as that of the one draw.

A walk that takes the share a of the way at each step, from D away, ends with the error
sqrt((D (1 - a)^T)² + T a (1 - (1 - a)^(2T)) / (2 - a)), in deviations of the one draw: what is left
of the way, and the noise of all steps, of which later ones take most back (`descent_error`).
Invented: a half of the way at each step, from 100 deviations away, on a loss of which a line's sums
would give the minimum at once, so that both ways can be compared.
"""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from dpgov.explain.lessons.drawing import decades, dots, drawn, line, shown
from dpgov.explain.lessons.lesson import Chosen, Control, Lesson, LessonTable, Picture, Scene
from dpgov.explain.lessons.numbers import descent_error, descent_left, descent_noise
from dpgov.explain.lessons.sources import MINIMISATION, MOMENTS
from dpgov.explain.lessons.told import WALK_AWAY, WALK_PACE

STEPS = ("1", "2", "3", "5", "7", "10", "20", "50", "100")


def scene(at: Chosen) -> Scene:
    """Both errors by the number of steps, in deviations of the one draw."""
    counts = [int(steps) for steps in STEPS]
    chosen = int(at["steps"])
    found = [descent_error(WALK_AWAY, WALK_PACE, count) for count in counts]
    best = counts[found.index(min(found))]
    of_chosen = found[counts.index(chosen)]
    figure = drawn(
        [
            line(counts, found, _("steps down the slope"), "2"),
            line(counts, [1] * len(counts), _("noisy sums, drawn once"), "1", dash=True),
            dots([chosen], [of_chosen], _("chosen"), "rest"),
        ],
        _("steps, fixed before the first"),
        _("error, in deviations of one draw"),
        xaxis=decades(0, 2),
        yaxis=decades(0, 2),
    )
    said = _(
        "The same ρ for all, {steps} steps: they end {error} deviations of one draw from the "
        "truth, {left} by the way that is left and {noise} by noise. Sums that are drawn once end "
        "1 away."
    ).format(
        steps=chosen,
        error=shown(of_chosen, 3),
        left=shown(descent_left(WALK_AWAY, WALK_PACE, chosen), 3),
        noise=shown(descent_noise(WALK_PACE, chosen), 3),
    )
    caption = _(
        "Invented: a walk that begins 100 deviations away and takes half of the way at each step. "
        "Too few steps do not arrive, too many divide ρ: here {best} are best. A line has its "
        "sums; a yes or no has none, and needs the walk."
    ).format(best=best)
    rows = tuple(
        (
            str(count),
            shown(descent_left(WALK_AWAY, WALK_PACE, count), 3),
            shown(descent_noise(WALK_PACE, count), 3),
            shown(error, 3),
        )
        for count, error in zip(counts, found, strict=True)
    )
    heads = (_("steps"), _("way that is left"), _("noise of the steps"), _("error"))
    return Scene(said, (Picture(figure, caption),), LessonTable(heads, rows, counts.index(chosen)))


LESSON = Lesson(
    slug="regression",
    title=gettext_noop("Two ways to a regression"),
    question=gettext_noop("Why is a line drawn once, and a yes or no walked to in steps?"),
    sentence=gettext_noop(
        "Where sums tell everything, draw them once; where they do not, walk in few steps that are "
        "fixed before the first."
    ),
    controls=(Control("steps", gettext_noop("Steps"), STEPS, "20"),),
    scene=scene,
    sources=(MOMENTS, MINIMISATION),
)
