"""What it is when a server or a disk is to blame; without a web, which workers never load."""

import errno

from django.db import InterfaceError, OperationalError

FULL = frozenset({errno.ENOSPC, errno.EDQUOT})


class ServerAway(Exception):
    """A server that is not the database does not answer."""


def is_outage(error: BaseException | None) -> bool:
    """Whether a server or a disk is to blame, and not the request or the code."""
    while error is not None:
        if isinstance(error, OperationalError | InterfaceError | ServerAway):
            return True
        if isinstance(error, OSError) and error.errno in FULL:
            return True
        error = error.__cause__
    return False
