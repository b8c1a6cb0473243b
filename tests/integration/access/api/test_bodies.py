"""J2: what the API does with bodies that say more than it hears."""

import json
from typing import Any

import pytest

from tests.integration.access.api.described import operations
from tests.integration.access.world import World, undone

pytestmark = pytest.mark.django_db
WITH_BODY = sorted(n for n, one in operations().items() if "requestBody" in one.described)


def test_every_body_with_a_field_that_there_is_not_is_refused_at_that_field(world: World) -> None:
    """A word that is written otherwise must not leave open what it would have protected."""
    assert len(WITH_BODY) > 15
    for name in WITH_BODY:
        with undone(world):
            answer = _send(world, name, json.dumps({"no_such_field": 1}))
            errors = answer.json()["errors"]
            assert answer.status_code == 400, name
            assert any("no_such_field" in f"{e['attr']} {e['detail']}" for e in errors), name


def _send(world: World, name: str, body: str, **more: Any) -> Any:
    operation = operations()[name]
    client, address = operation.client(world), operation.address(world)
    headers = {"HTTP_IDEMPOTENCY_KEY": "k-1", **more}
    return client.generic(operation.method, address, body, "application/json", **headers)
