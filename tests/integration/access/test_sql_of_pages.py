"""E11: no page asks the database more than twelve times, however much lies on it."""

from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tests.cast import Ask
from tests.integration.access.doors import DOORS
from tests.integration.access.much import much_of_everything
from tests.integration.access.routes import ROLES, Kind, all_routes
from tests.integration.access.world import World

MOST = 12
# Surveys are of a room of their own, and so is their statement, on an owner's Home and in a month;
# patterns among the last questions are looked for once an hour, in four, on an officer's Home. What
# of the log is in files is said by the log of those files. Requests about held datasets are for the
# owner of each, whose datasets are asked for beside a shared budget.
_MORE = {
    "dashboards:home": 15,
    "dashboards:portfolio": 13,
    "limits:shared_budget": 14,
    "oversight:audit_log": 13,
    "oversight:month": 13,
    "oversight:month_csv": 13,
    "oversight:month_report": 13,
}
PAGES = [
    route
    for route in all_routes()
    if (door := DOORS.get(route.name)) and door.kind is Kind.PAGE and "GET" in door.methods
]
# Marks of a transaction are no questions.
_MARKS = ("SAVEPOINT", "RELEASE SAVEPOINT", "ROLLBACK TO SAVEPOINT", "BEGIN", "COMMIT")


@pytest.mark.django_db
def test_no_page_asks_the_database_more_than_twelve_times(
    world: World, ask: Ask, answer_all: Callable[[], int]
) -> None:
    """E11: every page, as everybody who may open it, with several of everything on it."""
    much_of_everything(world, ask, answer_all)
    asked = {
        (route.name, role): _statements(world, world.url(route, role, "own"), role)
        for route in PAGES
        for role in ROLES
        if role in DOORS[route.name].roles - DOORS[route.name].hidden_from
    }
    numbers = {page: len(sql) for page, sql in asked.items()}
    assert {page: n for page, n in numbers.items() if n > _MORE.get(page[0], MOST)} == {}
    by_price = reverse("dashboards:history") + "?sort=cost_nano"
    assert len(_statements(world, by_price, "owner")) <= MOST
    assert len(asked) > len(PAGES)
    assert all(asked.values())


def _statements(world: World, url: str, role: str) -> list[str]:
    browser = world.browser(role)
    with CaptureQueriesContext(connection) as captured:
        response = browser.get(url)
        if response.streaming:
            b"".join(response)
    assert response.status_code in (200, 302), f"{url} answers {response.status_code} to {role}"
    return [one["sql"] for one in captured if not one["sql"].startswith(_MARKS)]
