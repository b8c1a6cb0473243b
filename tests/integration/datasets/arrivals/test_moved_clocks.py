"""L14: the clock jumps while a file is read, and there is one dataset, with one budget."""

from datetime import timedelta

import pytest
from django.db.models import F

from dpgov.audit.models import AuditEntry
from dpgov.budgets.models import Budget
from dpgov.datasets.models import Arrival, Dataset
from dpgov.datasets.services.arrivals.taking import next_claim
from tests.eager import read_waiting
from tests.integration.datasets.arrivals.conftest import files, while_it_is_read

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("jump", [timedelta(hours=1), timedelta(days=1)], ids=["hour", "day"])
def test_a_clock_that_jumps_ahead_gives_the_file_to_another_reader_alone(
    asked: Arrival, monkeypatch: pytest.MonkeyPatch, jump: timedelta
) -> None:
    """L14: the first one finds its fence outdated; it registers nothing and leaves nothing."""
    finished: list[Arrival] = []

    def another() -> None:
        if not finished:
            finished.append(asked)
            assert next_claim() is None
            _move(-jump)
            assert read_waiting() == 1

    before = files("data")
    while_it_is_read(monkeypatch, another)
    assert read_waiting() == 1
    _one_dataset(asked, attempts=2, before=before)


def test_a_clock_that_is_set_back_leaves_the_file_to_its_reader(
    asked: Arrival, monkeypatch: pytest.MonkeyPatch
) -> None:
    """L14: the lease ends late; nobody else takes it before, and its reader goes on."""

    def another() -> None:
        _move(timedelta(days=1))
        assert next_claim() is None

    before = files("data")
    while_it_is_read(monkeypatch, another)
    assert read_waiting() == 1
    _one_dataset(asked, attempts=1, before=before)


def _move(seconds: timedelta) -> None:
    """A clock that moves one way is a lease that moves the other way."""
    held = Arrival.objects.filter(state=Arrival.State.READING)
    held.update(lease_until=F("lease_until") + seconds)


def _one_dataset(arrival: Arrival, *, attempts: int, before: set[str]) -> None:
    arrival.refresh_from_db()
    assert (arrival.state, arrival.attempts) == (Arrival.State.DONE, attempts)
    assert Dataset.objects.count() == Budget.objects.count() == 1
    assert AuditEntry.objects.filter(action="DATASET_REGISTERED").count() == 1
    (version,) = Dataset.objects.get().versions.all()
    assert files("data") - before == {f"{version.pk}.duckdb"}
