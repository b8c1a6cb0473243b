"""H7: a server that answers one byte at a time cannot hold up the sweeper."""

import socket
from collections.abc import Generator
from threading import Event, Thread
from typing import Any

import pytest

from dpgov.notices.delivery import sending


@pytest.fixture
def dripping(settings: Any) -> Generator[str]:
    """The address of a server whose answer never ends; each byte comes within the time allowed."""
    settings.DPGOV_WEBHOOKS_TO_PRIVATE_ADDRESSES = True
    settings.DPGOV_WEBHOOK_PORTS = range(1, 65_536)
    over = Event()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def drip() -> None:
            caller, _ = server.accept()
            with caller:
                caller.sendall(b"HTTP/1.1 200 OK\r\nX-Long: ")
                while not over.wait(0.02):
                    try:
                        caller.sendall(b"x")
                    except OSError:
                        return

        thread = Thread(target=drip)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/"
        over.set()
        thread.join()


def test_an_answer_that_never_ends_is_cut_off(
    dripping: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """H7"""
    monkeypatch.setattr(sending, "_SECONDS", 0.5)
    with pytest.raises(sending.FAILURES):
        sending.post(dripping, b"{}", {})
