"""Every route that the URLconf serves, found by walking it, so that none can be forgotten."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.urls import URLPattern, URLResolver, get_resolver


@dataclass(frozen=True, slots=True)
class Route:
    """A named route and the parameters in its path."""

    name: str
    parameters: frozenset[str]


def all_routes() -> list[Route]:
    """Every pattern; one without a name is an error, since no table could list it."""
    return list(_walk(get_resolver().url_patterns, "", frozenset()))


def _walk(
    patterns: Sequence[URLPattern | URLResolver], namespace: str, outer: frozenset[str]
) -> Iterator[Route]:
    for pattern in patterns:
        names = outer | set(pattern.pattern.regex.groupindex)
        if isinstance(pattern, URLResolver):
            inner = f"{namespace}{pattern.namespace}:" if pattern.namespace else namespace
            yield from _walk(pattern.url_patterns, inner, names)
        elif isinstance(pattern, URLPattern):
            assert pattern.name, f"the route {pattern.pattern} has no name"
            yield Route(f"{namespace}{pattern.name}", frozenset(names))
