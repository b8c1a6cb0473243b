"""When a derived dataset is there: a function of declared numbers, and of nothing that is read.

How long two files take to be put together depends on how many people are in both, which nobody is
to learn. So each has a class, the shortest of 2, 4, 8, … seconds that covers what its declared
bounds may need, and is there at its end. Work that took longer doubles the class. A class that no
reader can wait for is refused when it is declared, and so is what may need more memory than a
reader has.
"""

import time
from collections.abc import Callable

from django.conf import settings

from dpgov.datasets.services.files.uploads import child_limits
from dpgov.engines.deriving import most_rows_within

# Measured, on one thread: 0.2 to 0.3 microseconds for each row that is read or written, and 0.04
# for each cell.
_ROW_SECONDS, _CELL_SECONDS = 1.5e-6, 0.15e-6
# A process of its own is started, and the file forced to disk.
_LEAST_SECONDS = 2.0
_TICK = 0.2
# Of a reader's time, for everything before the class begins and after it ends.
_REST_SECONDS = 60


def class_of(rows_at_most: int, columns: int) -> float:
    """In seconds, by the public bound on all rows that are read or written, of so many columns."""
    return _covering(_LEAST_SECONDS, rows_at_most * _row_seconds(columns))


def most_rows_at_all(columns: int) -> int:
    """How many rows may be declared to be read or written, so that a reader outlives the class.

    Nor are there more than its memory lets it put together whatever is in them.
    """
    within = most_rows_within(child_limits().memory_bytes, columns)
    return min(int(longest() / _row_seconds(columns)), within)


def longest() -> int:
    """Seconds of the longest class: as long as anything may take to be made."""
    seconds = int(_LEAST_SECONDS)
    while 2 * seconds <= settings.DPGOV_DERIVING_SECONDS - _REST_SECONDS:
        seconds *= 2
    return seconds


def await_moment(began: float, rows_at_most: int, columns: int, look: Callable[[], object]) -> None:
    """Until the end of its class, counted from `began` on the steady clock.

    `look` is called meanwhile, and what it raises ends the waiting.
    """
    due = began + _covering(class_of(rows_at_most, columns), time.monotonic() - began)
    while (left := due - time.monotonic()) > 0:
        look()
        time.sleep(min(_TICK, left))


def _row_seconds(columns: int) -> float:
    return _ROW_SECONDS + columns * _CELL_SECONDS


def _covering(seconds: float, needed: float) -> float:
    while seconds < needed:
        seconds *= 2
    return seconds
