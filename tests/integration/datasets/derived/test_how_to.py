"""M68: the program of docs/how-to/joins.md, run as it stands there against a real server."""

import re
import time
from typing import Any

import pytest
from pytest_django.live_server_helper import LiveServer

from dpgov.datasets.models import Dataset
from dpgov.tenants.models import Membership
from tests.cast import make_token
from tests.eager import read_waiting
from tests.house.tree import ROOT

PAGE = ROOT / "docs/how-to/joins.md"


def test_the_program_of_the_page_joins_two_datasets(
    owner: Membership,
    visits_and_costs: tuple[Dataset, Dataset],
    live_server: LiveServer,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A reader works while the program waits."""
    really = time.sleep

    def read_meanwhile(_: float) -> None:
        monkeypatch.setattr(time, "sleep", really)
        read_waiting()

    _, code = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    monkeypatch.setenv("DPGOV_SERVER", live_server.url)
    monkeypatch.setenv("DPGOV_TOKEN", make_token(owner, "nightly")[1])
    monkeypatch.setattr(time, "sleep", read_meanwhile)
    names: dict[str, Any] = {"__name__": "joining"}
    exec(compile(code, PAGE.name, "exec"), names)  # noqa: S102 - our own page
    said = capsys.readouterr().out.splitlines()
    assert said == [
        "done visits-and-costs",
        "made of visits version 1",
        "made of costs version 1",
    ]
