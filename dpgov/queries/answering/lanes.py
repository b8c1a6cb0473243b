"""Light and heavy questions, told apart by what their plan costs in public, and who may take which.

A worker of several processes keeps one of them for light questions, so that nobody's long scan
stands before everybody's short ones. Must never look at data or at how long anything took.
"""

import fcntl
import os
from typing import ClassVar

from dpgov.privacy.answer.blueprint import Blueprint
from dpgov.privacy.answer.duration import longest_microseconds

# The model's bound is at least twice the truth, so that this is about a second.
_LIGHTEST_HEAVY_MICROSECONDS = 2_000_000


def is_heavy(blueprint: Blueprint) -> bool:
    """Whether the plan may take about a second or more, by declared numbers alone."""
    return longest_microseconds(blueprint) >= _LIGHTEST_HEAVY_MICROSECONDS


class HeavyPlaces:
    """How many processes of this worker may be at a heavy question at once: all but one.

    A place is a lock on a byte of a file without a name, which children inherit. The kernel takes
    it back from a process that dies, however it does.
    """

    _file: ClassVar[int | None] = None
    _places: ClassVar[int] = 0

    @classmethod
    def open(cls, processes: int) -> None:
        """Called by a worker before it makes its processes; one that is alone does everything."""
        cls._file = os.memfd_create("dpgov-heavy-places")
        cls._places = max(1, processes - 1)

    @classmethod
    def enter(cls) -> bool:
        """Take a place, if there is one; where no worker counted, there always is."""
        return cls._file is None or any(cls._take(cls._file, n) for n in range(cls._places))

    @classmethod
    def leave(cls) -> None:
        """Give back what this process took, if it took any."""
        if cls._file is not None:
            fcntl.lockf(cls._file, fcntl.LOCK_UN, cls._places, 0)

    @staticmethod
    def _take(file: int, place: int) -> bool:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
        except OSError:
            return False
        return True
