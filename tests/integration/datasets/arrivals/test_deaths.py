"""B2, L13: a reader that dies anywhere leaves one dataset or none, and another one goes on."""

import itertools
import os
import signal
from collections.abc import Generator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from django.conf import settings
from django.http import QueryDict
from django.test import Client

from dpgov.audit.models import AuditEntry
from dpgov.budgets.findings import ledger_findings
from dpgov.budgets.models import Budget
from dpgov.datasets.declaration import Declaration
from dpgov.datasets.models import Arrival, Dataset, DatasetVersion
from dpgov.datasets.services import ask_registration, receive_upload
from dpgov.datasets.services.arrivals.reading import _Follower
from dpgov.datasets.tasks import read_next
from dpgov.engines import child
from dpgov.engines.child import Progress
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.plan.schema import DatasetSchema, Neighbouring, PrivacyUnit
from dpgov.tenants.models import Membership
from tests.eager import read_waiting
from tests.integration.children import Death, run
from tests.integration.datasets.arrivals.conftest import ask, files
from tests.read_once import files_are_read_once
from tests.servers.waiting import until
from tests.small_dataset import COLUMNS, csv_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.real_reader]
KILLED = -signal.SIGKILL


@pytest.fixture(autouse=True)
def leases_end_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "DPGOV_LEASE_SECONDS", 0)


@pytest.fixture(autouse=True)
def a_file_for_each_statement(monkeypatch: pytest.MonkeyPatch) -> None:
    """More than one person may hand in on a day."""
    monkeypatch.setattr(settings, "DPGOV_FILES_A_DAY_PERSON", 1_000)
    monkeypatch.setattr(settings, "DPGOV_FILES_A_DAY_ORGANISATION", 1_000)


@pytest.fixture
def quick() -> Generator[None]:
    """The same small file each time, whose reading was done once; it still tells how far it is."""
    with files_are_read_once():
        really = child.ingest

        def ingest(*args: Any, watch: Any, **kwargs: Any) -> Any:
            watch(Progress(1, 1))
            return really(*args, **kwargs)

        with patch.object(child, "ingest", ingest):
            yield


def _asked(owner: Membership) -> Arrival:
    content = csv_of(owner.tenant.slug).encode()
    upload = receive_upload(
        tenant=owner.tenant, uploader=owner.user, name="visits.csv", chunks=[content]
    )
    schema = DatasetSchema(COLUMNS, PrivacyUnit(), Neighbouring.ADD_REMOVE, 1, 1000)
    declaration = Declaration("Visits", "", schema, NANO, NANO)
    return ask_registration(
        owner=owner.user, upload=upload, declaration=declaration, typed=QueryDict()
    )


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("stride", [9, pytest.param(1, marks=pytest.mark.long)])
def test_a_reader_that_dies_at_any_statement_leaves_it_to_another(
    owner: Membership, stride: int
) -> None:
    """B2, L13: death before and after each statement; one dataset, one entry."""
    for count in itertools.count():
        arrival = _asked(owner)
        before = Dataset.objects.count()
        point = count * stride
        code = run(read_next, Death(statement=1 + point // 2, after=bool(point % 2)))
        assert code in (0, KILLED)
        assert Dataset.objects.count() - before in (0, 1)
        read_waiting()
        arrival.refresh_from_db()
        assert arrival.state == Arrival.State.DONE
        assert Dataset.objects.count() - before == 1
        if code == 0:
            break
    assert point >= 20
    assert ledger_findings() == []
    registered = AuditEntry.objects.filter(action="DATASET_REGISTERED")
    assert registered.count() == Dataset.objects.count() == count + 1
    kept = {f"{pk}.duckdb" for pk in DatasetVersion.objects.values_list("pk", flat=True)}
    assert kept <= files("data")
    assert not {name for name in files("data") if ".draft" in name}


def test_the_child_dies_with_its_reader(browser: Client) -> None:
    """L13, R4: nothing goes on alone, and what it wrote is cleared up by whoever comes next: the
    draft, and the folder of rows that are put aside by their persons.
    """
    content = b"age,sex,city\n" + b"30,f,Basel\n" * 3_000_000
    of_people = {"unit": "person", "private_id": "city", "max_rows_per_unit": "2"}
    arrival = ask(browser, content, max_rows="5000000", **of_people)
    assert run(_die_while_it_is_read) == KILLED
    child = int(_note().read_text())
    until(lambda: not _runs(child), "it goes on alone")
    arrival.refresh_from_db()
    assert arrival.state == Arrival.State.READING
    left = str(arrival.version_id)
    assert f"{left}.duckdb.draft.aside" in files("data")
    read_waiting()
    arrival.refresh_from_db()
    assert (arrival.state, arrival.attempts) == (Arrival.State.DONE, 2)
    assert not {name for name in files("data") if name.startswith(left)}
    assert Budget.objects.count() == 1


def _note() -> Path:
    return Path(settings.DPGOV_HOME) / "child"


def _die_while_it_is_read() -> None:
    """Once the child has read its first rows."""

    def look(_: object, progress: Progress) -> None:
        if progress.rows:
            children = Path(f"/proc/self/task/{os.getpid()}/children").read_text()
            _note().write_text(children.split()[-1])
            os.kill(os.getpid(), signal.SIGKILL)

    with patch.object(_Follower, "look", look):
        read_next()


def _runs(pid: int) -> bool:
    """Neither gone, nor dead and not yet waited for."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
