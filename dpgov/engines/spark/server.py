"""Where an owner's Connect server is, and a session on it that depends on nobody's settings.

Must never call a host or read a path that is on no list, send a token in the open over a network,
or say it anywhere: not in a representation, an error or a log. A type that files describe is never
looked up here: it can name a Python class, which the client would import and call.
"""

import importlib.util
import ipaddress
import logging
import re
import ssl
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from dpgov.engines.base import DataNotOpened
from dpgov.engines.spark.rows import VIEW

Allowed = Mapping[str, Collection[str]]
"""The folders that may be read through each server, by its host:port; each ends with a slash."""

_CONNECT_SECONDS = 10
_GRACE_SECONDS = 10
_AGAIN_SECONDS = 0.2
_OLDEST = 4
_HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?")
_LOOKED_AT = "looked_at"
_LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")
# No pattern, no way up, and nothing that Spark passes over as hidden.
_STEP = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._=+-]*")
# Said anew for every session, whatever the cluster's own defaults are.
SETTINGS = {
    # Where something would wrap or be cut, it fails; what is asked here does neither.
    "spark.sql.ansi.enabled": "true",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.timestampType": "TIMESTAMP_LTZ",
    "spark.sql.caseSensitive": "true",
    "spark.sql.groupByOrdinal": "true",
    # By default an old date fails its question.
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.int96TimestampConversion": "false",
    "spark.sql.parquet.inferTimestampNTZ.enabled": "true",
    "spark.sql.parquet.binaryAsString": "false",
    "spark.sql.legacy.parquet.nanosAsLong": "false",
    "spark.sql.parquet.fieldId.read.enabled": "false",
    # Minima and maxima that a file claims of itself decide nothing.
    "spark.sql.parquet.filterPushdown": "false",
    "spark.sql.parquet.aggregatePushdown": "false",
    # The name of a folder is a text.
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
    # Rows that can't be read are no fewer rows.
    "spark.sql.files.ignoreCorruptFiles": "false",
    "spark.sql.files.ignoreMissingFiles": "false",
}


@dataclass(frozen=True, slots=True)
class Server:
    """An owner's Connect server. `certificates` is a file of those that it is known by.

    Beyond this machine the connection is encrypted and the server's name is proved.
    """

    host: str
    port: int
    token: str = field(default="", repr=False)
    is_encrypted: bool = True
    certificates: str = ""

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


def is_installed() -> bool:
    """Whether the client is here: it is in an optional group of dependencies."""
    return all(importlib.util.find_spec(name) for name in ("grpc", "pyspark"))


class Session:
    """A session of the client, asked in SQL."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def looks_at(self, path: str) -> None:
        """Make files a view: found, and their forms put together, once for all that is asked."""
        frame = self._client.read.option("mergeSchema", "true").parquet(path)
        frame.createOrReplaceTempView(VIEW)

    def has_nothing_at(self, pattern: str) -> bool:
        """Whether nothing lies there: by names alone, no file is opened. False if it can't tell."""
        try:
            found = self._client.read.format("binaryFile").load(pattern)
            found.createOrReplaceTempView(_LOOKED_AT)
        except Exception as problem:  # noqa: BLE001 - what it says names paths
            return getattr(problem, "getCondition", str)() == "PATH_NOT_FOUND"
        return False

    def rows(self, select: str, **parameters: int) -> list[tuple[Any, ...]]:
        """What a select returns."""
        table = self._client.sql(select, args=parameters or None).toArrow()
        return list(zip(*(column.to_pylist() for column in table.columns), strict=True))


@contextmanager
def opened(server: Server, allowed: Allowed, path: str, seconds: int) -> Iterator[Session]:
    """Within, a session of a server that may be called, for a path that may be read there.

    After so many seconds what it asks is cancelled. Raises DataNotOpened if there is none.
    """
    session = None
    if _is_allowed(server, allowed, path):
        session = _connected(server)
    if session is None:
        raise DataNotOpened
    client, channel = session
    try:
        with _ended_after(seconds, client.interruptAll, channel.close):
            try:
                yield Session(client)
            finally:
                client.stop()
    finally:
        channel.close()


