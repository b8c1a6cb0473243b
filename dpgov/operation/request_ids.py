"""One name for everything that a request sets in motion, here and in the worker.

An id comes from outside (a proxy's header, a message), so it is believed only when it is short
and plain; it opens no door and is shown to nobody but the caller and the operator.
"""

import re
import secrets

from structlog.contextvars import bind_contextvars, clear_contextvars, get_contextvars

_PLAIN = re.compile(r"[A-Za-z0-9._-]{8,64}")
_NAME = "request_id"


def new() -> str:
    """A fresh id: 32 hexadecimal digits."""
    return secrets.token_hex(16)


def begin(offered: object = None) -> str:
    """Start a line of events under the offered id, or under a fresh one if it is not plain."""
    plain = isinstance(offered, str) and _PLAIN.fullmatch(offered)
    request_id = str(offered) if plain else new()
    clear_contextvars()
    bind_contextvars(request_id=request_id)
    return request_id


def current() -> str | None:
    """The id of what is going on in this thread, if anything is."""
    found: str | None = get_contextvars().get(_NAME)
    return found


def end() -> None:
    """Nothing goes on any more."""
    clear_contextvars()
