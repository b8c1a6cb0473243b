"""M93: a server that says nothing any more keeps nobody waiting for long, nor one that never stops.

Its own limits do not help: they are its to keep, and its machine goes on to confirm what it is
sent. What could be lost: the readers of the installation, and with them everybody's files; and the
memory of a web process or worker, in which everything is kept that such a server says.
"""

import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from threading import Event, Thread
from typing import Any

import pytest

from dpgov.engines.base import DataNotOpened, EngineFailure
from dpgov.engines.postgres import engine
from dpgov.engines.postgres import server as connecting
from dpgov.engines.postgres.engine import check_source
from dpgov.privacy.plan.request import ExactRequest, Measure, MeasureKind
from tests.servers.waiting import PATIENCE
from tests.unit.engines.postgres.owner import Owner
from tests.unit.engines.tables import number

COUNT = ExactRequest((), (), (Measure(MeasureKind.ROWS),))
V = number("v", "0", "9")
# What a server says when it waits for the next statement.
READY = b"Z\x00\x00\x00\x05"


@dataclass
class Line:
    """A port that leads to the owner's server, until that has answered `most` times.

    What is asked afterwards gets nowhere, and `then` is done; or so many bytes of a row are the
    answer, and it is `cut` when somebody hangs up then.
    """

    port: int = 0
    most: int = 1_000
    answered: int = 0
    then: Callable[[], object] = field(default=lambda: None)
    flood: int = 0
    cut: Event = field(default_factory=Event)

    def serves(self, listening: socket.socket, port: int) -> None:
        with suppress(OSError):
            while True:
                here, _address = listening.accept()
                self.answered = 0
                there = socket.create_connection(("127.0.0.1", port))
                for passes in (self._asks, self._answers):
                    Thread(target=passes, args=(here, there), daemon=True).start()

    def _asks(self, here: socket.socket, there: socket.socket) -> None:
        with suppress(OSError), there:
            while asked := here.recv(65_536):
                if self.answered < self.most:
                    there.sendall(asked)
                elif self.flood:
                    self._floods(here, _beginning(asked))
                else:
                    self.then()
            # The other thread waits there; the server would keep its locks until its own limit.
            there.shutdown(socket.SHUT_RDWR)

    def _floods(self, here: socket.socket, beginning: bytes) -> None:
        with suppress(ConnectionError):
            here.sendall(beginning + b"x" * self.flood)
            here.settimeout(PATIENCE)
            if here.recv(1):
                return
        self.cut.set()

    def _answers(self, here: socket.socket, there: socket.socket) -> None:
        with suppress(OSError), here:
            while said := there.recv(65_536):
                self.answered += said.count(READY)
                here.sendall(said)


def _beginning(asked: bytes) -> bytes:
    """Of an answer with one row, which is a gigabyte long: as that to this statement begins."""
    column = b"x\0" + struct.pack("!IhIhih", 0, 0, 25, -1, -1, 0)
    ready = b"" if asked.startswith(b"Q") else _message(b"1") + _message(b"2")
    row = b"D" + struct.pack("!IhI", 2**30 + 10, 1, 2**30)
    return ready + _message(b"T", struct.pack("!h", 1) + column) + row


def _message(kind: bytes, body: bytes = b"") -> bytes:
    return kind + struct.pack("!I", len(body) + 4) + body


@pytest.fixture
def line(owner: Owner) -> Iterator[Line]:
    owner.has("kept", {"v": "integer"}, [(1,), (4,)])
    with socket.create_server(("127.0.0.1", 0)) as listening:
        made = Line(port=listening.getsockname()[1])
        Thread(target=made.serves, args=(listening, owner.server.port), daemon=True).start()
        yield made
        listening.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def at_once(line: Line, monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The line is cut as soon as it is silent, in place of the seconds that it was given."""
    given: list[float] = []

    class Waits:
        daemon = False

        def __init__(self, seconds: float, cut: Callable[..., None], args: list[Any]) -> None:
            given.append(seconds)
            line.then = lambda: cut(*args)

        def start(self) -> None: ...
        def cancel(self) -> None: ...
        def join(self) -> None: ...

    monkeypatch.setattr(connecting, "Timer", Waits)
    return given


@pytest.fixture
def distant(owner: Owner, line: Line) -> Owner:
    """The same, at the other end of the line."""
    return replace(owner, server=replace(owner.server, port=line.port))


def _failure(distant: Owner) -> type[EngineFailure]:
    with pytest.raises(EngineFailure) as failed:
        distant.engine("kept", [V]).answer(COUNT)
    return type(failed.value)


@pytest.mark.parametrize("answers", [1, 2, 5])
def test_one_that_falls_silent_before_it_is_asked_costs_nothing(
    distant: Owner, line: Line, at_once: list[float], answers: int
) -> None:
    """After it let us in, after the transaction began, and while its form is looked at."""
    line.most = answers
    assert _failure(distant) is DataNotOpened
    assert at_once == [30 + 5]


def test_one_that_falls_silent_while_it_is_asked_fails_like_any_other(
    distant: Owner, line: Line, at_once: list[float]
) -> None:
    """Rows may have been read: it is charged, like a statement that its server ends."""
    assert distant.engine("kept", [V]).answer(COUNT) == ((2,),)
    line.most = line.answered - 1
    assert _failure(distant) is EngineFailure
    assert len(at_once) == 2


def test_whoever_looks_at_its_table_is_let_go_in_time(
    distant: Owner, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the clock, which for this test is almost over when it begins."""
    monkeypatch.setattr(connecting, "_GRACE_SECONDS", 0.2 - 30)
    line.most = 1
    there = distant.server
    with pytest.raises(DataNotOpened):
        check_source(there, distant.source("kept", [V]), allowed=[there.address])


@pytest.mark.parametrize("answers", [2, 5])
def test_one_that_never_stops_talking_is_cut_off(
    distant: Owner, line: Line, at_once: list[float], answers: int
) -> None:
    """While its form is looked at; nothing is cut by the time, which stands still here."""
    line.most, line.flood = answers, 2 * connecting.OF_A_CATALOG
    with pytest.raises(DataNotOpened):
        check_source(distant.server, distant.source("kept", [V]), allowed=[distant.server.address])
    assert line.cut.wait(PATIENCE)


def test_an_answer_has_no_more_bytes_than_answers_have(
    distant: Owner, line: Line, at_once: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert distant.engine("kept", [V]).answer(COUNT) == ((2,),)
    monkeypatch.setattr(engine, "OF_AN_ANSWER", 2**20)
    line.most, line.flood = line.answered - 1, 2**21
    assert _failure(distant) is EngineFailure
    assert line.cut.wait(PATIENCE)
