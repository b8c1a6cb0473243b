"""The lines for a notebook: valid Python, whatever people named their columns."""

import ast
import io
import json
import re
import time
import urllib.request
from collections.abc import Callable
from email.message import Message
from typing import Any
from urllib.error import HTTPError
from urllib.response import addinfourl
from uuid import UUID, uuid4

import pytest

from dpgov.queries.wording.notebook import answer_lines, question_lines

HOSTILE = "it's \"\"\" {key} \\ \n'''; import os; os.remove('x') #"


def plan_in(lines: str) -> object:
    """The plan that the lines hold."""
    assigned = [n for n in ast.parse(lines).body if isinstance(n, ast.Assign)]
    values = {n.targets[0].id: n.value for n in assigned if isinstance(n.targets[0], ast.Name)}
    return ast.literal_eval(values["PLAN"])


def lines_of(plan: dict[str, object], form_key: str = "k", charged: UUID | None = None) -> str:
    return question_lines(
        plan,
        slug="visits",
        server="https://dp.example.org",
        form_key=form_key,
        allocation_id=charged,
    )


def test_the_plan_survives_whatever_its_texts_hold() -> None:
    plan = {"where": [{"column": HOSTILE, "op": "=", "value": HOSTILE}], "epsilon": 0.5, "n": None}
    assert plan_in(lines_of(plan)) == plan


def test_the_key_belongs_to_the_form_and_the_plan() -> None:
    """Copied twice it pays once; another question, or another form, is another key."""
    one = lines_of({"epsilon": 0.5})
    assert one == lines_of({"epsilon": 0.5})
    assert len({one, lines_of({"epsilon": 0.6}), lines_of({"epsilon": 0.5}, "other")}) == 3


def test_what_the_form_charges_is_priced_and_charged_under_a_key_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    charged = uuid4()
    lines = lines_of({}, charged=charged)
    server = Server(monkeypatch, _PRICED, _EMPTY, (202, _question("released"), ""), _EMPTY)
    exec(lines, {})  # noqa: S102
    assert server.asked == [
        f"datasets/visits/quote/?allocation={charged}",
        "datasets/visits/mock/",
        f"datasets/visits/queries/?allocation={charged}",
        "queries/q/release/",
    ]
    keys = {re.findall(r"notebook-\w+", text)[0] for text in (lines, lines_of({}))}
    assert len(keys) == 2


@pytest.mark.parametrize(
    ("told", "name"),
    [
        ({"statistic": "quantiles", "quantile": 0.25}, "quantiles age 0.25"),
        ({"statistic": "mean", "clip": {"from": 0, "to": 65}}, "mean age clipped to 0 to 65"),
        ({"statistic": "regression", "term": None}, "regression age intercept"),
        ({"statistic": "regression", "term": "sex", "category": ""}, "regression age sex "),
    ],
)
def test_each_number_is_printed_with_what_tells_it_apart_from_others(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    told: dict[str, Any],
    name: str,
) -> None:
    statistic = told | {"column": "age", "cells": [{"value": 7, "accuracy": []}]}
    _shows(monkeypatch)({"groups": [], "statistics": [statistic]})
    assert capsys.readouterr().out == f"{name} 7\n"


