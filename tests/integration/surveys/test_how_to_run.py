"""M91: the program of docs/how-to/run-a-survey.md, run as it stands there against a real server."""

import re
from pathlib import Path
from typing import Any

import pytest
from pytest_django.live_server_helper import LiveServer

from dpgov.budgets.models import Correction
from dpgov.surveys.models import Survey, SurveyToken
from dpgov.surveys.services import receive
from dpgov.tenants.models import Membership
from tests.cast import make_token
from tests.house.tree import ROOT

PAGE = ROOT / "docs/how-to/run-a-survey.md"


def test_the_program_of_the_page_makes_one_survey_and_reads_it(
    owner: Membership,
    live_server: LiveServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Run twice, it drafts, charges and makes tokens once."""
    (code,) = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DPGOV_SERVER", live_server.url)
    monkeypatch.setenv("DPGOV_TOKEN", make_token(owner, "nightly")[1])

    def run() -> list[str]:
        names: dict[str, Any] = {"__name__": "running"}
        exec(compile(code, PAGE.name, "exec"), names)  # noqa: S102 - our own page
        return capsys.readouterr().out.splitlines()

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
