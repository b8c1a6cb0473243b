"""M3: the program of docs/how-to/regression.md, run as it stands there against a real server."""

import re
import time
from collections.abc import Callable
from typing import Any

import pytest
from pytest_django.live_server_helper import LiveServer

from dpgov.budgets.models import Charge
from dpgov.datasets.models import Dataset
from dpgov.privacy.accounting.decimals import NANO
from dpgov.tenants.models import Membership
from tests.cast import make_token
from tests.house.tree import ROOT

PAGE = ROOT / "docs/how-to/regression.md"


def test_the_program_of_the_page_asks_predicts_and_fits_again_for_nothing(
    dataset: Dataset,
    analyst: Membership,
    live_server: LiveServer,
    answer_all: Callable[[], int],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    monkeypatch.setenv("DPGOV_SERVER", live_server.url)
    monkeypatch.setenv("DPGOV_TOKEN", make_token(analyst, "nightly")[1])
    real_sleep = time.sleep

    def answered_meanwhile(_seconds: float) -> None:
        """The workers work while the program waits."""
        monkeypatch.setattr(time, "sleep", real_sleep)
        answer_all()

    monkeypatch.setattr(time, "sleep", answered_meanwhile)
    names: dict[str, Any] = {"__name__": "asking"}
    exec(compile(code, PAGE.name, "exec"), names)  # noqa: S102 - our own page
    said = capsys.readouterr().out
    assert "expected: intercept ±" in said
    assert said.count("intercept: ") == 2
    assert said.count("sex = Male: ") == 2
    assert "predicted: " in said
    assert "free, at a cost of: 0" in said
    assert [charge.amount_nano for charge in Charge.objects.all()] == [NANO]
