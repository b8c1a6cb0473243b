"""M3: the program of docs/how-to/regression.md, run as it stands there against a real server."""

import pytest

from dpgov.budgets.models import Charge
from dpgov.privacy.accounting.decimals import NANO
from tests.house.tree import ROOT
from tests.integration.queries.rest.conftest import RunPage

PAGE = ROOT / "docs/how-to/regression.md"


@pytest.mark.usefixtures("dataset")
def test_the_program_of_the_page_asks_predicts_and_fits_again_for_nothing(
    run_page: RunPage,
) -> None:
    said = run_page(PAGE)
    assert "expected: intercept ±" in said
    assert said.count("intercept: ") == 2
    assert said.count("sex = Male: ") == 2
    assert "predicted: " in said
    assert "free, at a cost of: 0" in said
    assert "odds ratio of age: " in said
    assert [charge.amount_nano for charge in Charge.objects.all()] == [NANO, NANO]
