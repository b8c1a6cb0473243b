"""J2: moments at the ends of the calendar, in the addresses of lists."""

from datetime import UTC, datetime
from typing import Any

import pytest

from dpgov.operation.moments import MomentField
from tests.integration.access.world import World

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("name", ["submitted_after", "submitted_before"])
@pytest.mark.parametrize("moment", ["9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00%2B14:00"])
def test_a_moment_at_the_end_of_the_calendar_is_refused_at_its_name(
    world: World, name: str, moment: str
) -> None:
    """In UTC there is no such moment."""
    answer = world.api("analyst").get(f"/api/v1/queries/?{name}={moment}")
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["attr"] == name


@pytest.mark.parametrize(
    ("zone", "moment"),
    [
        ("Europe/Berlin", "0001-01-01"),
        ("Europe/Berlin", "0001-01-01T00:00:00"),
        ("America/New_York", "9999-12-31T23:59:59"),
        ("UTC", "9999-12-31T23:59:59-14:00"),
    ],
)
@pytest.mark.parametrize(
    ("address", "names"),
    [
        ("/api/v1/queries/", ("submitted_after", "submitted_before")),
        ("/api/v1/audit/entries/", ("since", "until")),
    ],
)
def test_it_is_refused_wherever_the_pages_are_read(
    world: World, settings: Any, zone: str, moment: str, address: str, names: tuple[str, str]
) -> None:
    """J2: without an offset a moment is one of the pages' zone, which may end before UTC does."""
    settings.TIME_ZONE = zone
    for name in names:
        answer = world.api("officer").get(address, {name: moment})
        (error,) = answer.json()["errors"]
        assert (answer.status_code, error["code"], error["attr"]) == (400, "invalid", name)


def test_a_day_alone_begins_where_the_pages_are_read(world: World, settings: Any) -> None:
    """J2: as in the search of the log's page, to the second."""
    settings.TIME_ZONE = "Europe/Berlin"
    for moment in ("2026-11-21", "2026-11-21T00:00", "2026-11-20T23:00:00Z"):
        field = MomentField()
        assert field.run_validation(moment) == datetime(2026, 11, 20, 23, tzinfo=UTC), moment
