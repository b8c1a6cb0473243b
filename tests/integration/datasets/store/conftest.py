"""Storage that machines share, and machines that have nothing in common but it and the database."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from dpgov.budgets.models import Budget
from dpgov.configuration.store import store_settings
from dpgov.datasets import storage
from dpgov.datasets.models import Dataset
from dpgov.datasets.services import change_unit_bounds
from dpgov.queries.answering import answer
from dpgov.queries.answering.answer import answer_next
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from tests.integration.datasets.filing import as_file, columns, people, registered, uploaded
from tests.integration.datasets.quick import read_here
from tests.servers.objects import ObjectServer, throw_away_objects
from tests.servers.variables import variables
from tests.servers.waiting import PATIENCE, until
from tests.small_dataset import register_small_dataset

Machine = Callable[[str], None]
Asking = Callable[..., Query]
FIRST = as_file(people(*[("North",)] * 12))
SPECS = columns()


@pytest.fixture(scope="session")
def _object_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ObjectServer]:
    with throw_away_objects(tmp_path_factory.mktemp("objects")) as server:
        yield server


@pytest.fixture
def objects(_object_server: ObjectServer, settings: Any) -> Iterator[ObjectServer]:
    """Empty storage, which this process uses."""
    _object_server.empty()
    settings.DPGOV_STORE = store_settings(variables(_object_server.variables()))
    settings.DPGOV_STORE_CACHE_BYTES = 100_000_000
    answer._until.clear()
    yield _object_server
    answer._until.clear()


@pytest.fixture
def on(settings: Any, tmp_path: Path) -> Machine:
    """Go to another machine, by a name: one with a state folder of its own."""

    def go(name: str) -> None:
        settings.DPGOV_HOME = tmp_path / name
        answer._until.clear()

    return go


@contextmanager
def unreachable(settings: Any) -> Iterator[None]:
    """The storage does not answer: nobody listens where it was."""
    before = settings.DPGOV_STORE
    settings.DPGOV_STORE = {**before, "endpoint": "127.0.0.1:9"}
    try:
        yield
    finally:
        settings.DPGOV_STORE = before


@pytest.fixture
def dataset(objects: ObjectServer, on: Machine, owner: Membership) -> Dataset:
    """Registered on the machine "first"."""
    on("first")
    return register_small_dataset(owner, name="Visits")


def path_of(dataset: Dataset) -> Path:
    return storage.data_path(dataset.versions.get().pk)


def answered() -> bool:
    """Look like a worker, once more when a file has come that was not here."""
    came = threading.Event()
    return answer_next(came.set) or (came.wait(PATIENCE) and answer_next())


def refused(query: Query) -> None:
    """Nothing is answered, charged or lost."""
    failed = storage.away_path(query.version_id)
    failed.unlink(missing_ok=True)
    assert not answer_next()
    until(failed.exists, "nothing says that the file could not be fetched")
    query.refresh_from_db()
    assert (query.state, query.attempts) == (Query.State.QUEUED, 0)
    assert Budget.objects.get(pk=query.dataset.budget_id).spent_nano == 0
    assert not storage.data_path(query.version_id).exists()


@pytest.fixture
def filed(owner: Membership, objects: ObjectServer, on: Machine, settings: Any) -> Dataset:
    """Two versions over one file and an upload, made before storage was declared."""
    on("first")
    declared, settings.DPGOV_STORE = settings.DPGOV_STORE, None
    with read_here():
        dataset = registered(owner, FIRST, SPECS)
        change_unit_bounds(dataset=dataset, max_rows=2, max_groups=None, user=owner.user)
        uploaded(owner, FIRST)
    settings.DPGOV_STORE = declared
    return Dataset.objects.get()
