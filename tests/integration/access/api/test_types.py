"""J2: whatever type the schema names for an answer can be asked for."""

import pytest

from tests.integration.access.api.described import operations
from tests.integration.access.world import World

pytestmark = pytest.mark.django_db


def test_every_described_media_type_can_be_asked_for(world: World) -> None:
    """A file is there for who asks for its own type, and its refusals are JSON all the same."""
    types = [
        (name, media_type)
        for name, one in operations().items()
        for media_type in one.described["responses"].get("200", {}).get("content", ())
        if one.method == "GET"
    ]
    assert {"text/csv", "application/vnd.apache.parquet"} <= {kind for _, kind in types}
    for name, media_type in types:
        one = operations()[name]
        for address in (one.address(world), one.address(world) + "?rows=none&file=none"):
            answer = one.client(world).get(address, HTTP_ACCEPT=media_type)
            assert answer.status_code != 406, (name, media_type)
            if answer.status_code >= 400:
                assert answer["Content-Type"] == "application/json", (name, media_type)


def test_a_type_that_a_file_has_not_is_still_refused(world: World) -> None:
    rows = operations()["read_mock_rows"]
    answer = rows.client(world).get(rows.address(world), HTTP_ACCEPT="image/png")
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (406, "not_acceptable")
