"""The moments at which an answer may appear: a function of the plan and of public bounds.

Each question has a class, fixed when it is accepted: the shortest time of slot, 2 slots, 4 slots, …
that covers what its plan may need by `privacy.answer.duration`. Its answer appears at the end of
its class after submission. Work of its own that takes longer doubles the class, and each doubling
is paid for (`queries.answering.publishing`). A question that waited for others first appears at a
later moment of the same kind, which costs nothing.

What cubes answer (`datasets.cubes`) has one moment before all of them. It costs nothing to miss
it: then it is a question of the first slot. Adding up and noise take as long whatever was counted.
A noisy choice, of a quantile or an extreme, does not quite: it takes a few milliseconds longer
where many candidates are nearly the best. So it has the later one of the early moments, of which
the model leaves more than 40 ms: this shows only where the machine is all but too busy for it
(docs/limits.md).

Must never look at how long the data took but through `doublings_of`.
"""

from datetime import datetime, timedelta

from django.conf import settings

from dpgov.privacy.answer.blueprint import Blueprint
from dpgov.privacy.answer.duration import added_microseconds, expected_microseconds, is_chosen

# The classes of what cubes answer, where a slot is longer; what is chosen has the last one.
EARLY = (timedelta(milliseconds=80), timedelta(milliseconds=100))
# What is sealed this close to a moment waits for the next one: its commit must be done.
MARGIN = timedelta(milliseconds=20)
# Of a class four fifths are for work; the rest is for being picked up and stored.
_WORK, _WHOLE = 4, 5


def class_ms_of(blueprint: Blueprint, *, cubed: bool = False) -> int:
    """The class of a question in milliseconds, from its plan and what was declared in public.

    `cubed`: the file has cubes for all of it, as its plan and declaration say.
    """
    early = _early_class(blueprint) if cubed else None
    if early is not None:
        return _ms(early)
    expected = timedelta(microseconds=expected_microseconds(blueprint))
    return _ms(_first_class(expected * settings.DPGOV_DURATION_FACTOR))


def longest_class() -> timedelta:
    """The class that holds whatever a worker may do before it is stopped."""
    return _unbounded_class(timedelta(seconds=settings.CELERY_TASK_SOFT_TIME_LIMIT))


def horizon() -> timedelta:
    """No answer is due further ahead than this: as long as all attempts may take."""
    return longest_class() * settings.DPGOV_QUERY_ATTEMPTS


def doublings_of(class_ms: int, work: timedelta) -> int:
    """How often the class must be doubled for this work to have room; 0 as a rule."""
    own, longest, count = _own(class_ms), longest_class(), 0
    while own * _WORK < work * _WHOLE and own < longest:
        own, count = own * 2, count + 1
    return count


def due_at(
    *, submitted_at: datetime, started_at: datetime, now: datetime, class_ms: int, doublings: int
) -> datetime:
    """When the answer to a question that was taken up at `started_at` appears.

    All the work that the class has room for counts, and the margin after it, however short the
    work was; so the moment is a function of the class, its doublings and of how long the question
    waited to be taken up. Only what was held up beyond that (a machine that stood still) moves it
    further.
    """
    early = _early(class_ms)
    if early is not None and now - submitted_at + MARGIN <= early:
        return submitted_at + early
    own = _own(class_ms) * 2**doublings
    waited = max(timedelta(), started_at - submitted_at)
    needed = waited + own * _WORK / _WHOLE + MARGIN
    return submitted_at + _first_moment(own, max(needed, now - submitted_at + MARGIN))


def next_moment(submitted_at: datetime, class_ms: int, now: datetime) -> datetime:
    """The next moment at which a question of this class can appear, after `now`.

    For whoever waits: out of what is public alone, so that it may be told.
    """
    elapsed = max(timedelta(), now - submitted_at)
    early = _early(class_ms)
    if early is not None and elapsed < early:
        return submitted_at + early
    return submitted_at + _first_moment(_own(class_ms), elapsed + timedelta(microseconds=1))


def latest_at(submitted_at: datetime, now: datetime) -> datetime:
    """When an answer appears whose doublings cannot be paid: the same for any of them."""
    most = horizon()
    return submitted_at + most * max(1, -(-(now - submitted_at + MARGIN) // most))


def _first_moment(own: timedelta, elapsed: timedelta) -> timedelta:
    """The first of own, 2 own, 4 own, …, which is not before `elapsed`.

    From the longest class on its multiples follow, so that nobody waits twice as long as a queue.
    """
    longest = longest_class()
    while own < elapsed and own < longest:
        own *= 2
    return own if own >= elapsed else longest * -(-elapsed // longest)


def _early_class(blueprint: Blueprint) -> timedelta | None:
    added = timedelta(microseconds=added_microseconds(blueprint))
    needed = added * settings.DPGOV_DURATION_FACTOR * _WHOLE
    classes = EARLY[-1:] if is_chosen(blueprint) else EARLY
    fitting = (each for each in classes if needed <= each * _WORK)
    return next(fitting, None) if _is_any_early() else None


def _early(class_ms: int) -> timedelta | None:
    """The moment of such a class before those of the first slot, if it has one."""
    found = timedelta(milliseconds=class_ms)
    return found if found in EARLY and _is_any_early() else None


def _is_any_early() -> bool:
    return _slot() > EARLY[-1]


def _own(class_ms: int) -> timedelta:
    return max(_slot(), timedelta(milliseconds=class_ms))


def _first_class(work: timedelta) -> timedelta:
    return min(_unbounded_class(work), longest_class())


def _unbounded_class(work: timedelta) -> timedelta:
    found = _slot()
    while found * _WORK < work * _WHOLE:
        found *= 2
    return found


def _slot() -> timedelta:
    return timedelta(milliseconds=max(1, settings.DPGOV_ANSWER_SLOT_MS))


def _ms(time: timedelta) -> int:
    return time // timedelta(milliseconds=1)
