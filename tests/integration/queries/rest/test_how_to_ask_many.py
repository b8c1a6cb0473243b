"""M2, M14: the program of docs/how-to/ask-many.md, run as it stands there against a real server."""

from pathlib import Path

import pytest

from dpgov.budgets.models import Charge
from dpgov.privacy.accounting.decimals import NANO
from tests.house.tree import ROOT
from tests.integration.queries.rest.conftest import RunPage

PAGE = ROOT / "docs/how-to/ask-many.md"


@pytest.mark.usefixtures("dataset")
def test_the_program_of_the_page_asks_waits_takes_for_free_and_keeps_rows(
    run_page: RunPage, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    said = run_page(PAGE)
    assert "taken: " in said
    assert "accepted: True" in said
    assert "waiting" not in said
    assert said.count("free: ") == 3
    first, header, *rows = (tmp_path / "synthetic.csv").read_text().splitlines()
    assert first.startswith("# Synthetic rows")
    assert header == "sex,education,age"
    assert 50 < len(rows) < 400
    assert said.count(" drew ") == 2
    spent = sum(charge.amount_nano for charge in Charge.objects.all())
    assert NANO * 3 // 2 - 5 < spent <= NANO * 3 // 2
