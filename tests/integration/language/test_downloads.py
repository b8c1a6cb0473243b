"""A file that is taken along is the same in every language, byte by byte."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.conf import settings
from django.db import transaction
from django.urls import reverse
from rest_framework.test import APIClient

from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from tests.integration.access.doors import DOORS
from tests.integration.access.routes import Kind, Route
from tests.integration.access.world import World
from tests.integration.oversight.test_record import TYPED
from tests.integration.queries.asking.test_adaptive_sets import ROUNDS
from tests.integration.queries.asking.test_table_sets import send
from tests.integration.queries.web.test_regression_page import asked
from tests.made_once import made_once

pytestmark = pytest.mark.django_db
ENGLISH, GERMAN = "en-gb", "de"
FORMATS = ("csv", "json", "parquet", "txt", "yaml", "jsonl")
# Not compared by people, and in the way of its reader: parted as their spreadsheet parts cells.
FILLED_IN = {"datasets:column_template"}
# A moment, and what an entry of the log that was made at it is hashed to.
DATED = re.compile(rb"\d{4}-\d\d-\d\d[T ][\d:.]+(?:Z|\+00:00)?|[0-9a-f]{64}|[\w+/-]{43}=")


@made_once
def answered(
    world: World,
    analyst: Membership,
    ask: Callable[..., Query],
    api_for: Callable[[Membership], APIClient],
    answer_all: Callable[[], int],
) -> list[Any]:
    """Questions whose files hold more than a count: groups, coefficients, tables in rounds."""
    grouped = ask(analyst, group_by=({"column": "sex", "categories": ["Female", "Male"]},))
    fitted = ask(analyst, statistics=(asked("sex"),), epsilon=2)
    (chosen,) = send(api_for(analyst), ROUNDS).json()["queries"]
    answer_all()
    return [world.own["query_id"], grouped.pk, fitted.pk, chosen["id"]]


def test_every_file_has_the_same_bytes_for_every_reader(world: World, answered: list[Any]) -> None:
    files = {language: dict(_files(world, answered, language)) for language in (ENGLISH, GERMAN)}
    kinds = {name.partition(" ")[0] for name in files[ENGLISH]}
    assert {
        name for name, file in files[ENGLISH].items() if files[GERMAN].get(name) != file
    } == set()
    assert files[ENGLISH].keys() == files[GERMAN].keys()
    assert kinds >= {
        "queries:download",
        "queries:synthetic",
        "queries:receipt_file",
        "queries:mock_file",
        "dashboards:history_export",
        "oversight:month_csv",
        "oversight:month_report",
        "v1:query-synthetic",
    }


def _files(world: World, answered: list[Any], language: str) -> Iterator[tuple[str, bytes]]:
    """By its route, who took it and what of; the first who may."""
    for name, door in DOORS.items():
        route = world.route(name)
        if name in FILLED_IN or door.kind not in (Kind.PAGE, Kind.API) or "GET" not in door.methods:
            continue
        role = "analyst" if "query_id" in route.parameters else sorted(door.roles)[0]
        client = world.client(role, door.kind)
        client.cookies[settings.LANGUAGE_COOKIE_NAME] = language
        for label, address in _addresses(world, route, role, answered):
            answer = client.get(address, headers={"Accept-Language": language})
            if "attachment" in answer.headers.get("Content-Disposition", ""):
                yield f"{name} {label}", _bytes_of(answer)


def _addresses(
    world: World, route: Route, role: str, answered: list[Any]
) -> Iterator[tuple[str, str]]:
    queries = answered if "query_id" in route.parameters else [None]
    for place, query in enumerate(queries):
        own = World(world.people, {**world.own, "query_id": query}, world.foreign)
        for fmt in FORMATS if "fmt" in route.parameters else [""]:
            address = own.url(route, role, "own").replace("/csv/", f"/{fmt}/")
            yield f"{fmt} {place}", address
            if route.name.startswith("v1:"):
                yield f"{fmt} {place} parquet", f"{address}?file=parquet"


def _bytes_of(answer: Any) -> bytes:
    whole: bytes = b"".join(answer) if answer.streaming else answer.content
    return whole


@pytest.mark.parametrize(
    ("name", "role", "body"),
    [
        ("oversight:audit_export csv", "officer", {}),
        ("oversight:audit_export jsonl", "officer", {}),
        ("oversight:record", "owner", TYPED | {"file": "yes"}),
    ],
)
def test_a_file_that_is_asked_for_by_a_form_differs_by_what_is_dated_alone(
    world: World, name: str, role: str, body: dict[str, str]
) -> None:
    route = world.route(name.partition(" ")[0])
    known = {**world.own, "fmt": name.partition(" ")[2]}
    address = reverse(route.name, kwargs={one: known[one] for one in route.parameters})
    found = []
    for language in (ENGLISH, GERMAN):
        browser = world.browser(role)
        browser.cookies[settings.LANGUAGE_COOKIE_NAME] = language
        with transaction.atomic():
            answer = browser.post(address, body)
            assert "attachment" in answer.headers.get("Content-Disposition", "")
            found.append(DATED.sub(b"", _bytes_of(answer)))
            transaction.set_rollback(True)
    assert found[0] == found[1]
