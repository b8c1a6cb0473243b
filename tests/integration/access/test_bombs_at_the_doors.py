"""L10: bodies that are too deep, too long or no text at all, at every door that reads one."""

import json

import pytest
from django.conf import settings
from django.db import transaction
from django.urls import reverse

from dpgov.queries.models import Query
from tests.integration.access.doors import DOORS
from tests.integration.access.routes import Kind, Route, all_routes
from tests.integration.access.world import World

READING = [route for route in all_routes() if DOORS[route.name].kind in (Kind.PAGE, Kind.API)]
_DEEP_PLAN = f'{{"statistics":[{{"statistic":"count"}}],"epsilon":1,"where":{"[" * 45}{"]" * 45}}}'
BODIES = {
    "arrays": b"[" * 5_000,
    "objects": b'{"a":' * 5_000,
    "deep filters": _DEEP_PLAN.encode(),
    "half a character": b'{"sql":"\\ud800"}',
    "no text": bytes(range(256)),
    "a list": b"[]",
    "nothing": b"null",
    "NUL": b'{"sql":"\\u0000","name":"\\u0000"}',
    "brackets of SQL": json.dumps(
        {"sql": f"SELECT COUNT(*) FROM v WHERE {'(' * 46}a>1{')' * 46} WITH EPSILON 1"}
    ).encode(),
    "numbers": b'{"epsilon":1e99999,"statistics":[{"statistic":"count"}]}',
}
_FORM = "application/x-www-form-urlencoded"
_TOO_LONG = b"a=" + b"1" * settings.DATA_UPLOAD_MAX_MEMORY_SIZE


def _content_type(route: Route) -> str:
    return "application/json" if DOORS[route.name].kind is Kind.API else _FORM


def _post(world: World, route: Route, body: bytes, content_type: str) -> int:
    """The status for somebody who may use the door; whatever it changed is undone."""
    door = DOORS[route.name]
    actor = min(door.roles)
    with transaction.atomic():
        url = world.url(route, actor, "own")
        answer = world.client(actor, door.kind).generic("POST", url, body, content_type)
        transaction.set_rollback(True)
    return answer.status_code


@pytest.mark.django_db
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_no_body_makes_a_door_fall_over(world: World, body: bytes) -> None:
    answers = {route.name: _post(world, route, body, _content_type(route)) for route in READING}
    assert {name: status for name, status in answers.items() if status >= 500} == {}
    assert Query.objects.count() == 2


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["v1:query-submit", "v1:sql", "queries:ask_sql", "queries:quote"])
def test_a_body_over_the_limit_is_answered_413(name: str, world: World) -> None:
    route = world.route(name)
    assert _post(world, route, _TOO_LONG, _content_type(route)) == 413


@pytest.mark.django_db
def test_the_api_says_in_its_own_form_that_a_body_is_too_large(world: World) -> None:
    client = world.client("analyst", Kind.API)
    path = reverse("v1:sql", args=[world.own["slug"]])
    answer = client.generic("POST", path, _TOO_LONG, "application/json")
    assert answer.json()["errors"][0]["code"] == "request_too_large"


@pytest.mark.django_db
def test_a_page_says_that_nothing_was_done_with_a_body_that_is_too_large(world: World) -> None:
    path = reverse("queries:ask_sql", args=[world.own["slug"]])
    answer = world.client("analyst", Kind.PAGE).generic("POST", path, _TOO_LONG, _FORM)
    assert "nothing was done" in answer.content.decode()
