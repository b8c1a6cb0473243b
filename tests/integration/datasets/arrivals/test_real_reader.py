"""B1, L13: a real worker reads the file; killed in the middle, another one goes on."""

import os
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from django.test import Client

from dpgov.audit.models import AuditEntry
from dpgov.budgets.findings import ledger_findings
from dpgov.datasets.models import Arrival, Dataset
from dpgov.datasets.tasks import arrivals_round
from tests.integration.datasets.arrivals.conftest import ask, files
from tests.integration.queries.answering.workers import Worker, reader_of_files
from tests.servers.waiting import end_of, until, within

pytestmark = pytest.mark.django_db(transaction=True)
# So many rows that reading takes seconds; a reader that is stopped takes as long as it has to.
LARGE = b"age,sex,city\n" + b"30,f,Basel\n45,m,Bern\n" * 4_000_000
_TOLD_SECONDS = 2.5


def stop_while_it_reads(worker: Worker, rows_read: Callable[[], int]) -> int:
    """Stop the process that reads, somewhere between its first row and its last; its number."""
    found: list[int] = []

    def reading() -> bool:
        told = Path(f"/proc/{worker.pid}/task/{worker.pid}/children").read_text().split()
        found[:] = [int(pid) for pid in told if b"engines.ingest" in _command(pid)]
        return bool(found)

    def stopped_after_its_first_row() -> bool:
        os.kill(found[0], signal.SIGSTOP)
        # How far it is is written down once a second, whether it goes on or not.
        if within(_TOLD_SECONDS, lambda: rows_read() > 0):
            return True
        os.kill(found[0], signal.SIGCONT)
        return False

    until(reading, "nobody reads")
    until(stopped_after_its_first_row, "no row was read")
    return found[0]


def _command(pid: str) -> bytes:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


def test_a_reader_that_is_killed_leaves_the_file_to_another(
    browser: Client, tmp_path: Path
) -> None:
    """B1, L13: kill -9 while it reads; one dataset, one entry, and nothing of the first attempt."""
    arrival = ask(browser, LARGE, max_rows="20000000")

    def now() -> Arrival:
        arrival.refresh_from_db()
        return arrival

    with reader_of_files(tmp_path / "first.log", DPGOV_LEASE_SECONDS="3") as worker:
        stop_while_it_reads(worker, lambda: now().rows_read)
        os.killpg(worker.pid, signal.SIGKILL)
        worker.wait()
    first = str(now().version_id)
    assert arrival.state == Arrival.State.READING
    log = tmp_path / "second.log"
    with reader_of_files(log, DPGOV_LEASE_SECONDS="30"):
        until(lambda: arrivals_round() >= 0 and not now().is_running, end_of(log))
        # Files go after the commit that ends the arrival.
        until(lambda: str(arrival.upload_id) not in files("uploads"), end_of(log))
    assert (arrival.state, arrival.attempts) == (Arrival.State.DONE, 2)
    assert Dataset.objects.count() == 1
    assert AuditEntry.objects.filter(action="DATASET_REGISTERED").count() == 1
    assert not {name for name in files("data") if name.startswith(first)}
    assert ledger_findings() == []
