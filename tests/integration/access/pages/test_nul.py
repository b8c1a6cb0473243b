"""J2: NUL, which no keyboard has and PostgreSQL takes in no text: refused, and no fault of ours."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from tests.integration.access.bodies import FORM
from tests.integration.access.doors import DOORS
from tests.integration.access.routes import Kind, all_routes, by_room
from tests.integration.access.world import World, undone
from tests.integration.access.writes import WRITES, Write
from tests.integration.datasets.joins.received import received_file
from tests.integration.datasets.registering import CSV, declared

pytestmark = pytest.mark.django_db
NUL = "a\0b"
PAGES = sorted(
    route.name
    for route in all_routes()
    if DOORS[route.name].kind is Kind.PAGE and "GET" in DOORS[route.name].methods
)
FORMS = {n: w for n, w in WRITES.items() if isinstance(w, Write) and n[:3] != "v1:"}
ADDRESSES = (
    ("analyst", "/history/?dataset=%00"),
    ("owner", "/history/?analyst=%00"),
    ("officer", "/history/?purpose=%00x"),
    ("owner", "/datasets/visits/budget/?analyst=%00"),
    ("owner", "/datasets/visits/budget/?purpose=%00"),
    ("analyst", "/history/export/?dataset=a%00"),
    ("owner", "/portfolio/?analyst=%00"),
    ("owner", "/joint/new/?dataset=%00"),
    ("officer", "/audit/?q=a%00"),
    ("analyst", "/history/?%00=x"),
    ("analyst", "/join/%00/"),
)
POSTED: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("analyst", "queries:save", {**FORM, "saved_name": NUL}),
    ("officer", "datasets:end_agreement", {"other": NUL}),
    ("owner", "datasets:permit", {"person": NUL, "limit": "2", "reason": "study"}),
    ("owner", "joint:new", {"dataset": NUL}),
    ("owner", "tenants:project", {"person": NUL}),
)


def test_an_address_that_holds_it_could_not_be_read(world: World) -> None:
    """J2: whatever page reads what of it, and in words."""
    for actor, address in ADDRESSES:
        answer = world.browser(actor).get(address)
        assert answer.status_code == 400, address
        assert "That request could not be read" in answer.text
        assert "a\0" not in answer.text


def test_a_form_that_holds_it_could_not_be_read(world: World) -> None:
    """J2: by a name that somebody types, and by a text that is kept."""
    for actor, name, body in POSTED:
        answer = world.browser(actor).post(_address(world, name, {}), body)
        assert answer.status_code == 400, name
        assert "That request could not be read" in answer.text


def test_a_door_that_streams_a_file_reads_its_form_by_itself(world: World) -> None:
    """J2: whether a text beside the file holds it is found when the bytes have a bound."""
    known = received_file(world)
    table = SimpleUploadedFile("towns.csv", CSV)
    for name in ("datasets:upload", "datasets:join", "datasets:import_columns"):
        table.seek(0)
        sent = {"file": table, "key": NUL, "version_of": NUL, "name": NUL, NUL: "x"}
        assert world.browser("owner").post(_address(world, name, known), sent).status_code < 500


def test_a_cookie_that_spells_it_is_no_session(world: World) -> None:
    """J2: quoted cookies can name any character."""
    stranger = Client()
    stranger.cookies.load('sessionid="aaaaaaaaaaaaaaaa\\000"')
    assert stranger.get("/history/").status_code == 302


@pytest.mark.parametrize("room", by_room(PAGES))
def test_no_page_looks_for_what_an_address_spells_with_it(room: str, world: World) -> None:
    """J2: every page, for everybody who may open it; so it matters not what it would read."""
    for name in by_room(PAGES)[room]:
        with undone(world):
            for actor in sorted(DOORS[name].roles - DOORS[name].hidden_from):
                url = world.url(world.route(name), actor, "own")
                assert world.browser(actor).get(url, {"any": NUL}).status_code == 400, name


@pytest.mark.parametrize("room", by_room(sorted(FORMS)))
def test_no_form_falls_over_it(room: str, world: World) -> None:
    """J2: every form, each of its texts."""
    for name in by_room(sorted(FORMS))[room]:
        with undone(world):
            write = FORMS[name]
            url = _address(world, name, write.before(world))
            body = {one: text for one, text in write.body().items() if not hasattr(text, "read")}
            for field in {*body, "another"}:
                answer = world.browser(write.actor).post(url, {**body, field: NUL})
                assert answer.status_code < 500, (name, field)


@pytest.mark.parametrize("page", ["save_draft", "review", "check", "fill"])
def test_a_draft_is_kept_without_it_whatever_field_held_it(page: str, world: World) -> None:
    """J2: many columns are typed into one form, of which nothing else is lost."""
    known = received_file(world)
    for field in {*declared(), "pasted", "copy_from", "fill", "draft_seen", "version_of", NUL}:
        with undone(world):
            url = _address(world, f"datasets:{page}", known)
            answer = world.browser("owner").post(url, declared() | {field: NUL})
            assert answer.status_code not in (400, *range(500, 600)), field


def _address(world: World, name: str, known: dict[str, Any]) -> str:
    named = {"fmt": "csv", "period": "week", **world.own, **known}
    return reverse(name, kwargs={part: named[part] for part in world.route(name).parameters})
