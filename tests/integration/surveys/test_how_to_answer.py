"""M1: the program of docs/how-to/answer-a-survey.md and the command line, against a real server."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse
from pytest_django.live_server_helper import LiveServer
from scipy import stats

from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.local.randomiser import Randomiser, for_epsilon
from dpgov.privacy.noise.lower_bound import epsilon_bound
from dpgov.surveys.models import Survey, Tally
from dpgov.tenants.models import Membership
from tests.house.tree import ROOT
from tests.integration.surveys.made import opened, tokens

PAGE = ROOT / "docs/how-to/answer-a-survey.md"
_DRAWN = 40_000


@pytest.fixture(autouse=True)
def _own_state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What the command line keeps is a test's own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def program() -> dict[str, Any]:
    """What the page's code defines."""
    (code,) = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {"__name__": "answering"}
    exec(compile(code, PAGE.name, "exec"), names)  # noqa: S102 - our own page
    return names


def _link(server: LiveServer, survey: Survey, token: str) -> str:
    return f"{server.url}{reverse('surveys:respond', args=[survey.code])}#{token}"


def test_the_program_of_the_page_answers_once_and_sends_the_same_again(
    program: dict[str, Any], owner: Membership, live_server: LiveServer, tmp_path: Path
) -> None:
    survey = opened(owner)
    token = tokens(owner, survey, 1)[0]
    link = _link(live_server, survey, token)
    assert program["respond"](link, "Yes", tmp_path) == {"recorded": True}
    (kept,) = tmp_path.glob("report-*.json")
    assert token not in kept.name
    before = kept.read_text()
    with pytest.raises(HTTPError) as refused:
        program["respond"](link, "No", tmp_path)
    refused.value.close()
    assert refused.value.code == 409
    assert [kept] == list(tmp_path.glob("report-*.json"))
    assert kept.read_text() == before
    assert Tally.objects.get().reports == 1


def test_the_program_of_the_page_sends_no_report_to_another_survey(
    program: dict[str, Any], owner: Membership, live_server: LiveServer, tmp_path: Path
) -> None:
    """Two open surveys answered in one folder: what was drawn for the first stays the first's."""
    first, second = (opened(owner, by_token=False) for _time in range(2))
    for survey in (first, second):
        program["respond"](_link(live_server, survey, ""), "Yes", tmp_path)
    sent = [json.loads(kept.read_text())["token"] for kept in tmp_path.glob("report-*.json")]
    assert len(set(sent)) == 2
    assert [tally.reports for tally in Tally.objects.all()] == [1, 1]


@pytest.mark.parametrize("by_token", [True, False])
def test_the_command_line_randomises_by_itself_and_sends_the_report(
    owner: Membership,
    live_server: LiveServer,
    by_token: bool,
    capsys: pytest.CaptureFixture[str],
) -> None:
    survey = opened(owner, by_token=by_token)
    link = _link(live_server, survey, tokens(owner, survey, 1)[0] if by_token else "")
    call_command("respond", link, "Yes", "--print")
    assert Tally.objects.get().reports == 0
    call_command("respond", link, "Yes")
    assert Tally.objects.get().reports == 1
    assert "It was counted" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("answer", "token", "said"),
    [("Perhaps", "f" * 32, "has the answers: Yes, No"), ("Yes", "f" * 32, "not a token")],
)
def test_the_command_line_says_why_nothing_was_counted(
    owner: Membership, live_server: LiveServer, answer: str, token: str, said: str
) -> None:
    survey = opened(owner)
    with pytest.raises(CommandError, match=said):
        call_command("respond", _link(live_server, survey, token), answer)
    assert Tally.objects.get().reports == 0


def _rule(randomiser: Randomiser) -> dict[str, Any]:
    return {
        "mechanism": randomiser.kind.value,
        "answers": randomiser.answers,
        "kept": randomiser.kept,
        "other": randomiser.other,
        "size": randomiser.size,
    }


def test_the_program_of_the_page_draws_by_the_thresholds(program: dict[str, Any]) -> None:
    """M1: three answers, and twelve by unary encoding."""
    three, twelve = for_epsilon(3, NANO), for_epsilon(12, NANO)
    draw = program["randomise"]
    truth = Counter(draw(_rule(three), 0) for _ in range(_DRAWN))
    other = Counter(draw(_rule(three), 1) for _ in range(_DRAWN))
    bound = epsilon_bound(truth["0"], other["0"], _DRAWN, alpha=1e-6)
    assert 0.85 <= bound / (three.epsilon_nano / NANO) <= 1
    bits = [draw(_rule(twelve), 4) for _ in range(_DRAWN // 10)]
    for place in range(12):
        ones = sum(report[place] == "1" for report in bits)
        chance = float(twelve.p if place == 4 else twelve.q)
        assert stats.binomtest(ones, len(bits), chance).pvalue > 1e-6
