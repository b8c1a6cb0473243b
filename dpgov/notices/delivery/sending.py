"""One message to one address: a POST that follows no redirect and ends in time.

Must never read more of an answer than its status, nor wait longer than `_SECONDS` for a server
that sends one byte at a time.
"""

import socket
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from threading import Event, Timer

from dpgov.language.said import said
from dpgov.language.spoken import SpokenRefusal
from dpgov.notices.delivery.addresses import Target, address_of, target_of

_SECONDS = 10.0
_GOOD = range(200, 300)
FAILURES = (OSError, HTTPException, ValueError)


class NotTaken(SpokenRefusal, OSError):
    """The server answered, but not with success; a redirect is none."""

    def __init__(self, status: int) -> None:
        self.status = status
        super().__init__(said("The server answered {status}.", status=status))


def post(url: str, body: bytes, headers: Mapping[str, str]) -> int:
    """Send the body as JSON; returns the status, 200 to 299.

    Raises NotTaken for every other status, AddressRefused, and one of FAILURES.
    """
    target = target_of(url)
    with _connected(target, address_of(target)) as (connection, is_over):
        connection.request("POST", target.path, body=body, headers=_complete(headers))
        status = connection.getresponse().status
        if is_over.is_set():
            # What was cut off can look like an answer that ended.
            raise TimeoutError
    if status not in _GOOD:
        raise NotTaken(status)
    return status


def _complete(headers: Mapping[str, str]) -> dict[str, str]:
    return {"Content-Type": "application/json", "User-Agent": "dpgov", **headers}


@contextmanager
def _connected(target: Target, address: str) -> Iterator[tuple[HTTPConnection, Event]]:
    """A connection to this address and no other, and what is set once its time is over."""
    raw = socket.create_connection((address, target.port), timeout=_SECONDS)
    connection, is_over = _over(raw, target), Event()
    cut = Timer(_SECONDS, _cut_off, [connection.sock, is_over])
    cut.daemon = True
    cut.start()
    try:
        if isinstance(connection.sock, ssl.SSLSocket):
            connection.sock.do_handshake()
        yield connection, is_over
    finally:
        cut.cancel()
        connection.close()


def _over(raw: socket.socket, target: Target) -> HTTPConnection:
    """No handshake yet: a server could take its time over that as well."""
    if target.scheme == "http":
        plain = HTTPConnection(target.host, target.port, timeout=_SECONDS)
        plain.sock = raw
        return plain
    context = ssl.create_default_context()
    secure = HTTPSConnection(target.host, target.port, timeout=_SECONDS, context=context)
    secure.sock = context.wrap_socket(
        raw, server_hostname=target.host, do_handshake_on_connect=False
    )
    return secure


def _cut_off(connected: socket.socket, is_over: Event) -> None:
    """Wakes whoever waits for it."""
    is_over.set()
    try:
        connected.shutdown(socket.SHUT_RDWR)
    except OSError:
        return
