"""One total of several organisations of whom none is trusted: what colluders cost in noise.

Of n organisations t may collude and take their own noise away, so that the noise of the other n - t
has to be the whole of it. Each adds the variance σ²/(n - t), and the total has n/(n - t) of the
variance σ² that one trusted place would have added. Separate answers of all of them, added up, have
n times that variance.
"""

from decimal import Decimal

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from dpgov.explain.lessons.drawing import dots, drawn, line, shown
from dpgov.explain.lessons.lesson import Chosen, Control, Lesson, LessonTable, Picture, Scene
from dpgov.explain.lessons.numbers import joint_error, separate_error
from dpgov.explain.lessons.sources import DISTRIBUTED, MASKS

ORGANISATIONS = ("3", "4", "5", "6", "8", "10", "15", "20")
_ROWS = 10


def scene(at: Chosen) -> Scene:
    """The error over that of one trusted place, by how many may collude."""
    parties = int(at["organisations"])
    colluders = range(1, parties - 1)
    found = [joint_error(parties, one) for one in colluders]
    separate = separate_error(parties)
    across = [*colluders, parties - 1]
    figure = drawn(
        [
            line(across, [*found, separate], _("one total, masked"), "1"),
            line(across, [separate] * len(across), _("separate answers, added up"), "2", dash=True),
            line(across, [Decimal(1)] * len(across), _("one trusted place"), "rest", dash=True),
            dots([1], found[:1], _("one may collude"), "1"),
        ],
        _("organisations that may collude"),
        _("error, in those of one trusted place"),
    )
    said = _(
        "{parties} organisations, of whom 1 may collude: the error is {joint} times that of one "
        "trusted place with all rows. Separate answers, added up: {separate} times."
    ).format(parties=parties, joint=shown(found[0], 3), separate=shown(separate, 3))
    caption = _(
        "Colluders know their own noise and take it away: the others' has to be enough. If all but "
        "one may collude, each has to add all of it, as in an answer of its own. So a joint "
        "question takes at least three."
    )
    # The last ones before there is no gain, where there are too many for a table.
    picked = sorted({1 + place * (parties - 3) // (_ROWS - 1) for place in range(_ROWS)})
    rows = tuple((str(one), shown(found[one - 1], 3), shown(separate, 3)) for one in picked)
    heads = (_("may collude"), _("one total, masked"), _("separate answers, added up"))
    return Scene(said, (Picture(figure, caption),), LessonTable(heads, rows, 0))


LESSON = Lesson(
    slug="organisations-together",
    title=gettext_noop("One total, and nobody trusted with the rows"),
    question=gettext_noop("What does a total of several organisations cost in noise?"),
    sentence=gettext_noop(
        "The noise of those who do not collude has to be the whole of it: the more may collude, "
        "the less a joint total gains over separate answers."
    ),
    controls=(Control("organisations", gettext_noop("organisations"), ORGANISATIONS, "5"),),
    scene=scene,
    sources=(DISTRIBUTED, MASKS),
)
