"""M47: the program of docs/how-to/joint.md, run by three organisations against a real server."""

import re
import time
from typing import Any

import pytest
from pytest_django.live_server_helper import LiveServer

from dpgov.approvals.models import ChangeRequest
from tests.cast import make_token
from tests.house.tree import ROOT
from tests.integration.joint.made import PRICE, Side, approved, finished, three

PAGE = ROOT / "docs/how-to/joint.md"


def test_the_program_of_the_page_proposes_takes_part_and_reads_one_total(
    db: None,
    live_server: LiveServer,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """While one program waits the next one runs; while the last one waits, officers and workers."""
    (code,) = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    sides, said = three(), []
    waiting = list(sides)

    def meanwhile(_: float) -> None:
        said.append(capsys.readouterr().out)
        if waiting:
            run(waiting.pop(0), _code_in(said))
        else:
            for one in sides:
                approved(one, ChangeRequest.objects.get(tenant=one.tenant))
            finished(sides)

    def run(one: Side, typed: str) -> None:
        monkeypatch.setenv("DPGOV_TOKEN", make_token(one.owner, "nightly")[1])
        monkeypatch.setenv("JOINT_CODE", typed)
        names: dict[str, Any] = {"__name__": "joint"}
        exec(compile(code, PAGE.name, "exec"), names)  # noqa: S102 - our own page
        said.append(capsys.readouterr().out)

    monkeypatch.setenv("DPGOV_SERVER", live_server.url)
    monkeypatch.setattr(time, "sleep", meanwhile)
    run(waiting.pop(0), "")
    lines = "".join(said).splitlines()
    assert lines.count("offered: Visits in our region by Alpha Institute for ρ 0.05") == 2
    assert lines.count("could take part: visits True ") == 2
    assert lines.count("answered") == 3
    totals = [line for line in lines if line.startswith("all together: ")]
    assert len(totals) > 3
    assert totals == totals[: len(totals) // 3] * 3
    assert [one.spent for one in sides] == [(PRICE, 0)] * 3


def _code_in(said: list[str]) -> str:
    (code,) = re.findall(r"code for the others: (\S+)", "".join(said))
    return str(code)
