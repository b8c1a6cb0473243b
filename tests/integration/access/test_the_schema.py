"""J2: whatever the schema allows, and what it forbids, the API answers as the schema says.

Schemathesis makes the requests, of things that are there: some fit the schema and some do not. Of
each operation fifty are tried; `-m long` tries a thousand.
"""

from collections.abc import Generator
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, transaction
from drf_spectacular.generators import SchemaGenerator
from hypothesis import HealthCheck, given, reject
from hypothesis.strategies import DrawFn, SearchStrategy, composite
from schemathesis import Case
from schemathesis.checks import not_a_server_error
from schemathesis.core.errors import UnsupportedSchema
from schemathesis.core.result import Ok
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from dpgov.tenants.models import ApiToken
from dpgov.wsgi import application
from tests.examples import examples
from tests.integration.access.world import World

EACH, MANY = 50, 1_000
# Who may use an operation: an officer reads the log, an analyst does everything else.
_OFFICERS = "/api/v1/audit/"
_CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


def _operations() -> dict[str, Any]:
    described = SchemaGenerator(api_version="v1").get_schema(request=None, public=True)
    schema = schemathesis.openapi.from_dict(described)
    schema.app = application
    readable = [_readable(each) for each in schema.get_all_operations()]
    return {operation.label: operation for operation in readable}


def _readable(operation: Any) -> Any:
    assert isinstance(operation, Ok), operation
    return operation.ok()


OPERATIONS = _operations()
# What stands in addresses: things that are there.
_NAMES = (
    *("slug", "query_id", "ready_made_id", "approval_id", "survey_id", "survey_code"),
    *("arrival_id", "joint_id"),
)


@pytest.fixture
def _no_rates(settings: Any) -> Generator[None]:
    """As many requests as there are, on the one connection of the test."""
    settings.DPGOV_RATE_PERSON = settings.DPGOV_RATE_ORGANISATION = 10**6
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.mark.django_db
@pytest.mark.usefixtures("_no_rates")
@pytest.mark.parametrize("label", OPERATIONS)
def test_the_api_answers_as_its_schema_says(label: str, world: World) -> None:
    _try(label, world, EACH)


@pytest.mark.long
@pytest.mark.django_db
@pytest.mark.usefixtures("_no_rates")
@pytest.mark.parametrize("label", OPERATIONS)
def test_the_api_answers_as_its_schema_says_however_often(label: str, world: World) -> None:
    _try(label, world, MANY)


def _try(label: str, world: World, times: int) -> None:
    operation = OPERATIONS[label]
    things = {name: str(thing) for name, thing in world.own.items()}
    path = {name: things[name] for name in _NAMES if f"{{{name}}}" in label}
    headers = _headers(world, "officer" if _OFFICERS in label else "analyst")
    fitting, other = (
        operation.as_strategy(generation_mode=mode, path_parameters=path) for mode in GenerationMode
    )

    @examples(times, suppress_health_check=list(HealthCheck), database=None)
    @given(case=_made(fitting | other))
    def each(case: "Case[Any]") -> None:
        with transaction.atomic():
            answer = case.call(headers=headers)
            transaction.set_rollback(True)
        case.validate_response(answer, checks=_CHECKS)

    each()


@composite
def _made(draw: DrawFn, cases: SearchStrategy["Case[Any]"]) -> "Case[Any]":
    """What the generator can make: of a choice of types it cannot write every opposite."""
    try:
        return draw(cases)
    except UnsupportedSchema:
        reject()


def _headers(world: World, actor: str) -> dict[str, str]:
    member = world.people[actor]
    _, value = ApiToken.objects.create(user=member.user, membership=member, name="schema")
    return {"Authorization": f"Token {value}", "Host": "localhost", "X-Forwarded-Proto": "https"}
