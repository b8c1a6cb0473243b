"""A list of the API is a page or a refusal, whatever its address says of which page."""

from base64 import b64encode
from collections.abc import Callable

import pytest
from rest_framework.test import APIClient

from dpgov.tenants.models import Membership

pytestmark = pytest.mark.django_db
LISTS = ("/api/v1/queries/", "/api/v1/audit/entries/", "/api/v1/audit/checkpoints/")
NO_POSITIONS = ("p=x", "p=", f"p={'9' * 40}", "p=2026-01-01", "p=2026-01-01T00:00", "p=%00")
NO_PLACES = ("9" * 30, "-1", "x", "%00")


@pytest.mark.parametrize("address", LISTS)
@pytest.mark.parametrize("position", NO_POSITIONS)
def test_a_cursor_that_no_list_wrote_is_not_found(
    address: str, position: str, officer: Membership, api_for: Callable[[Membership], APIClient]
) -> None:
    cursor = b64encode(position.encode()).decode()
    refused = api_for(officer).get(address, {"cursor": cursor})
    assert refused.status_code == 404, refused.content


@pytest.mark.parametrize("place", NO_PLACES)
@pytest.mark.parametrize("which", ["limit", "offset"])
def test_a_number_that_no_list_has_is_a_page(
    which: str, place: str, officer: Membership, api_for: Callable[[Membership], APIClient]
) -> None:
    found = api_for(officer).get(f"/api/v1/datasets/?{which}={place}")
    assert found.status_code == 200
    assert found.json()["results"] == []
