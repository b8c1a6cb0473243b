"""What it is when a server or a disk is to blame; without a web, which workers never load."""

import errno
from collections.abc import Iterator

from django.db import InterfaceError, OperationalError

# What PostgreSQL says to whoever would write into a standby, or into a server that was told to read
# only, as some are when their disk is full.
_ONLY_READS = "25006"
# To one of several transactions that wait for each other, which it ends.
_CONFLICTS = frozenset({"40P01", "40001"})
FULL = frozenset({errno.ENOSPC, errno.EDQUOT})


class ServerAway(Exception):
    """A server that is not the database does not answer."""


def is_outage(error: BaseException | None) -> bool:
    """Whether a server or a disk is to blame, and not the request or the code."""
    return is_database_away(error) or any(map(_is_elsewhere, _causes(error)))


def is_database_away(error: BaseException | None) -> bool:
    """Whether the database does not answer or only reads: later the same may do."""
    return any(map(_is_of_database, _causes(error)))


def is_conflict(error: BaseException | None) -> bool:
    """Whether the database ended this step for another one's sake: at once the same may do."""
    return any(getattr(one, "sqlstate", None) in _CONFLICTS for one in _causes(error))


def ends_the_round(error: BaseException | None) -> bool:
    """Whether whoever comes next would fare no better: the database is away for all of them."""
    return is_database_away(error) and not is_conflict(error)


def _is_of_database(error: BaseException) -> bool:
    """Django takes PostgreSQL's refusal to write for a fault of ours, an InternalError."""
    lost = isinstance(error, OperationalError | InterfaceError)
    return lost or getattr(error, "sqlstate", None) == _ONLY_READS


def _is_elsewhere(error: BaseException) -> bool:
    full = isinstance(error, OSError) and error.errno in FULL
    return full or isinstance(error, ServerAway)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """An error, what it was made of, and so on."""
    while error is not None:
        yield error
        error = error.__cause__
