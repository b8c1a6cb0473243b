"""Where an owner's server is, and a connection to it that can only read.

Must never connect to a host that is on no list, send a password in the open over a network, or say
it anywhere: not in a representation, an error or a log.
"""

import ipaddress
import os
import socket
import struct
from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from threading import Event, Thread, Timer
from typing import Any

import psycopg
from psycopg.rows import TupleRow

from dpgov.engines.base import DataNotOpened

Connection = psycopg.Connection[TupleRow]

_CONNECT_SECONDS = 10
_LOCK_MILLISECONDS = 5_000
_GRACE_SECONDS = 5
_LOOKED_AGAIN_SECONDS = 0.02
# What a server may say: of a table with all its columns and parts, and of an answer, which has a
# million numbers at most, each beside its codes.
OF_A_CATALOG, OF_AN_ANSWER = 2**25, 2**28
# Where the bytes that came stand in Linux's struct tcp_info.
_BYTES_CAME = struct.Struct("128xQ")
_OLDEST = 140_000
# In the server's own measure: a scan of some 50 million rows, or of 4 million that are sorted.
_LONG = 1_500_000
_LONGEST_COMPILED = 16_000
_ENCRYPTED = ("require", "verify-ca", "verify-full")
# Said when connecting, so that neither the role's own settings nor those of its database count.
_SETTINGS = {
    "default_transaction_read_only": "on",
    # What is looked at once the table is locked is what is there then, and so are its rows: the one
    # statement that reads them has one snapshot by itself.
    "default_transaction_isolation": "read\\ committed",
    "search_path": "pg_catalog,pg_temp",
    "lock_timeout": _LOCK_MILLISECONDS,
    # Whoever would see fewer rows by a policy is told so, whatever the rows are.
    "row_security": "off",
    "timezone": "UTC",
    "timezone_abbreviations": "Default",
    "datestyle": "ISO",
    "extra_float_digits": "1",
    "standard_conforming_strings": "on",
    "transform_null_equals": "off",
    "client_min_messages": "error",
    # If its owner lets it compile, which is not said here, then what takes far longer than that.
    **dict.fromkeys(("jit_above_cost", "jit_inline_above_cost", "jit_optimize_above_cost"), _LONG),
}


@dataclass(frozen=True, slots=True)
class Server:
    """An owner's server and the role to read with. `certificates` are those that it is known by.

    Beyond this machine the connection is encrypted, and with "verify-full" the name is proved too.
    """

    host: str
    port: int
    database: str
    user: str
    password: str = field(repr=False)
    encryption: str = "verify-full"
    certificates: str = "system"

    @property
    def address(self) -> str:
        """As a list of allowed servers has it."""
        return f"{self.host}:{self.port}"

    @property
    def is_loopback(self) -> bool:
        """Whether what is sent there stays on this machine, by the literal address alone."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    def options(self, seconds: int) -> dict[str, Any]:
        """For libpq; raises DataNotOpened where a connection would not be encrypted."""
        if not self.is_loopback and self.encryption not in _ENCRYPTED:
            raise DataNotOpened
        # 0 would be no limit for this database.
        most = 1_000 * max(1, seconds)
        settings = _SETTINGS | {"statement_timeout": most}
        settings["idle_in_transaction_session_timeout"] = most
        proof = {"sslrootcert": self.certificates} if self.encryption.startswith("verify") else {}
        return proof | {
            "host": self.host,
            "port": self.port,
            "dbname": self.database,
            "user": self.user,
            "password": self.password,
            "sslmode": self.encryption,
            "gssencmode": "disable",
            "client_encoding": "UTF8",
            "connect_timeout": _CONNECT_SECONDS,
            "tcp_user_timeout": most + 1_000 * _CONNECT_SECONDS,
            "application_name": "dpgov",
            "options": " ".join(f"-c {name}={value}" for name, value in settings.items()),
        }


def compile_none_but_short(connection: Connection, statement: str) -> None:
    """Keep the server from compiling this statement for minutes, each process by its length."""
    if len(statement) > _LONGEST_COMPILED:
        connection.execute("SET LOCAL jit TO off")


@contextmanager
def opened(
    server: Server, allowed: Collection[str], seconds: int, most: int = OF_A_CATALOG
) -> Iterator[Connection]:
    """Within, one read-only transaction on a server whose address is allowed.

    Raises DataNotOpened if there is none: nothing was asked of it then. Ends a little after so many
    seconds even if the server says nothing any more, and soon after it has said more than `most`
    bytes: its own limits do not help against that.
    """
    connection = None
    # What libpq takes for several hosts, or for a socket, is no host.
    if server.address in allowed and not set(server.host) & set(",/@"):
        connection = _connected(server, seconds)
    if connection is None:
        raise DataNotOpened
    with _hung_up_after(connection, seconds + _GRACE_SECONDS, most), closing(connection):
        if not _begun(connection):
            raise DataNotOpened
        yield connection


def _connected(server: Server, seconds: int) -> Connection | None:
    """None for any fault: what libpq says of it names the role and the host."""
    try:
        return psycopg.connect(
            **server.options(seconds), autocommit=True, cursor_factory=psycopg.RawCursor
        )
    except (psycopg.Error, DataNotOpened):
        return None


def _begun(connection: Connection) -> bool:
    try:
        connection.execute("BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY")
    except psycopg.Error:
        return False
    return connection.info.server_version >= _OLDEST


@contextmanager
def _hung_up_after(connection: Connection, seconds: float, most: int) -> Iterator[None]:
    """Within, the line is cut at that time, so that whoever waits for an answer gets an error.

    Or after so many bytes: whatever comes is kept until it is whole.
    """
    line, ended = socket.socket(fileno=os.dup(connection.fileno())), Event()
    timer = Timer(seconds, _cut, [line])
    listener = Thread(target=_cut_after, args=(line, most, ended))
    for each in (timer, listener):
        each.daemon = True
        each.start()
    try:
        yield
    finally:
        ended.set()
        timer.cancel()
        for each in (timer, listener):
            each.join()
        line.close()


def _cut_after(line: socket.socket, most: int, ended: Event) -> None:
    """Cut it once it has brought more, looking again and again until it has ended."""
    while not ended.wait(_LOOKED_AGAIN_SECONDS):
        if _brought(line) > most:
            _cut(line)


def _brought(line: socket.socket) -> int:
    """How many bytes came; 0 where the system does not say."""
    try:
        told = line.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _BYTES_CAME.size)
        (came,) = _BYTES_CAME.unpack(told)
    except (OSError, struct.error):
        return 0
    return int(came)


def _cut(line: socket.socket) -> None:
    with suppress(OSError):
        line.shutdown(socket.SHUT_RDWR)
