"""J2: what the API does with bodies that say more than it hears, or not how long they are."""

import json
from typing import Any

import pytest

from tests.integration.access.api.described import operations
from tests.integration.access.routes import Kind
from tests.integration.access.world import World, undone

pytestmark = pytest.mark.django_db
WITH_BODY = sorted(n for n, one in operations().items() if "requestBody" in one.described)
# Those that need no body, too.
WRITING = sorted(n for n, one in operations().items() if one.method in {"POST", "PATCH"})
_CHUNKED = {"Transfer-Encoding": "chunked"}


def test_every_body_with_a_field_that_there_is_not_is_refused_at_that_field(world: World) -> None:
    """A word that is written otherwise must not leave open what it would have protected."""
    assert set(WRITING) > set(WITH_BODY)
    assert len(WITH_BODY) > 15
    for name in WRITING:
        with undone(world):
            answer = _send(world, name, json.dumps({"no_such_field": 1}))
            errors = answer.json()["errors"]
            assert answer.status_code == 400, name
            assert any("no_such_field" in f"{e['attr']} {e['detail']}" for e in errors), name


@pytest.mark.parametrize("body", ['[{"dry_run": true}]', "[]", "null", "7", '"dry_run"'])
def test_a_body_that_is_no_object_is_refused_everywhere(world: World, body: str) -> None:
    """J2: a list around what would have protected something does not make it unheard."""
    for name in WRITING:
        with undone(world):
            answer = _send(world, name, body)
            assert answer.status_code == 400, name
            if name not in WITH_BODY and body != "null":
                assert "Expected a dictionary" in answer.json()["errors"][0]["detail"], name


def test_what_needs_no_body_takes_none_and_an_empty_object(world: World) -> None:
    """J2"""
    for name in set(WRITING) - set(WITH_BODY):
        for body in ("", "{}"):
            with undone(world):
                assert _send(world, name, body).status_code != 400, name


def test_a_body_in_chunks_is_refused_and_not_taken_for_an_empty_one(world: World) -> None:
    """It would change nothing, and the answer would be that of success."""
    for name in WITH_BODY:
        answer = _send(world, name, "", **_CHUNKED)
        (error,) = answer.json()["errors"]
        assert (answer.status_code, error["code"]) == (411, "length_required"), name


@pytest.mark.parametrize(
    "content_type", ["multipart/form-data; boundary=x", "application/x-www-form-urlencoded"]
)
def test_a_page_says_that_a_form_in_chunks_could_not_be_read(
    world: World, content_type: str
) -> None:
    """A file that is uploaded is one, too: no browser sends it without its length."""
    browser = world.client("owner", Kind.PAGE)
    answer = browser.generic("POST", "/datasets/new/", "", content_type, headers=_CHUNKED)
    assert answer.status_code == 411
    assert "could not be read" in answer.content.decode()


def _send(world: World, name: str, body: str, **more: Any) -> Any:
    operation = operations()[name]
    client, address = operation.client(world), operation.address(world)
    headers = {"Idempotency-Key": "k-1", **more}
    return client.generic(operation.method, address, body, "application/json", headers=headers)
