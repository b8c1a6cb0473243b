"""Which rooms a room's templates ask, those that its code may import and a few above by name.

And that the fields of forms are written in one way.
"""

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

# A label that somebody wrote: of a form's field, or of anything in what a browser takes for one.
_LABEL = re.compile(
    r"{{\s*(?:form\.\w+|\w*field)\.label\b|<(?:label|legend)\b[^>]*>\s*{{\s*[\w.]+\.label\b"
)
LABELLED_BY_HAND = {
    "datasets/_adding.html": "the heading of what opens and closes",
    "datasets/live/live.html": "a term beside what is kept secret; nothing is typed there",
    "explain/lessons/_control.html": "a control of a figure, which is no field of a form",
    "oversight/log/_audit_search.html": "a search box with its button beside it",
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


def test_fields_are_shown_in_one_way() -> None:
    """Also to whoever hears a page: label, help and what is wrong are tied to the input there."""
    others = [p for p in _TEMPLATES.rglob("*.html") if p.parent.name not in ("fields", "picking")]
    found = {p.relative_to(_TEMPLATES).as_posix() for p in others if _LABEL.search(p.read_text())}
    assert found == set(LABELLED_BY_HAND)


def test_whatever_looks_again_by_itself_says_so() -> None:
    """H6: or a page that is left open keeps its session for days."""
    looking = {path: path.read_text() for path in _TEMPLATES.rglob("*.html")}
    again = [text for text in looking.values() if re.search(r'hx-trigger="[^"]*every ', text)]
    assert len(again) >= 5
    assert all("""hx-headers='{"Looks-By-Itself": "1"}'""" in text for text in again)
