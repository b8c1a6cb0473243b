"""J2: moments at the ends of the calendar, in the addresses of lists."""

import pytest

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
