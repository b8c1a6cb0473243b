"""The embedded broker: a folder of files between processes that know nothing of each other."""

import multiprocessing
import socket
from pathlib import Path

import pytest
from kombu.connection import Connection
from kombu.exceptions import OperationalError

import dpgov.celery  # noqa: F401 - names the transport
from dpgov.configuration.environment import broker_settings
from tests.servers.variables import variables
from tests.servers.waiting import until

MESSAGES = 1000


def connection(folder: Path) -> Connection:
    for name in ("in", "control"):
        (folder / name).mkdir(exist_ok=True)
    options = {
        "data_folder_in": str(folder / "in"),
        "data_folder_out": str(folder / "in"),
        "control_folder": str(folder / "control"),
    }
    return Connection("filesystem://", transport_options=options)


def send(folder: Path) -> None:
    with connection(folder) as broker:
        channel = broker.channel()
        for number in range(MESSAGES):
            channel._put("work", {"number": number, "padding": "x" * 2000})


def test_a_reader_never_finds_half_a_message(tmp_path: Path) -> None:
    """B8: whatever is written while others look arrives whole and once, in order."""
    received: list[int] = []
    writer = multiprocessing.get_context("spawn").Process(target=send, args=(tmp_path,))
    with connection(tmp_path) as broker:
        channel = broker.channel()
        writer.start()

        def has_come() -> bool:
            if channel._size("work"):
                received.append(channel._get("work")["number"])
            return len(received) >= MESSAGES

        until(has_come, "some were lost", every=0)
    writer.join()
    assert received == list(range(MESSAGES))
    assert list((tmp_path / "in").iterdir()) == []


def test_two_readers_share_the_messages(tmp_path: Path) -> None:
    send(tmp_path)
    with connection(tmp_path) as one, connection(tmp_path) as other:
        readers = [one.channel(), other.channel()]
        numbers = [readers[turn % 2]._get("work")["number"] for turn in range(MESSAGES)]
    assert numbers == list(range(MESSAGES))


def test_nobody_waits_for_a_broker_that_takes_connections_and_says_nothing(
    tmp_path: Path,
) -> None:
    """R1: a Redis that was stopped held up every page that asks, and the sweeper, without end."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"redis://127.0.0.1:{silent.getsockname()[1]}/0"
        settings = broker_settings(variables({"DPGOV_BROKER_URL": url}), tmp_path)
        options = settings["CELERY_BROKER_TRANSPORT_OPTIONS"]
        with Connection(url, transport_options=options) as asking, pytest.raises(OperationalError):
            asking.SimpleQueue("look").put("look", retry=False)
