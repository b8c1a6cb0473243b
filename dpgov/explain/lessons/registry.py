"""Which lessons there are, in the order in which they are read."""

from django.utils.translation import gettext_noop as _

from dpgov.explain.lessons.adding import composition, databases, delta, distance, groups
from dpgov.explain.lessons.choosing import (
    bounds,
    district,
    local,
    parts,
    regression,
    salaries,
    scholarships,
    slips,
    together,
    where_noise,
)
from dpgov.explain.lessons.leaks import anonymised, averaging, intersection, reconstruction
from dpgov.explain.lessons.lesson import Chapter, Lesson
from dpgov.explain.lessons.promise import (
    beliefs,
    coins,
    definition,
    ladder,
    one_answer,
    smoking,
)

CHAPTERS = (
    Chapter(
        _("What ε promises"),
        (
            definition.LESSON,
            one_answer.LESSON,
            ladder.LESSON,
            beliefs.LESSON,
            coins.LESSON,
            smoking.LESSON,
        ),
    ),
    Chapter(
        _("How data leaks"),
        (
            anonymised.LESSON,
            intersection.LESSON,
            averaging.LESSON,
            reconstruction.LESSON,
        ),
    ),
    Chapter(
        _("What adds up"),
        (
            composition.LESSON,
            databases.LESSON,
            delta.LESSON,
            groups.LESSON,
            distance.LESSON,
        ),
    ),
    Chapter(
        _("What to choose"),
        (
            bounds.LESSON,
            salaries.LESSON,
            parts.LESSON,
            scholarships.LESSON,
            district.LESSON,
            where_noise.LESSON,
            regression.LESSON,
            local.LESSON,
            together.LESSON,
            slips.LESSON,
        ),
    ),
)
LESSONS = tuple(lesson for chapter in CHAPTERS for lesson in chapter.lessons)
BY_SLUG = {lesson.slug: lesson for lesson in LESSONS}


def beside(lesson: Lesson) -> tuple[Lesson | None, Lesson | None]:
    """The one before and the one after."""
    place = LESSONS.index(lesson)
    before = LESSONS[place - 1] if place else None
    return before, LESSONS[place + 1] if place + 1 < len(LESSONS) else None
