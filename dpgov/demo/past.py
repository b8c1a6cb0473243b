"""Whether this state folder's past is still being lived through: begun once, ended once."""

from django.db import connection

from dpgov.operation.moving import can_move, mark
from dpgov.tenants.crossing import tenants


def begin() -> bool:
    """Mark a state folder in which no organisation is; whether there is a past to live through.

    A folder in which somebody works is never marked, and none on a database server.
    """
    if can_move():
        return True
    if connection.vendor != "sqlite" or tenants():
        return False
    mark().touch(mode=0o600)
    return can_move()


def ended() -> None:
    """From here on the clock shows the machine's time, for good."""
    mark().unlink(missing_ok=True)
