"""M55: web server, reader and worker on machines that share the database, the broker and storage.

Each is a process with a state folder of its own. The storage is an S3 server in Python.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as live
from django.db import connection
from django.test import Client

from dpgov.budgets.findings import ledger_findings
from dpgov.datasets.models import Arrival, Dataset
from dpgov.datasets.services import delete_data
from dpgov.datasets.services.upkeep import archive_dataset
from dpgov.datasets.tasks import arrivals_round
from dpgov.queries.answering.sweep import sweep
from dpgov.queries.asking.submit import submit
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from tests.cast import COUNT, publish_now
from tests.integration.datasets.registering import declared, uploaded
from tests.integration.datasets.store.conftest import Machine
from tests.integration.queries.answering.workers import prefork_fleet, reader_of_files, solo_fleet
from tests.servers.keys import fingerprint_key_here
from tests.servers.objects import ObjectServer
from tests.servers.waiting import end_of, until

pytestmark = pytest.mark.django_db(transaction=True)
ROWS = b"age,sex,city\n" + b"30,f,Basel\n45,m,Bern\n" * 400


def _machine(home: Path, objects: ObjectServer) -> dict[str, str]:
    """The variables of a process there: the keys of the installation, and nothing of its files."""
    ours = Path(os.environ["DPGOV_HOME"])
    home.mkdir(mode=0o700)
    if connection.vendor == "sqlite":
        # The embedded broker is a folder; here it stands for a server.
        for name in ("broker", "broker-control"):
            (home / name).symlink_to(ours / name)
    return {
        **objects.variables(),
        "DPGOV_HOME": str(home),
        "DPGOV_SECRET_KEY": live.SECRET_KEY,
        "DPGOV_FINGERPRINT_KEY": fingerprint_key_here(ours),
    }


def _files(home: Path, folder: str) -> list[str]:
    found = (home / folder).iterdir() if (home / folder).is_dir() else ()
    return sorted(path.name for path in found)


def _asked(analyst: Membership, dataset: Dataset) -> Query:
    plan = {
        "dataset": dataset.slug,
        "statistics": list(COUNT),
        "where": [],
        "group_by": [],
        "epsilon": 0.5,
    }
    return submit(membership=analyst, dataset=dataset, raw_plan=plan, idempotency_key="once").query


def test_a_file_is_uploaded_read_asked_and_deleted_on_four_machines(
    owner: Membership,
    analyst: Membership,
    client_for: Callable[[Membership], Client],
    objects: ObjectServer,
    on: Machine,
    settings: Any,
    tmp_path: Path,
) -> None:
    """M55, M53, M56: one answer, one charge, and no copy is left a few seconds after deletion."""
    on("web")
    browser, log = client_for(owner), tmp_path / "reader.log"
    upload = uploaded(browser, ROWS)
    assert browser.post(f"/datasets/new/{upload.pk}/", declared()).status_code == 302
    reader, worker = tmp_path / "reader", tmp_path / "worker"
    with reader_of_files(log, **_machine(reader, objects)):
        until(
            lambda: arrivals_round() >= 0 and Arrival.objects.get().state == Arrival.State.DONE,
            end_of(log),
        )
        until(lambda: _files(reader, "uploads") == [], end_of(log))
    dataset = Dataset.objects.select_related("budget").get()
    query, log = _asked(analyst, dataset), tmp_path / "worker.log"
    fleet = prefork_fleet if connection.vendor == "postgresql" else solo_fleet

    def is_answered() -> bool:
        Query.objects.update(send_after=None)
        sweep()
        publish_now()
        query.refresh_from_db()
        return query.state == Query.State.RELEASED

    with fleet(log, **_machine(worker, objects)):
        until(is_answered, end_of(log))
        copy = f"{query.version_id}.duckdb"
        assert _files(worker, "data") == [copy]
        assert query.attempts == 1
        assert ledger_findings() == []
        on("officer")
        archive_dataset(dataset=dataset, user=owner.user)
        delete_data(dataset=dataset, user=owner.user)
        assert objects.names() == []
        until(lambda: copy not in _files(worker, "data"), end_of(log))
