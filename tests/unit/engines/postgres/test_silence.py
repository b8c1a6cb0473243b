"""M93: a server that says nothing any more keeps nobody waiting for long.

Its own limits do not help: they are its to keep, and its machine goes on to confirm what it is
sent. What could be lost: the readers of the installation, and with them everybody's files.
"""

import socket
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from threading import Thread
from typing import Any

import pytest

from dpgov.engines.base import DataNotOpened, EngineFailure
from dpgov.engines.postgres import server as connecting
from dpgov.engines.postgres.engine import check_source
from dpgov.privacy.plan.request import ExactRequest, Measure, MeasureKind
from tests.unit.engines.postgres.owner import Owner
from tests.unit.engines.tables import number

COUNT = ExactRequest((), (), (Measure(MeasureKind.ROWS),))
V = number("v", "0", "9")
# What a server says when it waits for the next statement.
READY = b"Z\x00\x00\x00\x05"


@dataclass
class Line:
    """A port that leads to the owner's server, until that has answered `most` times.

    What is asked afterwards gets nowhere, and `then` is done.
    """

    port: int = 0
    most: int = 1_000
    answered: int = 0
    then: Callable[[], object] = field(default=lambda: None)

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
                else:
                    self.then()
            # The other thread waits there; the server would keep its locks until its own limit.
            there.shutdown(socket.SHUT_RDWR)

    def _answers(self, here: socket.socket, there: socket.socket) -> None:
        with suppress(OSError), here:
            while said := there.recv(65_536):
                self.answered += said.count(READY)
                here.sendall(said)


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
