"""Which lessons there are, in the order in which they are read."""

from django.utils.translation import gettext_noop as _

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
)
LESSONS = tuple(lesson for chapter in CHAPTERS for lesson in chapter.lessons)
BY_SLUG = {lesson.slug: lesson for lesson in LESSONS}


def beside(lesson: Lesson) -> tuple[Lesson | None, Lesson | None]:
    """The one before and the one after."""
    place = LESSONS.index(lesson)
    before = LESSONS[place - 1] if place else None
    return before, LESSONS[place + 1] if place + 1 < len(LESSONS) else None
