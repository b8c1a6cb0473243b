"""A group of k people has kε: an answer may be e^(kε) times as likely because of all of them."""

from decimal import ROUND_CEILING, Decimal

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from dpgov.explain.lessons.drawing import dots, drawn, factor, line, share, shown
from dpgov.explain.lessons.lesson import Chosen, Control, Lesson, LessonTable, Picture, Scene
from dpgov.explain.lessons.sources import FOUNDATIONS
from dpgov.explain.lessons.told import GROUP_EPSILON
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.accounting.loss import PURE
from dpgov.privacy.meaning.odds import best_guess

SIZES = tuple(map(str, range(1, 21)))
_LISTED = (1, 2, 4, 5, 10, 15, 20)


def right_guesses(size: int) -> Decimal:
    """Their share at most, about a secret of so many, by `privacy.meaning.odds`."""
    return best_guess(int(size * GROUP_EPSILON * NANO), PURE)


def scene(at: Chosen) -> Scene:
    """How often a guess about the whole group is right at best."""
    size = int(at["size"])
    sizes = list(range(1, 21))
    figure = drawn(
        [
            line(
                sizes,
                [100 * right_guesses(k) for k in sizes],
                _("right guesses"),
                "1",
            ),
            dots([size], [100 * right_guesses(size)], _("chosen"), "2"),
            line([1, 20], [50, 50], _("a blind guess"), "rest", dash=True),
        ],
        _("people in the group"),
        _("right guesses at most, %"),
        yaxis={"range": [48, 101]},
    )
    said = _(
        "A group of {size}: {size} × 0.2 = ε {total}, so an answer may be e^{total} ≤ {factor} "
        "times as likely because of it."
    ).format(
        size=size,
        total=shown(size * GROUP_EPSILON),
        factor=factor(size * GROUP_EPSILON),
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
            factor(k * GROUP_EPSILON),
            share(right_guesses(k), 2, ROUND_CEILING),
        )
        for k in listed
    )
    heads = (_("people"), "kε", _("e^(kε), times as likely at most"), _("right guesses at most"))
    return Scene(said, (Picture(figure, caption),), LessonTable(heads, rows, listed.index(size)))


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
