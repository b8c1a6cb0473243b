"""J2: every error of the API has its one form, also where there is nothing at an address."""

import pytest
from django.test import Client

from tests.integration.access.routes import Kind
from tests.integration.access.world import World

pytestmark = pytest.mark.django_db
NOTHING = ["/api/v1/nothing/", "/api/v1/queries/not-a-uuid/", "/api/v2/queries/", "/api/"]
QUERIES = "/api/v1/datasets/visits/queries"


@pytest.mark.parametrize("address", NOTHING)
@pytest.mark.parametrize("method", ["GET", "POST", "PATCH", "DELETE"])
def test_where_nothing_is_the_api_says_so_in_its_form(
    world: World, address: str, method: str
) -> None:
    """And to who shows no token, that it is a token that is missing."""
    answer = world.client("analyst", Kind.API).generic(method, address)
    (error,) = answer.json()["errors"]
    assert (answer.status_code, error["code"], error["attr"]) == (404, "not_found", None)
    answer = Client().generic(method, address)
    (error,) = answer.json()["errors"]
    assert (answer.status_code, error["code"]) == (401, "not_authenticated")


def test_a_page_that_there_is_not_is_still_a_page(world: World) -> None:
    answer = world.browser("analyst").get("/nothing/")
    assert answer.status_code == 404
    assert answer["Content-Type"].startswith("text/html")


def test_what_is_read_without_the_slash_is_led_to_it_and_what_is_written_is_not(
    world: World,
) -> None:
    """Who is led elsewhere sends GET there: the write would be lost, and look like a success."""
    client = world.client("analyst", Kind.API)
    read = client.get("/api/v1/queries")
    assert (read.status_code, read["Location"]) == (301, "/api/v1/queries/")
    assert Client().get("/api/v1/queries").status_code == 301
    assert Client().get("/api/v1/nothing").status_code == 404
    for method in ("POST", "PATCH", "PUT"):
        written = client.generic(method, QUERIES, "{}", "application/json")
        assert written.status_code == 404
        assert "end with a slash" in written.json()["errors"][0]["detail"]