def test_each_number_is_printed_with_the_groups_that_it_is_of(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Row by row, the first grouping slowest, as everywhere; of no groups the number alone."""
    show = _shows(monkeypatch)
    cells = [{"value": value, "accuracy": []} for value in range(4)]
    groups = [{"bins": ["north", "other"]}, {"bins": ["young", "old"]}]
    count = {"statistic": "count", "cells": cells}
    show({"groups": groups, "statistics": [count]})
    show({"groups": [], "statistics": [count | {"cells": cells[:1]}]})
    said = [line.split() for line in capsys.readouterr().out.splitlines()]
    names = [["north", "young"], ["north", "old"], ["other", "young"], ["other", "old"], []]
    assert said == [
        [*name, "count", str(n)] for name, n in zip(names, (0, 1, 2, 3, 0), strict=True)
    ]


def _shows(monkeypatch: pytest.MonkeyPatch) -> Callable[[dict[str, Any]], None]:
    """What the lines print an answer with."""
    monkeypatch.setenv("DPGOV_TOKEN", "t")
    told: dict[str, Any] = {}
    exec(answer_lines("q", server="https://dp.example.org").partition("# Reading")[0], told)  # noqa: S102
    show: Callable[[dict[str, Any]], None] = told["show"]
    return show


class Server:
    """Answers one after the other, and notes what was asked for and how long was waited."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *answers: tuple[int, Any, str]) -> None:
        self.answers, self.asked, self.waited = list(answers), list[str](), list[int]()
        monkeypatch.setenv("DPGOV_TOKEN", "t")
        monkeypatch.setattr(urllib.request, "urlopen", self.open)
        monkeypatch.setattr(time, "sleep", self.waited.append)

    def open(self, request: urllib.request.Request, timeout: float) -> Any:
        self.asked.append(request.full_url.removeprefix("https://dp.example.org/api/v1/"))
        assert 20 < timeout < 120
        status, body, retry = self.answers.pop(0)
        headers = Message()
        if retry:
            headers["Retry-After"] = retry
        file = io.BytesIO(json.dumps(body).encode())
        if status >= 400:
            raise HTTPError(request.full_url, status, "refused", headers, file)
        return addinfourl(file, headers, request.full_url, status)


_PRICED: tuple[int, Any, str] = (
    200,
    {"cost_in_words": "ε 0.5", "accepted": True, "refusal": None},
    "",
)
_EMPTY: tuple[int, Any, str] = (200, {"groups": [], "statistics": []}, "")


def _told(code: str, detail: str) -> dict[str, Any]:
    return {"type": "client_error", "errors": [{"code": code, "detail": detail, "attr": None}]}


def _question(state: str) -> dict[str, str]:
    return {"id": "q", "state": state}


def test_a_refusal_is_told_in_its_own_words(monkeypatch: pytest.MonkeyPatch) -> None:
    refused = _told("insufficient_budget", "This needs ε 0.5.")
    Server(monkeypatch, _PRICED, _EMPTY, (409, refused, ""))
    with pytest.raises(SystemExit, match=r"409: This needs ε 0\.5"):
        exec(lines_of({}), {})  # noqa: S102


def test_a_question_that_cannot_be_tried_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of very many groups no trial is made."""
    many = (400, _told("invalid_plan", "The grouping has 10201 cells."), "")
    server = Server(monkeypatch, _PRICED, many, (202, _question("released"), ""), _EMPTY)
    exec(lines_of({}), {})  # noqa: S102
    assert server.asked[-2:] == ["datasets/visits/queries/", "queries/q/release/"]


def test_the_server_says_how_long_to_wait_and_is_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    """When it is asked too often, and while the question waits."""
    server = Server(
        monkeypatch,
        (429, _told("throttled", "Too many."), "7"),
        *(_PRICED, _EMPTY),
        (202, _question("waiting"), ""),
        (200, _question("waiting"), "3"),
        (200, _question("released"), ""),
        _EMPTY,
    )
    exec(lines_of({}), {})  # noqa: S102
    assert [seconds for seconds in server.waited if seconds] == [7, 3]
    assert server.asked[-3:] == ["queries/q/?wait=20", "queries/q/?wait=20", "queries/q/release/"]


def test_a_question_without_an_answer_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = (202, _question("waiting"), ""), (200, _question("expired"), "")
    ended = (404, _told("no_release", "It was never answered."), "")
    Server(monkeypatch, _PRICED, _EMPTY, *asked, ended)
    with pytest.raises(SystemExit, match="404: It was never answered"):
        exec(lines_of({}), {})  # noqa: S102


def test_nothing_is_waited_for_without_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a question nor a server that is busy."""
    hours = iter(range(0, 10**6, 1200))
    monkeypatch.setattr(time, "monotonic", lambda: next(hours))
    waiting = (200, _question("waiting"), "")
    Server(monkeypatch, _PRICED, _EMPTY, *[waiting] * 9)
    with pytest.raises(SystemExit, match="It still waits"):
        exec(lines_of({}), {})  # noqa: S102
    Server(monkeypatch, *[(503, _told("unavailable", "Away."), "5")] * 9)
    with pytest.raises(SystemExit, match="The server is busy"):
        exec(answer_lines("q", server="https://dp.example.org"), {})  # noqa: S102


def test_neither_text_holds_a_token() -> None:
    for lines in (lines_of({}), answer_lines("q", server="https://dp.example.org")):
        assert 'os.environ["DPGOV_TOKEN"]' in lines
        ast.parse(lines)
