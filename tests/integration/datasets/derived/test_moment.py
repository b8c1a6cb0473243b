"""M65: when a derived dataset is there, and which ones can be made, follows from declared numbers.

Whoever derives may have written one of the files: how long it takes, or whether it fails, would
say of somebody in the other one that they are there.
"""

import time

import pytest
from django.conf import settings

from dpgov.datasets.models import Arrival, Dataset
from dpgov.datasets.services.derived import making, moments
from dpgov.engines.deriving import most_rows_within
from dpgov.privacy.plan.schema import InvalidDomain
from dpgov.tenants.models import Membership
from tests.integration.datasets.derived.family import asked, derived, parents

Pair = tuple[Dataset, Dataset]


def test_its_moment_follows_from_declared_numbers(
    owner: Membership, visits_and_costs: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    """M65: as long for two files that share nobody; work that is late takes the next class."""
    bounds = []
    monkeypatch.setattr(making, "await_moment", lambda _, *public: bounds.append(public[:2]))
    derived(owner)
    assert bounds == [(100 + 100 + 200, 3)]
    rows = (0, 400, 2_000_000, 20_000_000)
    assert [moments.class_of(each, 3) for each in rows] == [2, 2, 4, 64]
    assert [moments.class_of(210_000, columns) for columns in (3, 301)] == [2, 16]
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(time, "sleep", lambda seconds: now.append(now.pop() + seconds))
    for worked, due in ((0.0, 2.0), (1.9, 2.0), (3.0, 4.0), (4.1, 8.0)):
        now[:] = [worked]
        moments.await_moment(0.0, 400, 3, lambda: None)
        assert now[0] == pytest.approx(due)


@pytest.mark.parametrize("memory", [2_048_000_000, 400_000_000_000])
def test_what_no_reader_has_time_or_memory_for_is_refused_when_it_is_asked_for(
    owner: Membership, memory: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """M65: by declared bounds; it would be stopped at each attempt, as if it were at fault."""
    monkeypatch.setattr(settings, "DPGOV_INGEST_MEMORY_BYTES", memory)
    most = moments.most_rows_at_all(3)
    in_memory = most_rows_within(memory, 3)
    assert most == in_memory or moments.class_of(most + 1, 3) > settings.DPGOV_DERIVING_SECONDS
    assert moments.class_of(most, 3) < settings.DPGOV_DERIVING_SECONDS
    # Of the costs 100, and of each of these at most one or two joined rows.
    parents(owner, max_rows=most - 299)
    with pytest.raises(InvalidDomain, match="Keep fewer joined rows of a person") as refusal:
        asked(owner)
    assert refusal.value.field == "rows_of_unit"
    assert asked(owner, rows_of_unit=1).state == Arrival.State.WAITING
