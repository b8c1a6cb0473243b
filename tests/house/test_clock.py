"""Time is told in one place, so that one place can say who may move it (catalogue L34)."""

import re

from tests.house.tree import ROOT

_OTHER_CLOCKS = re.compile(
    r"timezone\.now\(|DateTimeField\([^)]*auto_now|functions import .*\bNow\b"
)
_THE_CLOCK = {"dpgov/operation/clock.py", "dpgov/operation/moving.py"}


def test_rows_are_dated_by_the_one_clock() -> None:
    """L34: another source of time would go on showing today while the past is lived through."""
    paths = [path for path in (ROOT / "dpgov").rglob("*.py") if "migrations" not in path.parts]
    found = {
        path.relative_to(ROOT).as_posix()
        for path in paths
        if _OTHER_CLOCKS.search(path.read_text())
    }
    assert found - _THE_CLOCK == set()
