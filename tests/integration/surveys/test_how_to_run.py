"""M91: the program of docs/how-to/run-a-survey.md, run as it stands there against a real server."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pytest_django.live_server_helper import LiveServer

from dpgov.approvals.models import ChangeRequest
from dpgov.budgets.models import Correction
from dpgov.surveys.models import Survey, SurveyToken
from dpgov.surveys.services import receive
from dpgov.tenants.models import Membership
from tests.cast import make_token
from tests.house.tree import ROOT
from tests.integration.surveys.made import shared

PAGE = ROOT / "docs/how-to/run-a-survey.md"


Run = Callable[..., list[str]]


@pytest.fixture
def run(
    owner: Membership,
    live_server: LiveServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Run:
    """Run the program as an owner, with another survey if one is given; the lines it prints."""
    (code,) = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DPGOV_SERVER", live_server.url)
    monkeypatch.setenv("DPGOV_TOKEN", make_token(owner, "nightly")[1])

    def once(**survey: Any) -> list[str]:
        told = re.sub(r"^}$", f"}} | {survey!r}", code, count=1, flags=re.MULTILINE)
        names: dict[str, Any] = {"__name__": "running"}
        exec(compile(told, PAGE.name, "exec"), names)  # noqa: S102 - our own page
        return capsys.readouterr().out.splitlines()

    return once


def test_the_program_of_the_page_makes_one_survey_and_reads_it(run: Run, tmp_path: Path) -> None:
    """Run twice, it drafts, charges and makes tokens once."""
    assert run() == [
        "opening charges 1.1 epsilon and fits: True",
        "± 8.9 points with 500 answers",
        "open with 0 reports",
    ]
    survey = Survey.objects.get()
    _, *links = (tmp_path / "links.csv").read_text().split()
    receive(survey=survey, token=links[0].partition("#")[2], report="0")
    state, yes, no = run()
    assert (state, yes[:4], no[:3]) == ("open with 1 reports", "Yes:", "No:")
    assert (Survey.objects.count(), Correction.objects.count()) == (1, 1)
    assert (len(links), SurveyToken.objects.count()) == (500, 500)


def test_it_closes_the_survey_once_and_reads_it_ever_after(run: Run, tmp_path: Path) -> None:
    """M91"""
    run(expected=1)
    link = (tmp_path / "links.csv").read_text().split()[1]
    receive(survey=Survey.objects.get(), token=link.partition("#")[2], report="0")
    assert run(expected=1)[-1] == "closed"
    later = run(expected=1)
    assert [later[0], len(later)] == ["closed with 1 reports", 3]
    (tmp_path / "links.csv").unlink()
    assert run(expected=1) == later


def test_while_an_officer_decides_it_says_so_each_time(run: Run, owner: Membership) -> None:
    """M91: in the words of the refusal, and asks for nothing twice."""
    budget = str(shared(owner).pk)
    with pytest.raises(SystemExit, match="an officer has to approve it"):
        run(shared_budget=budget)
    with pytest.raises(SystemExit, match=r"^409: "):
        run(shared_budget=budget)
    assert (Survey.objects.count(), ChangeRequest.objects.count()) == (1, 1)
