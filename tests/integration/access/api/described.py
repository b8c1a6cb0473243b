"""The operations of the API as its schema has them, so that no new one is forgotten."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.urls import resolve
from drf_spectacular.generators import SchemaGenerator

from tests.integration.access.doors import DOORS
from tests.integration.access.routes import EVERYBODY, Kind
from tests.integration.access.world import World


@dataclass(frozen=True, slots=True)
class Operation:
    """One method of one address."""

    name: str
    method: str
    path: str
    described: dict[str, Any]

    def address(self, world: World) -> str:
        """Of things that are there."""
        return self.path.format(**{name: str(thing) for name, thing in world.own.items()})

    def client(self, world: World) -> Any:
        """Of somebody who may use it."""
        door = DOORS[resolve(self.address(world)).view_name]
        roles = door.roles - door.hidden_from
        actor = "analyst" if roles == EVERYBODY - door.hidden_from else min(roles)
        return world.client(actor, Kind.API)


@cache
def operations() -> dict[str, Operation]:
    """All of them by their ids."""
    return {one.name: one for one in _operations()}


def _operations() -> Iterator[Operation]:
    schema = SchemaGenerator(api_version="v1").get_schema(request=None, public=True)
    for path, methods in schema["paths"].items():
        for method, described in methods.items():
            yield Operation(described["operationId"], method.upper(), path, described)
