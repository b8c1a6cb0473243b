"""Reconstruction: too many answers that are too exact give away the whole table.

Twenty invented people have a secret bit each. Eighty sums over random subsets are answered with an
error of at most E; least squares finds the bits from them. The fundamental law of information
recovery: errors well below sqrt(n) on enough questions leave nearly no bit hidden (Dinur, Nissim).
"""

from functools import lru_cache

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from numpy.typing import NDArray

from dpgov.explain.invented import whole
from dpgov.explain.lessons.drawing import dots, drawn, line
from dpgov.explain.lessons.lesson import Chosen, Control, Lesson, LessonTable, Picture, Scene
from dpgov.explain.lessons.sources import FOUNDATIONS, REVEALING
from dpgov.explain.lessons.told import SECRETS, SUMS

ERRORS = ("0", "1", "2", "3", "5", "8", "12", "20")
Bits = NDArray[np.int64]


def secrets() -> Bits:
    """The invented bit of each person."""
    return np.array([whole("secret bits", place, 2) for place in range(SECRETS)])


def subsets() -> Bits:
    """Who is in each sum: a row of zeros and ones for each question."""
    drawn_at = [whole("random subsets", place, 2) for place in range(SECRETS * SUMS)]
    return np.array(drawn_at).reshape(SUMS, SECRETS)


@lru_cache(maxsize=32)
def estimates(error: int) -> tuple[float, ...]:
    """Least squares from all answers, each wrong by a whole number between -error and error."""
    noise = [whole(f"errors up to {error}", place, 2 * error + 1) - error for place in range(SUMS)]
    answers = subsets() @ secrets() + np.array(noise)
    found = np.linalg.lstsq(subsets().astype(float), answers.astype(float), rcond=None)[0]
    return tuple(float(one) for one in found)


def right(error: int) -> int:
    """How many bits come out right, rounded to the nearer one."""
    guessed = np.array(estimates(error)) >= 0.5
    return int((guessed == (secrets() == 1)).sum())


def scene(at: Chosen) -> Scene:
    """What least squares says of each person, and the bit that is true."""
    error = int(at["error"])
    people = list(range(1, SECRETS + 1))
    figure = drawn(
        [
            dots(people, secrets().tolist(), _("true secret"), "rest", 15),
            dots(people, estimates(error), _("computed from the answers"), "2", 9),
            line([0.5, SECRETS + 0.5], [0.5, 0.5], _("nearer to 1 or to 0"), "1", dash=True),
        ],
        _("person"),
        _("secret: 0 or 1"),
        xaxis={"range": [0.2, SECRETS + 0.8]},
    )
    said = _(
        "With errors of up to ±{error} on 80 sums, {right} of 20 secrets come out right; guessing "
        "gets about 10."
    ).format(error=error, right=right(error))
    caption = _(
        "Invented: 20 people with a secret bit each, 80 sums over random halves of them, and the "
        "errors of the answers. Small errors hide nobody; √20 is about 4.5."
    )
    rows = tuple(("± " + one, str(right(int(one)))) for one in ERRORS)
    heads = (_("error of each answer up to"), _("secrets right of 20"))
    return Scene(
        said, (Picture(figure, caption),), LessonTable(heads, rows, ERRORS.index(at["error"]))
    )


LESSON = Lesson(
    slug="reconstruction",
    title=gettext_noop("Reconstruction"),
    question=gettext_noop("How many nearly exact answers give away the whole table?"),
    sentence=gettext_noop(
        "Overly accurate answers to too many questions give everything away: that is the "
        "fundamental law of information recovery."
    ),
    controls=(Control("error", gettext_noop("Error of each answer, up to"), ERRORS, "1"),),
    scene=scene,
    sources=(REVEALING, FOUNDATIONS),
)
