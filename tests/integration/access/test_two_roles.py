"""H1, L39: through every door, who has two roles may do what one of them may, and no more."""

from dataclasses import replace
from typing import Any

import pytest

from dpgov.tenants.models import ApiToken, Membership, Role
from tests.agreed import join_in_two_roles
from tests.cast import join
from tests.integration.access.doors import DOORS
from tests.integration.access.notices import tell_everybody
from tests.integration.access.routes import Kind, all_routes, by_room
from tests.integration.access.world import Knocked, World, forget_rates
from tests.made_once import made_once

ROUTES = {route.name: route for route in all_routes()}
GUARDED = [name for name in ROUTES if name in DOORS and DOORS[name].kind in (Kind.PAGE, Kind.API)]
# Whoever has both, and two who have one each; nothing in the world is any of theirs.
SAME = {
    "owner and analyst": ("another owner", "another analyst"),
    "administrator and analyst": ("another administrator", "another analyst"),
}
_NOT_FOR_THEM, _NOT_FOUND, _LET_IN = range(3)


@made_once
def colleagues(world: World) -> World:
    tenant = world.people["owner"].tenant
    new: dict[str, Membership] = {
        "another owner": join(tenant, Role.OWNER, "otto"),
        "another analyst": join(tenant, Role.ANALYST, "arne"),
        "another administrator": join(tenant, Role.ADMIN, "ada"),
        "owner and analyst": join_in_two_roles(tenant, Role.OWNER, "beate"),
        "administrator and analyst": join_in_two_roles(tenant, Role.ADMIN, "bo"),
    }
    for member in new.values():
        ApiToken.objects.create(user=member.user, membership=member, name="own")
    tell_everybody(new.values())
    return replace(world, people=world.people | new)


@pytest.mark.django_db
@pytest.mark.parametrize("room", by_room(GUARDED))
def test_two_roles_let_in_where_one_of_them_does(room: str, colleagues: World) -> None:
    """H1: the union of both, method by method, of their own tenant's things and a stranger's."""
    assert [wrong for name in by_room(GUARDED)[room] for wrong in _wrong(colleagues, name)] == []


def _wrong(colleagues: World, name: str) -> list[tuple[str, ...]]:
    door = DOORS[name]
    forget_rates()
    found = {
        (both, method, thing): (
            _reach(colleagues, name, both, method, thing),
            max(_reach(colleagues, name, single, method, thing) for single in singles),
        )
        for both, singles in SAME.items()
        for method in sorted(door.methods)
        for thing in ("own", "foreign")
    }
    return [(name, *key) for key, (two, one) in found.items() if two != one]


def _reach(world: World, name: str, actor: str, method: str, thing: str) -> int:
    answer: Knocked = world.knock(actor, DOORS[name].kind, method, _url(world, name, actor, thing))
    known = {403: _NOT_FOR_THEM, 404: _NOT_FOUND}
    assert answer.status_code < 500
    return known.get(answer.status_code, _LET_IN)


def _url(world: World, name: str, actor: str, thing: str) -> Any:
    return world.url(ROUTES[name], actor, thing)
