"""L13, R5: a file of any size goes through the web process, and is never in its memory."""

import http.client
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from dpgov.datasets import storage
from dpgov.datasets.models import Upload
from tests.house.tree import ROOT
from tests.integration.queries.answering.workers import environment
from tests.servers.loopback import free_port, stop, until_it_answers
from tests.servers.waiting import until

pytestmark = pytest.mark.django_db(transaction=True)
MEGABYTE = 1_000_000
ROWS = b"30,f,Basel\n" * (MEGABYTE // 11)
SMALL = 2
_MARK = "b0undary"
_FIELD = "Content-Disposition: form-data; "


class Web:
    """The web process of production, and a browser that is signed in there."""

    def __init__(self, port: int, process: "subprocess.Popen[bytes]", client: Client) -> None:
        self.port = port
        self._process = process
        client.get(reverse("datasets:upload"))
        names = settings.SESSION_COOKIE_NAME, settings.CSRF_COOKIE_NAME
        session, self._token = (client.cookies[name].value for name in names)
        self._cookies = "; ".join(map("=".join, zip(names, (session, self._token), strict=True)))

    def upload(self, megabytes: int, halfway: Callable[[], None] = lambda: None) -> Upload:
        """Send a file of this size, piece by piece, and find what became of it."""
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)) as line:
            place = self._sent(line, megabytes, halfway)
        return Upload.objects.get(pk=place.rstrip("/").rsplit("/", 1)[1])

    def _sent(
        self, connection: http.client.HTTPConnection, megabytes: int, halfway: Callable[[], None]
    ) -> str:
        """Where it led."""
        token, file = 'name="csrfmiddlewaretoken"', 'name="file"; filename="people.csv"'
        begin = f"--{_MARK}\r\n{_FIELD}{token}\r\n\r\n{self._token}\r\n".encode()
        begin += f"--{_MARK}\r\n{_FIELD}{file}\r\n\r\nage,sex,city\n".encode()
        end = f"\r\n--{_MARK}--\r\n".encode()
        connection.putrequest("POST", reverse("datasets:upload"))
        connection.putheader("Cookie", self._cookies)
        connection.putheader("Content-Type", f"multipart/form-data; boundary={_MARK}")
        length = len(begin) + megabytes * len(ROWS) + len(end)
        connection.putheader("Content-Length", str(length))
        connection.endheaders(begin)
        for sent in range(megabytes):
            if 2 * sent == megabytes:
                halfway()
            connection.send(ROWS)
        connection.send(end)
        answer = connection.getresponse()
        assert answer.status == 302, answer.read().decode()
        return str(answer.headers["Location"])

    def peak(self) -> int:
        """The most memory that any of its processes ever had, in bytes."""
        pid = self._process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        found = [Path(f"/proc/{each}/status").read_text() for each in [str(pid), *children]]
        return max(1024 * int(re.findall(r"VmHWM:\s+(\d+) kB", text)[0]) for text in found)


def _answers(port: int) -> bool:
    try:
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as asked:
            asked.request("GET", "/healthz")
            return asked.getresponse().status == 200
    except OSError:
        return False


@contextmanager
def web_process(client: Client, log: Path) -> Iterator[Web]:
    """Gunicorn as in the Procfile, on the test database and its state folder."""
    port, command = free_port(), (ROOT / "Procfile").read_text().split("web: ")[1].split("\n")[0]
    program, *arguments = command.replace(":8000", f":{port}").split()
    with log.open("wb") as output:
        process = subprocess.Popen(
            [str(Path(sys.executable).parent / program), *arguments],
            cwd=ROOT,
            env=environment(DPGOV_UPLOAD_MAX_MB="1000"),
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        until_it_answers(lambda: _answers(port), process, "the web process")
        yield Web(port, process, client)
    finally:
        stop(process, signal.SIGTERM)


@pytest.mark.parametrize("megabytes", [8, pytest.param(300, marks=pytest.mark.long)])
def test_a_large_file_is_never_in_the_memory_of_the_web_process(
    browser: Client, tmp_path: Path, megabytes: int
) -> None:
    """L13, R5: half of it sent is half of it on disk, and memory is as for a small one."""

    # Other tests interrupt uploads, and leave what had arrived.
    others = _parts()

    def halfway() -> None:
        quarter = megabytes * len(ROWS) // 4
        until(lambda: _size_of(_parts() - others) >= quarter, "nothing is written before its end")

    with web_process(browser, tmp_path / "web.log") as web:
        for _ in range(2):
            web.upload(SMALL)
        before = web.peak()
        upload = web.upload(megabytes, halfway)
        after = web.peak()
    kept = storage.upload_path(upload.pk)
    assert upload.byte_size == kept.stat().st_size == megabytes * len(ROWS) + 13
    assert after <= 1.2 * before
    assert not _parts() - others
    kept.unlink()


def _size_of(parts: set[Path]) -> int:
    return sum(part.stat().st_size for part in parts)


def _parts() -> set[Path]:
    """What is still arriving."""
    folder = Path(settings.DPGOV_HOME) / "uploads"
    return set(folder.glob("*.part"))
