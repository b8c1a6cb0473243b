"""Our sentences are stored as pattern and values: a pattern that was ever published stays known.

Or whoever words one anew would silently lose the translation of all that was stored before.
"""

import ast
import string
import tomllib
from collections.abc import Iterator

from dpgov.language.reworded import REWORDED
from tests.house import tree

LIST = tree.ROOT / "tests/house/said.txt"
_MARKS = {"said", "pattern"}


def _patterns() -> set[str]:
    """What the source says by `said(…)` and marks by `pattern(…)`."""
    return {text for _path, module in tree.python("dpgov") for text in _of(module)}


def _of(module: ast.Module) -> Iterator[str]:
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
            first = node.args[0]
            if node.func.id in _MARKS and isinstance(first, ast.Constant):
                yield str(first.value)


def _listed() -> tuple[str, list[str]]:
    """The version that the list was made for, and the patterns that it said."""
    version, *lines = LIST.read_text().splitlines()
    return version, lines


def _names(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_every_sentence_that_may_be_stored_is_still_known() -> None:
    """Worded anew, it stands in `dpgov.language.reworded`, with what it says today."""
    ours = _patterns()
    assert len(ours) > 500, "the search finds them"
    gone = [text for text in _listed()[1] if REWORDED.get(text, text) not in ours]
    assert gone == []


def test_a_sentence_that_was_worded_anew_names_no_value_that_was_not_stored() -> None:
    assert {old for old, new in REWORDED.items() if not _names(new) <= _names(old)} == set()
    assert {old for old, new in REWORDED.items() if new in REWORDED} == set(), (
        "one step leads there"
    )


def test_the_list_is_made_anew_for_each_version() -> None:
    """`python -m tests.house.test_said`: what was said before stays on it."""
    project = tomllib.loads((tree.ROOT / "pyproject.toml").read_text())["project"]
    version, listed = _listed()
    assert version == project["version"]
    assert listed == sorted(set(listed))


if __name__ == "__main__":
    known = _listed()[1] if LIST.exists() else []
    lines = sorted({*known, *_patterns()})
    published = tomllib.loads((tree.ROOT / "pyproject.toml").read_text())["project"]["version"]
    LIST.write_text("\n".join([published, *lines]) + "\n")
