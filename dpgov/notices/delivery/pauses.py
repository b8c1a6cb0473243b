"""When to try again what could not be delivered: soon at first, later each time, not for ever."""

from datetime import datetime, timedelta

_SHORTEST, _LONGEST = timedelta(seconds=15), timedelta(hours=1)
_DOUBLINGS = 12
GIVEN_UP_AFTER = timedelta(days=3)


def next_try(attempts: int, now: datetime) -> datetime:
    """When the next try may be, after `attempts` that failed: 15 s, 30 s, ... an hour."""
    doublings = min(max(attempts - 1, 0), _DOUBLINGS)
    return now + min(_SHORTEST * (1 << doublings), _LONGEST)
