"""Every route that the URLconf serves, found by walking it, so that none can be forgotten."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver


@dataclass(frozen=True, slots=True)
class Route:
    """A named route, the parameters in its path, the path as Django writes it, and its view."""

    name: str
    parameters: frozenset[str]
    path: str
    view: Any


def all_routes() -> list[Route]:
    """Every pattern; one without a name is an error, since no table could list it."""
    return list(_walk(get_resolver().url_patterns, "", "", frozenset()))


def by_room(names: Iterable[str]) -> dict[str, list[str]]:
    """Names of routes by what stands before the colon: what one test looks at, with one world."""
    rooms: dict[str, list[str]] = {}
    for name in names:
        rooms.setdefault(name.rpartition(":")[0] or "account", []).append(name)
    return rooms


def _walk(
    patterns: Sequence[URLPattern | URLResolver], namespace: str, above: str, outer: frozenset[str]
) -> Iterator[Route]:
    for pattern in patterns:
        names, path = outer | set(pattern.pattern.regex.groupindex), f"{above}{pattern.pattern}"
        if isinstance(pattern, URLResolver):
            inner = f"{namespace}{pattern.namespace}:" if pattern.namespace else namespace
            yield from _walk(pattern.url_patterns, inner, path, names)
        elif isinstance(pattern, URLPattern):
            assert pattern.name, f"the route {pattern.pattern} has no name"
            yield Route(f"{namespace}{pattern.name}", frozenset(names), path, pattern.callback)


ROLES = ("owner", "analyst", "officer", "admin")
EVERYBODY = frozenset(ROLES)
OWNER, ANALYST, OFFICER, ADMIN = (frozenset({role}) for role in ROLES)


class Kind(Enum):
    """How a route answers somebody who has not signed in."""

    PAGE = auto()
    API = auto()
    ACCOUNT = auto()
    PUBLIC = auto()


@dataclass(frozen=True, slots=True)
class Door:
    """The methods of a route, the roles that may use it, and those to whom its thing is hidden.

    `by_body`: the thing is named in the posted body, so that an empty body looks missing too.
    """

    methods: frozenset[str]
    roles: frozenset[str] = EVERYBODY
    kind: Kind = Kind.PAGE
    hidden_from: frozenset[str] = frozenset()
    by_body: bool = False


def page(methods: str, roles: frozenset[str] = EVERYBODY, **more: Any) -> Door:
    return Door(frozenset(methods.split()), roles, Kind.PAGE, **more)


def api(methods: str, roles: frozenset[str] = EVERYBODY, **more: Any) -> Door:
    return Door(frozenset(methods.split()), roles, Kind.API, **more)


ACCOUNT = Door(frozenset({"GET", "POST"}), kind=Kind.ACCOUNT)
PUBLIC = Door(frozenset({"GET"}), kind=Kind.PUBLIC)
# No role opens it; see tests/integration/monitoring/test_metrics.py.
OPERATOR = Door(frozenset({"GET"}), kind=Kind.PUBLIC)
