"""The embedded broker: a folder of files between processes that know nothing of each other."""

import multiprocessing
import time
from pathlib import Path

from kombu.connection import Connection

import dpgov.celery  # noqa: F401 - names the transport

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
        deadline = time.monotonic() + 60
        while len(received) < MESSAGES and time.monotonic() < deadline:
            if channel._size("work"):
                received.append(channel._get("work")["number"])
    writer.join()
    assert received == list(range(MESSAGES))
    assert list((tmp_path / "in").iterdir()) == []


def test_two_readers_share_the_messages(tmp_path: Path) -> None:
    send(tmp_path)
    with connection(tmp_path) as one, connection(tmp_path) as other:
        readers = [one.channel(), other.channel()]
        numbers = [readers[turn % 2]._get("work")["number"] for turn in range(MESSAGES)]
    assert numbers == list(range(MESSAGES))
