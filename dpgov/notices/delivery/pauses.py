"""When to try again what could not be delivered: soon at first, later each time, not for ever."""

from datetime import datetime, timedelta

from django.db.models import Q

from dpgov.operation.clock import Now

_SHORTEST, _LONGEST = timedelta(seconds=15), timedelta(hours=1)
_DOUBLINGS = 12
GIVEN_UP_AFTER = timedelta(days=3)


def next_try(attempts: int, now: datetime) -> datetime:
    """When the next try may be, after `attempts` that failed: 15 s, 30 s, ... an hour."""
    doublings = min(max(attempts - 1, 0), _DOUBLINGS)
    return now + min(_SHORTEST * (1 << doublings), _LONGEST)


def is_pausing(next_attempt_at: datetime, now: datetime) -> bool:
    """Whether the next try is still to come.

    One that is further away than any pause was dated by a clock that was ahead: it is tried now.
    """
    return now < next_attempt_at <= now + _LONGEST


def pausing() -> Q:
    """The same of rows, by the database's clock."""
    return Q(next_attempt_at__gt=Now(), next_attempt_at__lte=Now() + _LONGEST)
