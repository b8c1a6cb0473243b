"""The lines for a notebook: valid Python, whatever people named their columns."""

import ast

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


def test_neither_text_holds_a_token() -> None:
    for lines in (lines_of({}), answer_lines("q", server="https://dp.example.org")):
        assert 'os.environ["DPGOV_TOKEN"]' in lines
        ast.parse(lines)
