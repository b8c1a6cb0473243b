"""M61: the program about a public table in docs/how-to/joins.md, run as it stands there."""

import re
import time
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from pytest_django.live_server_helper import LiveServer

from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from tests.cast import answer_now, make_token
from tests.house.tree import ROOT
from tests.integration.datasets.joins.public import OTHER, TOWNS, registered

PAGE = ROOT / "docs/how-to/joins.md"


@pytest.mark.parametrize(("table", "told"), [(TOWNS, "the same"), (OTHER, "ANOTHER")])
def test_the_program_of_the_page_compares_the_table_and_asks_by_its_column(
    browser: Client,
    analyst: Membership,
    live_server: LiveServer,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    table: bytes,
    told: str,
) -> None:
    """A worker answers while the program waits; one changed byte of the table is seen."""
    registered(browser)
    (tmp_path / "towns.csv").write_bytes(table)
    really = time.sleep

    def answer_meanwhile(_: float) -> None:
        monkeypatch.setattr(time, "sleep", really)
        assert answer_now(Query.objects.get().pk)

    code, _ = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DPGOV_SERVER", live_server.url)
    monkeypatch.setenv("DPGOV_TOKEN", make_token(analyst, "nightly")[1])
    monkeypatch.setattr(time, "sleep", answer_meanwhile)
    names: dict[str, Any] = {"__name__": "joining"}
    exec(compile(code, PAGE.name, "exec"), names)  # noqa: S102 - our own page
    first, second, *counts = capsys.readouterr().out.splitlines()
    assert first == f"towns.csv is {told} table"
    assert second == "joined where city is its town"
    assert [line.split()[0] for line in counts[:3]] == ["north", "middle", "south"]
    assert Query.objects.get().state == Query.State.RELEASED
