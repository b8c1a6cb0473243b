"""Looking at a question that waits: when it is worth it, and how a client may wait at the door.

When an answer can appear is public, so nobody needs to ask again and again: a page looks at that
moment, and ever more slowly afterwards; an API client may leave its request open for a while. A
request that is open holds a thread of its process, so that few may be.
"""

import threading
import time
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings

from dpgov.datasets.lineage import is_frozen, paused_by
from dpgov.operation.clock import database_now
from dpgov.queries.answering.moments import next_moment
from dpgov.queries.answering.publishing import publish_overdue
from dpgov.queries.models import Query
from dpgov.queries.selectors import get_answered
from dpgov.tenants.models import Membership

LONGEST_WAIT = timedelta(seconds=20)
_SHORTEST_PAUSE, _LONGEST_PAUSE = timedelta(milliseconds=500), timedelta(seconds=10)
# The publisher is there at the moment, and writes.
_AFTER_THE_MOMENT = timedelta(milliseconds=50)

_lock = threading.Lock()
_waiting = 0


def look_at(membership: Membership, query_id: UUID) -> Query:
    """One visible question as it stands; Query.DoesNotExist as in `selectors.get_query`.

    An answer that is long due appears now, at the latest.
    """
    query = get_answered(membership, query_id)
    return get_answered(membership, query_id) if publish_overdue(query) else query


def expected_at(query: Query, now: datetime | None = None) -> datetime | None:
    """The next moment at which it can end; None once it has. Public: nothing of its work.

    None in a pause and in a freeze, too: nothing comes out of it, however far the work had got.
    """
    if query.state in Query.ENDED or _waits_for_people(query):
        return None
    return next_moment(query.submitted_at, query.class_ms, now or database_now())


def is_paused(query: Query) -> bool:
    """Whether it waits until the owners of its dataset, or of a parent, resume all questions."""
    return query.state not in Query.ENDED and paused_by(query.dataset) is not None


def _waits_for_people(query: Query) -> bool:
    """In a pause for owners, and after a restore for an officer, who take as long as they take."""
    return is_paused(query) or is_frozen(query.dataset)


def pause_before_next_look(query: Query, now: datetime | None = None) -> timedelta:
    """How long to wait before it is worth looking again.

    Until its first moment none is; then each pause is a quarter of the time that it has waited,
    unless a moment comes sooner. In a pause or a freeze each is the longest, however long that is.
    """
    if _waits_for_people(query):
        return _LONGEST_PAUSE
    moment = now or database_now()
    waited = max(timedelta(), moment - query.submitted_at)
    ahead = next_moment(query.submitted_at, query.class_ms, moment) - moment + _AFTER_THE_MOMENT
    if waited < timedelta(milliseconds=query.class_ms):
        return min(ahead, _LONGEST_PAUSE)
    return min(ahead, max(_SHORTEST_PAUSE, waited / 4), _LONGEST_PAUSE)


def wait_for_end(membership: Membership, query: Query, most: timedelta) -> Query:
    """The question once it has ended, or as it is after `most` (LONGEST_WAIT at most).

    At once when as many wait in this process as may (DPGOV_LONG_POLLS).
    """
    if query.state in Query.ENDED or most <= timedelta() or not _take_place():
        return query
    try:
        until = time.monotonic() + min(most, LONGEST_WAIT).total_seconds()
        while query.state not in Query.ENDED and (left := until - time.monotonic()) > 0:
            time.sleep(min(left, pause_before_next_look(query).total_seconds()))
            query = look_at(membership, query.pk)
        return query
    finally:
        _leave_place()


def _take_place() -> bool:
    global _waiting
    with _lock:
        if _waiting >= settings.DPGOV_LONG_POLLS:
            return False
        _waiting += 1
        return True


def _leave_place() -> None:
    global _waiting
    with _lock:
        _waiting -= 1
