"""M8: the program of docs/how-to/many-databases.md, run as it stands there, against the lesson."""

import re
from fractions import Fraction
from typing import Any

import pytest

from dpgov.explain.lessons.numbers import loss_tail
from tests.house.tree import ROOT

PAGE = ROOT / "docs/how-to/many-databases.md"


def test_the_program_of_the_page_adds_up_the_exact_tail(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The lesson's formula begins at the other end of the tail."""
    (code,) = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {"__name__": "adding"}
    exec(compile(code, PAGE.name, "exec"), names)  # noqa: S102 - our own page
    assert capsys.readouterr().out.splitlines() == [
        "basic composition: at most 12.49",
        "more than 1 with the chance e^-34.6",
    ]
    cases = ((3, Fraction(1), 2), (10, Fraction(1, 2), 1), (800, Fraction(1, 10), 9))
    for databases, epsilon, loss in cases:
        mine = names["loss_tail"](databases, epsilon, loss).ln()
        assert abs(mine - loss_tail(databases, epsilon, Fraction(loss))) < 1e-20
