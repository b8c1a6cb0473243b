"""M75: what reads files of several versions or organisations, where none of them ever was."""

from collections.abc import Callable
from typing import Any

import pytest

from dpgov.datasets import storage
from dpgov.datasets.models import Arrival, Dataset
from dpgov.datasets.selectors import current_version
from dpgov.datasets.services.derived import making
from dpgov.datasets.store import objects as in_objects
from dpgov.datasets.store import store
from dpgov.datasets.store.base import Mark
from dpgov.engines import child
from dpgov.joint.services import answer_for, joint_round
from dpgov.queries.models import Query
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.models import Membership
from tests.cast import publish_now
from tests.eager import read_waiting
from tests.integration.datasets.derived.conftest import derive_here
from tests.integration.datasets.derived.family import asked, parents
from tests.integration.datasets.filing import ask
from tests.integration.datasets.store.conftest import Machine, answered, unreachable
from tests.integration.joint.made import PRICE, Side, all_joined, query_of, three
from tests.servers.objects import ObjectServer

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def two(
    owner: Membership, objects: ObjectServer, on: Machine, monkeypatch: pytest.MonkeyPatch
) -> tuple[Dataset, Dataset]:
    """Two datasets in one shared budget, registered on the machine "first"."""
    monkeypatch.setattr(making, "await_moment", lambda *_: None)
    monkeypatch.setattr(child, "derive", derive_here)
    on("first")
    return parents(owner)


def _made(arrival: Arrival) -> Dataset:
    read_waiting()
    arrival.refresh_from_db()
    assert arrival.dataset is not None, arrival.outcome
    return arrival.dataset


def _files() -> set[str]:
    return {path.name for _, path in storage.data_files()}


def test_a_dataset_is_derived_and_asked_where_no_file_of_its_parents_was(
    owner: Membership,
    analyst: Membership,
    two: tuple[Dataset, Dataset],
    objects: ObjectServer,
    on: Machine,
) -> None:
    """M75: the reader brings both, and the worker the derived one alone."""
    on("reader")
    assert _files() == set()
    made = _made(asked(owner))
    versions = [current_version(one).pk for one in (*two, made)]
    assert _files() == {f"{pk}.duckdb" for pk in versions}
    assert (len(objects.names()), objects.names("arriving")) == (3, [])
    on("worker")
    query = ask(analyst, made)
    assert answered()
    publish_now()
    query.refresh_from_db()
    assert (query.state, query.attempts) == (Query.State.RELEASED, 1)
    assert _files() == {f"{versions[-1]}.duckdb"}


def test_nothing_is_derived_while_the_storage_of_its_parents_is_away(
    owner: Membership, two: tuple[Dataset, Dataset], on: Machine, settings: Any
) -> None:
    """M75, M52: no attempt is spent on what one machine lacks; it is made once storage is back."""
    on("reader")
    arrival = asked(owner)
    with unreachable(settings):
        read_waiting()
    arrival.refresh_from_db()
    assert (arrival.state, arrival.attempts) == (Arrival.State.WAITING, 0)
    assert _made(arrival).is_derived


def test_a_file_that_waits_for_its_moment_is_marked_anew(
    owner: Membership,
    two: tuple[Dataset, Dataset],
    objects: ObjectServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """M75: a mark that is an hour old is that of a file which nobody is going to record."""
    marks = []

    def waits(_began: float, _rows: int, _columns: int, look: Callable[[], object]) -> None:
        (name,) = objects.names("arriving")
        store().unmark(name, Mark.ARRIVING)
        look()
        marks.append((name, *objects.names("arriving")))

    monkeypatch.setattr(in_objects, "_MARK_SECONDS", -1.0)
    monkeypatch.setattr(making, "await_moment", waits)
    _made(asked(owner))
    ((before, after),) = marks
    assert after == before
    assert objects.names("arriving") == []


def test_parents_that_fit_into_no_bound_together_leave_nothing_behind(
    owner: Membership,
    two: tuple[Dataset, Dataset],
    objects: ObjectServer,
    on: Machine,
    settings: Any,
) -> None:
    """M75, M54: neither takes the other's place while both are read; nobody is told why."""
    size = max(path.stat().st_size for _, path in storage.data_files())
    on("reader")
    settings.DPGOV_STORE_CACHE_BYTES = size + size // 2
    arrival = asked(owner)
    read_waiting()
    arrival.refresh_from_db()
    assert arrival.dataset is None
    assert (len(objects.names()), objects.names("arriving")) == (2, [])
    assert len(_files()) == 1


def _round(sides: list[Side], on: Machine) -> None:
    for one in sides:
        on(f"worker of {one.tenant.slug}")
        answer_for(one.tenant.pk)
    joint_round()


def test_organisations_answer_together_each_on_a_machine_of_its_own(
    objects: ObjectServer, on: Machine, settings: Any
) -> None:
    """M75: each worker brings its organisation's file, and no other; all are charged once."""
    on("first")
    sides = three()
    question = all_joined(sides)
    _round(sides, on)
    with unreachable(settings):
        _round(sides, on)
    assert {query_of(one, question).state for one in sides} == {Query.State.RUNNING}
    _round(sides, on)
    publish_now()
    for one in sides:
        assert query_of(one, question).state == Query.State.RELEASED
        assert one.spent == (PRICE, 0)
        on(f"worker of {one.tenant.slug}")
        with acting_for(one.tenant.pk):
            (mine,) = Query.objects.filter(tenant=one.tenant).values_list("version", flat=True)
        assert _files() == {f"{mine}.duckdb"}
