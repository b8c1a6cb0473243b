"""H1: every route x everybody x every method x own, foreign and missing things."""

import re

import pytest

from dpgov.monitoring import health
from dpgov.tenants.models import ApiToken, Role
from tests.cast import join
from tests.integration.access.doors import DOORS
from tests.integration.access.routes import ROLES, Door, Kind, Route, all_routes, by_room
from tests.integration.access.world import (
    Knocked,
    World,
    forget_rates,
    tenant_things,
    without_randomness,
)

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
ACTORS = ("anonymous", "stranger", *ROLES)
# Whom a method that the door has not is tried by: it is refused before anybody looks who it is.
SOME = ("anonymous", "owner")
ROUTES = {route.name: route for route in all_routes()}
GUARDED = [name for name in ROUTES if name in DOORS and DOORS[name].kind in (Kind.PAGE, Kind.API)]
OPEN = [name for name in ROUTES if name in DOORS and name not in GUARDED]
NOT_THERE = {401, 403, 404, 405}

Answers = dict[tuple[str, str, str], Knocked]


def test_every_route_is_in_the_table_and_the_table_has_no_other() -> None:
    """H1: whoever adds a route says who may use it."""
    assert set(ROUTES) == set(DOORS)


@pytest.mark.django_db
@pytest.mark.parametrize("room", by_room(GUARDED))
def test_each_route_lets_in_whom_it_should_and_foreign_looks_missing(
    room: str, world: World
) -> None:
    """H1: status by role, method and thing; same bytes for foreign and missing; nothing leaks."""
    assert _wrong(world, room, had=True) == {}


@pytest.mark.django_db
@pytest.mark.parametrize("room", by_room(GUARDED))
def test_whom_a_route_refuses_it_refuses_whatever_they_name(room: str, world: World) -> None:
    """H1: who may not use it learns of no thing whether it is there."""
    assert _wrong(world, room, had=True, refused=True) == {}


@pytest.mark.django_db
@pytest.mark.parametrize("room", by_room(GUARDED))
def test_a_method_that_a_route_has_not_lets_in_nobody(room: str, world: World) -> None:
    """H1: nor does HEAD, which frameworks answer as GET, tell or let in more than GET does."""
    assert _wrong(world, room, had=False) == {}


def _wrong(world: World, room: str, *, had: bool, refused: bool = False) -> dict[str, list[str]]:
    found = {name: _wrong_at(world, name, had, refused) for name in by_room(GUARDED)[room]}
    return {name: problems for name, problems in found.items() if problems}


def _wrong_at(world: World, name: str, had: bool, refused: bool) -> list[str]:
    route, door = ROUTES[name], DOORS[name]
    forget_rates()
    answers = _knock_everywhere(world, route, door, had=had, refused=refused)
    return _unexpected(answers, route, door) + _told_apart(answers) + _leaks(answers, world)


@pytest.mark.django_db
def test_an_open_route_breaks_for_nobody(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """H1: sign-in and public routes hold nothing of a tenant; none answers with a failure."""
    # The tests connect as the owner of the tables, which readiness would rightly report.
    monkeypatch.setattr(health, "wall_findings", list)
    broken = [
        f"{actor} {method} {name}"
        for name in OPEN
        for actor in ("anonymous", "analyst")
        for method in METHODS
        if _knock(world, name, actor, method).status_code >= 500
    ]
    assert broken == []


def _knock(world: World, name: str, actor: str, method: str) -> Knocked:
    route = ROUTES[name]
    return world.knock(actor, DOORS[name].kind, method, world.url(route, actor, "own"))


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["queries:detail", "queries:download", "v1:query-release"])
def test_an_analyst_s_answer_looks_missing_to_a_colleague(name: str, world: World) -> None:
    """H1: within a tenant, analysts see their own questions only."""
    colleague = join(world.people["analyst"].tenant, Role.ANALYST, "carl")
    ApiToken.objects.create(user=colleague.user, membership=colleague, name="own")
    world.people["colleague"] = colleague
    route, kind = ROUTES[name], DOORS[name].kind
    theirs, missing = (
        world.knock("colleague", kind, "GET", world.url(route, "colleague", thing))
        for thing in ("own", "missing")
    )
    assert theirs.status_code == 404
    assert without_randomness(theirs) == without_randomness(missing)


