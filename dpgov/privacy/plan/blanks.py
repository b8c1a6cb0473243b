"""The blanks of a plan: where a named parameter stands, or could, in place of a value.

A parameter is the JSON {"parameter": "ward"} in place of a value of a filter, or of the categories
of a grouping. Nowhere else: no plan with one in another place can be read.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

KEY = "parameter"


@dataclass(frozen=True, slots=True)
class Blank:
    """A place of a plan that is left open, or could be: whose value stands there.

    `several`: a list of values as a whole. `last`: the upper end of a range.
    """

    path: tuple[str | int, ...]
    column: str
    value: Any
    several: bool = False
    last: bool = False

    @property
    def parameter(self) -> str | None:
        """The name of the parameter that stands here."""
        return _named(self.value)


def blanks_of(plan: Mapping[str, Any]) -> list[Blank]:
    """Every place of a plan's JSON where a parameter may stand, in reading order."""
    filters = plan.get("where", [])
    found = list(_of_filters(("where",), filters)) if isinstance(filters, list) else []
    groupings = plan.get("group_by", [])
    for place, grouping in enumerate(groupings if isinstance(groupings, list) else []):
        if isinstance(grouping, dict) and "categories" in grouping:
            path = ("group_by", place, "categories")
            column = str(grouping.get("column"))
            found.append(Blank(path, column, grouping["categories"], several=True))
    return found


def with_value(plan: Mapping[str, Any], path: Sequence[str | int], value: Any) -> dict[str, Any]:
    """The plan with another value at this place; what is given stays as it is."""
    changed: dict[str, Any] = _with(plan, path, value)
    return changed


def _of_filters(path: tuple[str | int, ...], filters: Sequence[Any]) -> Iterator[Blank]:
    for place, item in enumerate(filters):
        if isinstance(item, dict):
            yield from _of_filter((*path, place), item)


def _of_filter(path: tuple[str | int, ...], item: Mapping[str, Any]) -> Iterator[Blank]:
    for joint in ("and", "or"):
        if isinstance(members := item.get(joint), list):
            yield from _of_filters((*path, joint), members)
    if isinstance(member := item.get("not"), dict):
        yield from _of_filter((*path, "not"), member)
    if "value" not in item:
        return
    value, at, column = item["value"], (*path, "value"), str(item.get("column"))
    if item.get("op") == "between" and isinstance(value, list):
        for place, end in enumerate(value):
            yield Blank((*at, place), column, end, last=place > 0)
    else:
        yield Blank(at, column, value, several=item.get("op") == "in")


def _with(node: Any, path: Sequence[str | int], value: Any) -> Any:
    if not path:
        return value
    key: Any = path[0]
    copy = list(node) if isinstance(node, list) else dict(node)
    copy[key] = _with(node[key], path[1:], value)
    return copy


def _named(value: object) -> str | None:
    if isinstance(value, dict) and set(value) == {KEY} and isinstance(value[KEY], str):
        name: str = value[KEY]
        return name
    return None