def _is_allowed(server: Server, allowed: Allowed, path: str) -> bool:
    if not (server.is_loopback or (server.is_encrypted and _HOST.fullmatch(server.host))):
        return False
    return is_within(path, allowed.get(server.address, ()))


def is_within(path: str, roots: Iterable[str]) -> bool:
    """Whether the path lies in one of these folders, by plain steps alone."""
    return any(
        root.endswith("/") and path.startswith(root) and _is_plain(path.removeprefix(root))
        for root in roots
    )


def _is_plain(path: str) -> bool:
    return all(_STEP.fullmatch(step) for step in path.removesuffix("/").split("/"))


def _connected(server: Server) -> tuple[Any, Any] | None:
    """A session with all settings, and its channel; None for any fault, which may name the host."""
    channel = None
    with suppress(Exception):
        channel = _channel(server)
        # Nothing is asked yet, so nothing is timed: to build a client over a channel that closes
        # meanwhile would end the whole process.
        session = _session(channel)
        with _ended_after(_CONNECT_SECONDS, channel.close):
            return _settled(session), channel
    if channel is not None:
        channel.close()
    return None


def _channel(server: Server) -> Any:
    import grpc

    credentials = grpc.local_channel_credentials()
    if server.is_encrypted:
        credentials = grpc.ssl_channel_credentials(_certificates(server))
    if server.token:
        token = grpc.access_token_call_credentials(server.token)
        credentials = grpc.composite_channel_credentials(credentials, token)
    # Neither a proxy nor a balancer of the environment stands in between.
    options = {"grpc.enable_http_proxy": 0, "grpc.service_config_disable_resolution": 1}
    largest = {f"grpc.max_{way}_message_length": 2**27 for way in ("send", "receive")}
    host = f"[{server.host}]" if ":" in server.host else server.host
    target = f"{host}:{server.port}"
    return grpc.secure_channel(target, credentials, options=[*(options | largest).items()])


def _certificates(server: Server) -> bytes:
    """Of the one that is named, else of the system; never what the environment of gRPC says."""
    context = ssl.create_default_context(cafile=server.certificates or None)
    found = context.get_ca_certs(binary_form=True)
    return "".join(map(ssl.DER_cert_to_PEM_cert, found)).encode()


def _session(channel: Any) -> Any:
    from pyspark.sql.connect.client import ChannelBuilder
    from pyspark.sql.connect.session import SparkSession

    class Builder(ChannelBuilder):  # type: ignore[misc, unused-ignore]
        """Gives the one channel; the environment's token is not its own."""

        @property
        def host(self) -> str:
            return ""

        def toChannel(self) -> Any:  # noqa: N802
            return channel

    _silence()
    return SparkSession(Builder(params={"user_id": "dpgov"}))


def _settled(session: Any) -> Any:
    """The session, with all settings; the first calls to the server."""
    # What failed is not asked again: how long an answer takes follows from one attempt.
    session.client.set_retry_policies([])
    session.conf._set_all(SETTINGS, silent=False)
    if int(session.version.partition(".")[0]) < _OLDEST:
        raise DataNotOpened
    return session


def _silence() -> None:
    """The client would write down what a server says of a failure: cells, plans and paths."""
    from pyspark.sql.connect.logging import logger

    for told in (logger, *map(logging.getLogger, _LOGGERS)):
        told.disabled = True


@contextmanager
def _ended_after(seconds: float, *ends: Callable[[], object]) -> Iterator[None]:
    """Call the first one again and again after these seconds, the last one when that was no use."""
    done = threading.Event()

    def end(after: float, how: Callable[[], object]) -> None:
        # Again: one that comes before the question has begun is lost.
        while not done.wait(after):
            after = _AGAIN_SECONDS
            with suppress(Exception):
                how()

    threads = [
        threading.Thread(target=end, args=(seconds + at * _GRACE_SECONDS, how), daemon=True)
        for at, how in enumerate(ends)
    ]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        done.set()
