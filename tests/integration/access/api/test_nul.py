"""J2: NUL in what programs send: refused at its place like any other text that is none."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.urls import reverse

from dpgov.audit.actions import Action
from tests.integration.access.api.described import operations
from tests.integration.access.bodies import BATCH, PLAN
from tests.integration.access.doors import DOORS
from tests.integration.access.world import World, undone
from tests.integration.access.writes import WRITES, Write

pytestmark = pytest.mark.django_db
NUL = "a\0b"
# Of those that store nothing, and so have no good call in WRITES; else a plan.
BODIES: dict[str, Any] = {
    "v1:batch-quote": BATCH,
    "v1:joint-code": {"code": "abcd"},
    "v1:sql": {"sql": "SELECT COUNT(*) FROM visits", "epsilon": 0.1},
    "v1:survey-answer": {"token": "0" * 32, "report": "0"},
}


def test_no_parameter_falls_over_it(world: World) -> None:
    """J2: each that is described."""
    for name, one in operations().items():
        for parameter in one.described.get("parameters", ()):
            if one.method == "GET" and parameter["in"] == "query":
                answer = one.client(world).get(one.address(world), {parameter["name"]: NUL})
                assert answer.status_code < 500, (name, parameter["name"])


@pytest.mark.parametrize("name", sorted(n for n in WRITES if n.startswith("v1:")))
def test_no_body_falls_over_it(name: str, world: World) -> None:
    """J2: in JSON it is spelled; in place of each part, and as a name."""
    write = WRITES[name]
    if not isinstance(write, Write):
        actor, body = min(DOORS[name].roles), BODIES.get(name, PLAN)
        write = Write(actor, Action.QUERY_SUBMITTED, lambda: body)
    known = {**world.own, **write.before(world)}
    url = reverse(name, kwargs={part: known[part] for part in world.route(name).parameters})
    method = "PATCH" if "PATCH" in DOORS[name].methods else "POST"
    client = world.api(write.actor)
    for wrong in _with_nul(write.body()):
        sent = json.dumps(wrong, default=str), "application/json"
        with undone(world):
            answer = client.generic(method, url, *sent, HTTP_IDEMPOTENCY_KEY="k-1")
        assert answer.status_code < 500, wrong


def _with_nul(part: Any) -> Iterator[Any]:
    """The same body, with NUL in place of one thing in it, or as one more name."""
    yield NUL
    if isinstance(part, dict):
        yield {**part, NUL: 1}
        for key, value in part.items():
            yield from ({**part, key: other} for other in _with_nul(value))
    elif isinstance(part, list):
        for place, value in enumerate(part):
            yield from ([*part[:place], other, *part[place + 1 :]] for other in _with_nul(value))
