"""B9, L13: the database goes away while a file is read: it goes on, or leaves nothing.

On PostgreSQL only: nothing takes SQLite's file away from whoever has it open.
"""

import os
import signal
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest
from django.db import InterfaceError, OperationalError, connection
from django.test import Client

from dpgov.audit.models import AuditEntry
from dpgov.budgets.findings import ledger_findings
from dpgov.datasets import storage
from dpgov.datasets.models import Arrival, Dataset, DatasetVersion
from dpgov.datasets.services.arrivals.reading import _Follower
from dpgov.datasets.services.files.orphans import remove_orphans
from dpgov.datasets.tasks import arrivals_round, read_next
from tests.eager import read_waiting
from tests.integration.datasets.arrivals.conftest import ask, files, while_it_is_read
from tests.integration.datasets.arrivals.test_real_reader import LARGE, stop_while_it_reads
from tests.integration.datasets.files.test_orphans import age
from tests.integration.datasets.files.unheard import commit_unheard
from tests.integration.queries.answering.workers import database_url, reader_of_files
from tests.servers.cutoff import cut_off
from tests.servers.waiting import end_of, until

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.production]


def _cut_ours() -> None:
    """The server ends the connection of whoever reads the file, and tells nobody."""
    told = connection.settings_dict
    assert connection.connection is not None
    with psycopg.connect(
        host=told["HOST"], port=told["PORT"], user=told["USER"],
        password=told["PASSWORD"], dbname=told["NAME"],
    ) as other:  # fmt: skip
        pid = connection.connection.info.backend_pid
        assert other.execute("SELECT pg_terminate_backend(%s)", [pid]).fetchone() == (True,)


def test_a_connection_that_breaks_while_it_is_read_is_replaced(
    browser: Client, asked: Arrival, monkeypatch: pytest.MonkeyPatch, caplog: Any
) -> None:
    """B9, L13: the file is read once, and recorded once."""
    while_it_is_read(monkeypatch, _cut_ours)
    read_next()
    asked.refresh_from_db()
    assert (asked.state, asked.attempts) == (Arrival.State.DONE, 1)
    assert "the database is away while a file is read" in caplog.text
    assert Dataset.objects.count() == 1
    assert AuditEntry.objects.filter(action="DATASET_REGISTERED").count() == 1


def test_a_registration_whose_commit_nobody_heard_of_keeps_its_file(
    browser: Client, asked: Arrival
) -> None:
    """B9, L13: it is recorded: its dataset can be asked, and the sweeper ends what was left."""
    with commit_unheard(DatasetVersion, happens=True), pytest.raises(OperationalError):
        read_next()
    asked.refresh_from_db()
    assert asked.state == Arrival.State.DONE
    version = DatasetVersion.objects.get()
    assert storage.data_path(version.pk).exists()
    assert asked.upload_id is not None
    age(storage.arriving_path(version.pk), storage.upload_path(asked.upload_id))
    remove_orphans()
    assert storage.data_path(version.pk).exists()
    assert not storage.arriving_path(version.pk).exists()
    assert str(asked.upload_id) not in files("uploads")


def test_a_connection_that_breaks_while_it_is_recorded_leaves_nothing(
    browser: Client, asked: Arrival, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B9, L13: at the end of its transaction; then the file can be taken again at once."""
    before = files("data")
    really = _Follower.recorded

    def recorded(self: _Follower, made: Any) -> None:
        really(self, made)
        _cut_ours()

    with monkeypatch.context() as broken:
        broken.setattr(_Follower, "recorded", recorded)
        with pytest.raises((OperationalError, InterfaceError)):
            read_next()
    asked.refresh_from_db()
    assert asked.state == Arrival.State.READING
    assert not Dataset.objects.exists()
    assert read_waiting() == 1
    assert Dataset.objects.count() == 1
    assert len(files("data") - before) == 1
    assert ledger_findings() == []


def test_a_reader_outlives_the_database(browser: Client, tmp_path: Path) -> None:
    """B9, L13: away until the reader has noticed, and there again; a real worker, one attempt."""
    arrival = ask(browser, LARGE, max_rows="20000000")
    log = tmp_path / "reader.log"
    address = urlsplit(database_url())

    def now() -> Arrival:
        arrival.refresh_from_db()
        return arrival

    with cut_off(address.port or 5432) as between:
        place = f"{address.netloc.rpartition(':')[0]}:{between.port}"
        through = urlunsplit(address._replace(netloc=place))
        with reader_of_files(log, DPGOV_DATABASE_URL=through, DPGOV_LEASE_SECONDS="120") as worker:
            reading = stop_while_it_reads(worker, lambda: now().rows_read)
            between.cut()
            until(lambda: b"the database is away while a file" in log.read_bytes(), end_of(log))
            between.restore()
            os.kill(reading, signal.SIGCONT)
            until(lambda: arrivals_round() >= 0 and not now().is_running, end_of(log))
            # Files go after the commit that ends the arrival.
            until(lambda: str(arrival.upload_id) not in files("uploads"), end_of(log))
    assert (arrival.state, arrival.attempts) == (Arrival.State.DONE, 1)
    assert Dataset.objects.count() == 1
    assert AuditEntry.objects.filter(action="DATASET_REGISTERED").count() == 1
    assert ledger_findings() == []
