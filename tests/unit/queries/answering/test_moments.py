"""When answers appear: out of the class, its doublings and the wait, and nothing else."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from dpgov.queries.answering.moments import (
    EARLY,
    doublings_of,
    due_at,
    horizon,
    latest_at,
    longest_class,
    next_moment,
)

ASKED = datetime(2026, 11, 22, 9, 0, tzinfo=UTC)
CLASS_MS = 500


@pytest.fixture(autouse=True)
def bounds(settings: Any) -> None:
    settings.DPGOV_ANSWER_SLOT_MS = 500
    settings.CELERY_TASK_SOFT_TIME_LIMIT = 40
    settings.DPGOV_QUERY_ATTEMPTS = 2


def seconds(number: float) -> timedelta:
    return timedelta(seconds=number)


def due_after(
    *, waited: float, worked: float, doublings: int = 0, class_ms: int = CLASS_MS
) -> float:
    """Seconds from submission to the moment of a question that waited and worked so long."""
    moment = due_at(
        submitted_at=ASKED,
        started_at=ASKED + seconds(waited),
        now=ASKED + seconds(waited + worked),
        class_ms=class_ms,
        doublings=doublings,
    )
    return (moment - ASKED).total_seconds()


@pytest.mark.parametrize("worked", [0, 0.001, 0.05, 0.2, 0.399])
def test_work_within_its_class_moves_nothing(worked: float) -> None:
    """L4: whatever it took, the moment is the same, after a short wait and after a long one."""
    assert doublings_of(CLASS_MS, seconds(worked)) == 0
    assert due_after(waited=0.02, worked=worked) == 0.5
    assert due_after(waited=0.3, worked=worked) == 1
    assert due_after(waited=7, worked=worked) == 8


@pytest.mark.parametrize("doublings", [0, 1, 3])
def test_no_wait_lets_work_within_the_class_be_seen(doublings: int) -> None:
    """L4: whoever asks can choose the wait; from none to one past the next moment, by 5 ms."""
    room = 0.4 * 2**doublings
    for waited in (step / 200 for step in range(round(500 * room))):
        moments = {
            due_after(waited=waited, worked=room * part, doublings=doublings)
            for part in (0, 0.5, 0.9, 0.95, 0.975, 1)
        }
        assert len(moments) == 1, waited


@pytest.mark.parametrize(
    ("worked", "doublings"), [(0.4, 0), (0.401, 1), (0.8, 1), (0.81, 2), (30, 7), (500, 7)]
)
def test_longer_work_doubles_the_class_until_it_has_room(worked: float, doublings: int) -> None:
    """L4: the only thing that is told of the work, and it is paid."""
    assert doublings_of(CLASS_MS, seconds(worked)) == doublings
    if worked <= longest_class().total_seconds():
        assert due_after(waited=0.02, worked=worked, doublings=doublings) == 0.5 * 2**doublings


def test_nobody_waits_twice_as_long_as_a_long_queue() -> None:
    """From the longest class on, its multiples follow."""
    assert longest_class() == seconds(64)
    assert due_after(waited=70, worked=0) == 128
    assert due_after(waited=3600, worked=0) == 57 * 64
    assert horizon() == seconds(128)


def test_a_machine_that_stood_still_reaches_the_next_moment() -> None:
    assert due_after(waited=0.02, worked=0.485) == 1


def test_a_clock_that_was_set_back_while_a_question_waited_counts_as_no_wait() -> None:
    """L14: the moment is never before the question, nor an hour after it."""
    assert due_after(waited=-3600, worked=0.1) == 0.5


def test_who_cannot_pay_waits_for_the_same_moment_however_long_the_work_was() -> None:
    """L4: one moment for every number of doublings."""
    moments = {latest_at(ASKED, ASKED + seconds(worked)) for worked in (0.5, 3, 40, 100)}
    assert moments == {ASKED + horizon()}
    assert latest_at(ASKED, ASKED + seconds(130)) == ASKED + 2 * horizon()


each_early_class = pytest.mark.parametrize("early_ms", [80, 100])


def test_there_are_two_early_classes() -> None:
    assert [each // timedelta(milliseconds=1) for each in EARLY] == [80, 100]


@each_early_class
@pytest.mark.parametrize(("waited", "worked"), [(0, 0), (0.01, 0.02), (0.02, 0.04), (0.059, 0)])
def test_what_a_cube_answers_in_time_has_one_moment(
    waited: float, worked: float, early_ms: int
) -> None:
    """L4: the same for a question that was begun at once and one that was sealed just in time."""
    assert due_after(waited=waited, worked=worked, class_ms=early_ms) == early_ms / 1000


@each_early_class
@pytest.mark.parametrize("worked", [0.081, 0.2, 0.399, 0.401, 3])
@pytest.mark.parametrize("waited", [0, 0.03, 0.2, 9])
def test_what_misses_that_moment_is_a_question_of_the_first_slot(
    waited: float, worked: float, early_ms: int
) -> None:
    """L4: it appears and is paid for like any other; what was missed has cost nothing."""
    doublings = doublings_of(early_ms, seconds(worked))
    assert doublings == doublings_of(CLASS_MS, seconds(worked))
    early, other = (
        due_after(waited=waited, worked=worked, doublings=doublings, class_ms=class_ms)
        for class_ms in (early_ms, CLASS_MS)
    )
    assert early == other >= 0.5


def test_what_misses_its_early_moment_never_has_that_of_the_other_class() -> None:
    """L4: one chance each, or the moment would tell more than whether there was a wait."""
    assert due_after(waited=0, worked=0.065, class_ms=80) == 0.5
    assert due_after(waited=0, worked=0.065, class_ms=100) == 0.1


@pytest.mark.parametrize(
    ("early_ms", "moments"), [(80, [0.08, 0.5, 0.5, 1]), (100, [0.1, 0.1, 0.5, 1])]
)
def test_who_waits_for_a_cube_is_told_its_moment_and_then_those_of_the_first_slot(
    early_ms: int, moments: list[float]
) -> None:
    """L4, E8: out of what is public, whatever has been sealed."""
    told = [next_moment(ASKED, early_ms, ASKED + seconds(at)) for at in (0, 0.09, 0.1, 0.6)]
    assert [(moment - ASKED).total_seconds() for moment in told] == moments


@each_early_class
@pytest.mark.parametrize("slot_ms", [50, 100])
def test_a_shorter_slot_leaves_no_moment_before_it(
    settings: Any, early_ms: int, slot_ms: int
) -> None:
    settings.DPGOV_ANSWER_SLOT_MS = slot_ms
    own = max(slot_ms, early_ms) / 1000
    assert due_after(waited=0.01, worked=0, class_ms=early_ms) == 2 * own
    assert due_after(waited=0.01, worked=0.05, class_ms=early_ms) == 2 * own
    assert due_after(waited=0.05, worked=0.02, class_ms=early_ms) == 2 * own