def _knock_everywhere(
    world: World, route: Route, door: Door, *, had: bool, refused: bool
) -> Answers:
    """By the methods that the door has by name, or by all others.

    Whom it refuses tries one thing, or, if it is about them (`refused`), those alone try all.
    """
    return {
        (actor, method, thing): world.knock(
            actor, door.kind, method, world.url(route, actor, thing)
        )
        for method in METHODS
        if (method in door.methods) == had
        for actor in (ACTORS if _known(door, method) else SOME)
        if not (refused and _lets_in(door, actor))
        for thing in _things(route, actor, tries_all=refused or _tries_all(door, method, actor))
    }


def _known(door: Door, method: str) -> bool:
    return method in door.methods or (method == "HEAD" and "GET" in door.methods)


def _lets_in(door: Door, actor: str) -> bool:
    return actor in door.roles or (actor == "stranger" and "owner" in door.roles)


def _tries_all(door: Door, method: str, actor: str) -> bool:
    """A method that the door has not is refused before anybody looks: one role tries all things."""
    return _lets_in(door, actor) if _known(door, method) else actor == "owner"


def _things(route: Route, actor: str, *, tries_all: bool) -> tuple[str, ...]:
    """What is foreign to everybody else is the stranger's own; ours is foreign to the stranger."""
    if not tenant_things(route) or not tries_all:
        return ("own",)
    return ("own", "missing") if actor == "stranger" else ("own", "foreign", "missing")


def _unexpected(answers: Answers, route: Route, door: Door) -> list[str]:
    return [
        f"{actor} {method} {thing}: {answer.status_code}"
        for (actor, method, thing), answer in answers.items()
        if not _as_expected(answer, door, actor, method, _reachable(route, actor, thing))
    ]


def _reachable(route: Route, actor: str, thing: str) -> bool:
    ours = tenant_things(route) - {"reference", "notice_id"}
    return thing == "own" and not (actor == "stranger" and ours)


def _told_apart(answers: Answers) -> list[str]:
    return [
        f"{actor} {method}: foreign is told from missing"
        for (actor, method, thing), answer in answers.items()
        if thing == "foreign"
        and _said(answer) != _said(answers[actor, method, "missing"])
        and not _names_only_the_way_back(answer, answers[actor, method, "missing"])
    ]


def _said(answer: Knocked) -> tuple[int, str]:
    return answer.status_code, without_randomness(answer)


def _names_only_the_way_back(one: Knocked, other: Knocked) -> bool:
    """A redirect to sign-in differs by the address to come back to, which the visitor typed."""
    return one.status_code == other.status_code == 302


def _leaks(answers: Answers, world: World) -> list[str]:
    stranger = world.people["stranger"]
    secrets = [stranger.user.email, stranger.tenant.name, *map(str, world.foreign.values())]
    # By themselves: some are short numbers, which any hash may hold by chance.
    told = {one: re.compile(rf"(?<![0-9A-Za-z]){re.escape(one)}(?![0-9A-Za-z])") for one in secrets}
    return [
        f"{actor} {method}: {secret}"
        for (actor, method, thing), answer in answers.items()
        for secret, alone in told.items()
        if actor in ROLES and thing == "own" and secret in answer.text_of_body
        if alone.search(answer.text_of_body)
    ]


def _as_expected(answer: Knocked, door: Door, actor: str, method: str, reachable: bool) -> bool:
    status = answer.status_code
    if status == 405:
        # Some doors look at the method before they look at the person.
        return method == "HEAD" or not _known(door, method)
    if actor == "anonymous":
        return _sends_away(answer, door, method)
    if method == "OPTIONS" and door.kind is Kind.API:
        return status in (200, 403)
    if not _lets_in(door, actor):
        return status == 403
    if not reachable or actor in door.hidden_from:
        return status == 404
    return (door.by_body and status == 404) or (status not in NOT_THERE and status < 500)


def _sends_away(answer: Knocked, door: Door, method: str) -> bool:
    if door.kind is Kind.API:
        standard = method == "HEAD" or answer.json()["type"] == "client_error"
        return answer.status_code == 401 and standard
    return answer.status_code == 302 and "/account/login/" in answer.headers["Location"]
