"""What the sweeper has done since its start, in a row that every machine of the installation sees.

The row is dated by the database, so that no machine's clock matters. A clock can still be set: so
whoever looks asks for a beat's age once, when they first see it, and counts on by their own clock
that only runs. A beat of the future says nothing of when it was made, and nobody believes it until
the next one. Must never make a dead sweeper look alive for longer than one grace.
"""

import math
import threading
import time
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

import structlog
from django.db import Error
from django.db.models import DurationField, ExpressionWrapper, F

from dpgov.operation.clock import Now
from dpgov.queries.models import Sweeper

# So long after its last beat it may still be at work.
GRACE_SECONDS = 60.0
# The reader's statement may have begun a moment before the one that it sees.
_AT_ONCE = -1.0
_log = structlog.get_logger("dpgov.sweep")


@dataclass(frozen=True, slots=True)
class Sweeps:
    """Rounds since the start, messages sent again, questions given up, rounds that broke off."""

    rounds: int = 0
    sent: int = 0
    given_up: int = 0
    broken_off: int = 0


@dataclass(frozen=True, slots=True)
class Beat:
    """The last word of the sweeper, since when it runs, and how many seconds ago it spoke.

    The age is infinite where nobody can know it.
    """

    sweeps: Sweeps
    started_at: datetime
    age: float

    @property
    def is_alive(self) -> bool:
        """Whether a sweeper runs, as far as anybody can know."""
        return self.age < GRACE_SECONDS


@dataclass(frozen=True, slots=True)
class _Seen:
    """A beat, its age when it was first seen here, and when that was and when it was seen last."""

    number: int
    at: datetime
    age: float
    first: float
    last: float


class Heart:
    """The sweeper's side: one for each process that sweeps."""

    def __init__(self) -> None:
        self._begun = False

    def beat(self, sweeps: Sweeps) -> None:
        """Say so in the row. Where the database is away the next round does it."""
        try:
            self._say(sweeps)
        except Error as problem:
            _log.warning("the sweeper cannot say that it runs", kind=type(problem).__name__)

    def _say(self, sweeps: Sweeps) -> None:
        told = {**asdict(sweeps), "number": F("number") + 1, "at": Now()}
        if not self._begun:
            told["started_at"] = Now()
        if not Sweeper.objects.update(**told):
            Sweeper.objects.create(**asdict(sweeps), number=1, at=Now(), started_at=Now())
        self._begun = True


def last_beat() -> Beat | None:
    """What the sweeper said last; None as long as none ever ran."""
    age = ExpressionWrapper(Now() - F("at"), output_field=DurationField())
    found = Sweeper.objects.annotate(age=age).values().first()
    if found is None:
        return None
    sweeps = Sweeps(found["rounds"], found["sent"], found["given_up"], found["broken_off"])
    age_here = _age(found["number"], found["at"], found["age"])
    return Beat(sweeps, found["started_at"], age_here)


_seen: _Seen | None = None
_one_at_a_time = threading.Lock()


def _age(number: int, at: datetime, by_database: timedelta) -> float:
    """See `_Seen`: the database's clock is believed once for each beat."""
    global _seen
    now = time.monotonic()
    with _one_at_a_time:
        before = _seen
        if before is None or (before.number, before.at) != (number, at):
            age = min(_believed(by_database), _at_most(before, number, now))
            _seen = _Seen(number, at, age, first=now, last=now)
        else:
            _seen = _Seen(number, at, before.age, before.first, last=now)
        return _seen.age + now - _seen.first


def _believed(by_database: timedelta) -> float:
    seconds = by_database.total_seconds()
    return max(0.0, seconds) if seconds >= _AT_ONCE else math.inf


def _at_most(before: _Seen | None, number: int, now: float) -> float:
    """It is younger than the last look that still saw the beat before it."""
    return now - before.last if before is not None and number > before.number else math.inf
