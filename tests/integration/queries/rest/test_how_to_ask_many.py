"""M2: the program of docs/how-to/ask-many.md, run as it stands there against a real server."""

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pytest_django.live_server_helper import LiveServer

from dpgov.budgets.models import Charge
from dpgov.datasets.models import Dataset
from dpgov.privacy.accounting.decimals import NANO
from dpgov.tenants.models import Membership
from tests.cast import make_token
from tests.house.tree import ROOT

PAGE = ROOT / "docs/how-to/ask-many.md"


def test_the_program_of_the_page_asks_waits_takes_for_free_and_keeps_rows(
    dataset: Dataset,
    analyst: Membership,
    live_server: LiveServer,
    answer_all: Callable[[], int],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    monkeypatch.setenv("DPGOV_SERVER", live_server.url)
    monkeypatch.setenv("DPGOV_TOKEN", make_token(analyst, "nightly")[1])
    monkeypatch.chdir(tmp_path)
    real_sleep = time.sleep

    def answered_meanwhile(_seconds: float) -> None:
        """The workers work while the program waits."""
        monkeypatch.setattr(time, "sleep", real_sleep)
        answer_all()

    monkeypatch.setattr(time, "sleep", answered_meanwhile)
    names: dict[str, Any] = {"__name__": "asking"}
    exec(compile(code, PAGE.name, "exec"), names)  # noqa: S102 - our own page
    said = capsys.readouterr().out
    assert "taken: " in said
    assert "accepted: True" in said
    assert "waiting" not in said
    assert said.count("free: ") == 3
    first, header, *rows = (tmp_path / "synthetic.csv").read_text().splitlines()
    assert first.startswith("# Synthetic rows")
    assert header == "sex,education,age"
    assert 50 < len(rows) < 400
    assert NANO - 5 < sum(charge.amount_nano for charge in Charge.objects.all()) <= NANO
