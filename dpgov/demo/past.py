"""Whether this state folder's past is still being lived through: begun once, ended once.

Who looks at a page and who lives through the past take turns (`turn`), so that nobody sees half a
step, and nothing of today gets into a log that has not come so far.
"""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

from dpgov.operation.moving import can_move, mark
from dpgov.tenants.crossing import tenants

DAYS = 90


def begin() -> bool:
    """Mark a state folder in which no organisation is; whether there is a past to live through.

    A folder in which somebody works is never marked, and none on a database server.
    """
    if can_move():
        return True
    if connection.vendor != "sqlite" or tenants():
        return False
    tell(0)
    return True


def tell(day: int) -> None:
    """How far the past has come."""
    path = mark()
    path.touch(mode=0o600)
    path.write_text(str(day))


def day_reached() -> int | None:
    """How far the past has come; None where it is over, or never was."""
    try:
        return int(mark().read_text() or 0)
    except FileNotFoundError:
        return None


def ended() -> None:
    """From here on the clock shows the machine's time, for good."""
    mark().unlink(missing_ok=True)


@contextmanager
def turn(*, alone: bool) -> Iterator[None]:
    """Wait until nobody lives through a step, or `alone` until nobody looks at a page either."""
    with mark().open() as file:
        fcntl.flock(file, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        yield
