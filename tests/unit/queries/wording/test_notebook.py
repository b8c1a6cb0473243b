"""The lines for a notebook: valid Python, whatever people named their columns."""

import ast
from typing import Any

import pytest

from dpgov.queries.wording.downloads import answer_lines, question_lines

HOSTILE = "it's \"\"\" {key} \\ \n'''; import os; os.remove('x') #"


def plan_in(lines: str) -> object:
    """The plan that the lines hold."""
    assigned = [n for n in ast.parse(lines).body if isinstance(n, ast.Assign)]
    values = {n.targets[0].id: n.value for n in assigned if isinstance(n.targets[0], ast.Name)}
    return ast.literal_eval(values["PLAN"])


def lines_of(plan: dict[str, object], form_key: str = "k") -> str:
    return question_lines(plan, slug="visits", server="https://dp.example.org", form_key=form_key)


def test_the_plan_survives_whatever_its_texts_hold() -> None:
    plan = {"where": [{"column": HOSTILE, "op": "=", "value": HOSTILE}], "epsilon": 0.5, "n": None}
    assert plan_in(lines_of(plan)) == plan


def test_the_key_belongs_to_the_form_and_the_plan() -> None:
    """Copied twice it pays once; another question, or another form, is another key."""
    one = lines_of({"epsilon": 0.5})
    assert one == lines_of({"epsilon": 0.5})
    assert len({one, lines_of({"epsilon": 0.6}), lines_of({"epsilon": 0.5}, "other")}) == 3


def test_each_number_is_printed_with_the_groups_that_it_is_of(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Row by row, the first grouping slowest, as everywhere; of no groups the number alone."""
    monkeypatch.setenv("DPGOV_TOKEN", "t")
    told: dict[str, Any] = {}
    exec(answer_lines("q", server="https://dp.example.org").partition("# Reading")[0], told)  # noqa: S102
    cells = [{"value": value, "accuracy": []} for value in range(4)]
    groups = [{"bins": ["north", "other"]}, {"bins": ["young", "old"]}]
    count = {"statistic": "count", "cells": cells}
    told["show"]({"groups": groups, "statistics": [count]})
    told["show"]({"groups": [], "statistics": [count | {"cells": cells[:1]}]})
    said = [line.split() for line in capsys.readouterr().out.splitlines()]
    names = [["north", "young"], ["north", "old"], ["other", "young"], ["other", "old"], []]
    assert said == [
        [*name, "count", str(n)] for name, n in zip(names, (0, 1, 2, 3, 0), strict=True)
    ]


def test_neither_text_holds_a_token() -> None:
    for lines in (lines_of({}), answer_lines("q", server="https://dp.example.org")):
        assert 'os.environ["DPGOV_TOKEN"]' in lines
        ast.parse(lines)
