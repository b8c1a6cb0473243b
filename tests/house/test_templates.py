"""Which rooms a room's templates ask: those that its code may import, and a few above, by name."""

import re
from collections.abc import Iterator

from tests.house import contract, tree

_TEMPLATES = tree.ROOT / "templates"
_LOADED = re.compile(r"{%-?\s*load ([^%]*)%}")
_OTHER = re.compile(r"{%-?\s*(?:include|extends) ['\"](\w+)/")
# A page of one thing shows what rooms above know of it; its view knows nothing of that.
UPWARDS = {
    "datasets/detail.html": {"queries", "limits"},  # questions that are ready, what shares budget
    "datasets/lifetime/pause.html": {"limits"},  # what shares the budget that is paused
    "datasets/limit.html": {"limits"},  # the form that lowers any limit
    "queries/ask/_quote_limits.html": {"limits"},  # limits as a table, as on their own page
    "limits/_limits_parts.html": {"dashboards"},  # the meter of a budget, as on its page
}


def _libraries() -> dict[str, str]:
    """Tag libraries of ours, and whose they are."""
    found = (tree.ROOT / "dpgov").glob("*/templatetags/*.py")
    return {path.stem: path.relative_to(tree.ROOT / "dpgov").parts[0] for path in found}


def _asked(text: str, libraries: dict[str, str]) -> Iterator[str]:
    for loaded in _LOADED.findall(text):
        yield from (libraries[name] for name in loaded.split() if name in libraries)
    yield from _OTHER.findall(text)


def test_a_template_asks_no_room_above_its_own_but_where_this_is_said() -> None:
    libraries, rooms = _libraries(), set(contract.rooms())
    assert {"budget_format", "ready_made", "sharing"} <= set(libraries)
    upwards: dict[str, set[str]] = {}
    for path in _TEMPLATES.rglob("*.html"):
        name = path.relative_to(_TEMPLATES)
        if (room := name.parts[0]) not in rooms:
            continue
        asked = set(_asked(path.read_text(), libraries)) & rooms
        if above := asked - contract.below(room):
            upwards[name.as_posix()] = above
    assert upwards == UPWARDS
