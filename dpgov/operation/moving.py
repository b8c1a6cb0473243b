"""How the demonstration sets the product's clock to a day that is past: nobody else can.

A moved clock would date entries of the log, leases and windows of budgets wrongly. So it moves in a
state folder alone that the demonstration made, on its SQLite database, until its past is lived
through, and only forwards. Contract "clock" of `.importlinter`: `dpgov.demo` alone imports this.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.db import connection
from django.utils import timezone

# In the state folder, from its first moment until the demonstration has lived through its past.
MARK = "living_in_the_past"

_moment: ContextVar[datetime | None] = ContextVar("dpgov_moved_clock", default=None)


class ClockIsFixed(Exception):
    """The clock moves in the demonstration's own past alone, and never backwards."""


def moved_to() -> datetime | None:
    """What the clock was set to; None wherever it shows the machine's time."""
    return _moment.get()


def mark() -> Path:
    """The file whose presence says that the past of this state folder is not over."""
    return Path(settings.DPGOV_HOME) / MARK


def can_move() -> bool:
    """Whether this is a demonstration's state folder whose past is not over."""
    return connection.vendor == "sqlite" and mark().exists()


@contextmanager
def from_moment(began: datetime) -> Iterator[None]:
    """Within the block the clock stands still, at first at `began`; `move_to` moves it.

    Raises ClockIsFixed outside of a demonstration's unfinished past.
    """
    if not can_move():
        raise ClockIsFixed("this is not a demonstration that still lives in its past")
    before = _moment.set(_past(began))
    try:
        yield
    finally:
        _moment.reset(before)


def move_to(moment: datetime) -> None:
    """Set the clock forward, within `from_moment`. Raises ClockIsFixed."""
    current = _moment.get()
    if current is None or moment < current:
        raise ClockIsFixed("the clock is not moved here, or would go backwards")
    _moment.set(_past(moment))


def _past(moment: datetime) -> datetime:
    if moment > timezone.now():
        raise ClockIsFixed("the clock cannot show what is still to come")
    return moment
