"""A group of k people has kε: an answer may be e^(kε) times as likely because of all of them."""

from decimal import ROUND_CEILING

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from dpgov.explain.lessons.drawing import dots, drawn, line, share, shown
from dpgov.explain.lessons.lesson import Chosen, Control, Lesson, Picture, Scene, Table
from dpgov.explain.lessons.numbers import exactly, exponential, truth_share
from dpgov.explain.lessons.sources import FOUNDATIONS
from dpgov.explain.lessons.told import GROUP_EPSILON

SIZES = tuple(map(str, range(1, 21)))
_LISTED = (1, 2, 4, 5, 10, 15, 20)


def scene(at: Chosen) -> Scene:
    """How often a guess about the whole group is right at best."""
    size = int(at["size"])
    sizes = list(range(1, 21))
    chosen = truth_share(size * GROUP_EPSILON)
    figure = drawn(
        [
            line(
                sizes,
                [100 * truth_share(k * GROUP_EPSILON) for k in sizes],
                _("right guesses"),
                "1",
            ),
            dots([size], [100 * chosen], _("chosen"), "2"),
            line([1, 20], [50, 50], _("a blind guess"), "rest", dash=True),
        ],
        _("people in the group"),
        _("right guesses at most, %"),
        yaxis={"range": [48, 101]},
    )
    said = _(
        "A group of {size}: {size} × 0.2 = ε {total}, so an answer may be e^{total} = {factor} "
        "times as likely because of it."
    ).format(
        size=size,
        total=shown(size * GROUP_EPSILON),
        factor=shown(exponential(size * GROUP_EPSILON)),
    )
    caption = _(
        "How often someone guesses right, at best, about a secret that the whole group shares, at "
        "ε 0.2 for one person. Half of all guesses are right without any answer."
    )
    listed = sorted({*_LISTED, size})
    rows = tuple(
        (
            str(k),
            shown(k * GROUP_EPSILON),
            shown(exponential(exactly(k * GROUP_EPSILON))),
            share(truth_share(k * GROUP_EPSILON), rounding=ROUND_CEILING),
        )
        for k in listed
    )
    heads = (_("people"), "kε", _("e^(kε), times as likely"), _("right guesses at most"))
    return Scene(said, (Picture(figure, caption),), Table(heads, rows, listed.index(size)))


LESSON = Lesson(
    slug="groups",
    title=gettext_noop("Families and other groups"),
    question=gettext_noop("Does ε protect a secret that several people share?"),
    sentence=gettext_noop(
        "ε is for one person; k people who share a secret have k times the ε, and e^(kε) grows "
        "fast."
    ),
    controls=(Control("size", gettext_noop("People in the group"), SIZES, "4"),),
    scene=scene,
    sources=(FOUNDATIONS,),
)
