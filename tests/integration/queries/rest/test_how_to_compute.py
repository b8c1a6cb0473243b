"""D9, F12: the program of docs/how-to/compute.md, run as it stands there against a real server."""

import pytest

from dpgov.budgets.models import Charge
from dpgov.privacy.accounting.decimals import NANO
from tests.house.tree import ROOT
from tests.integration.queries.rest.conftest import RunPage

PAGE = ROOT / "docs/how-to/compute.md"


@pytest.mark.usefixtures("dataset")
def test_the_program_of_the_page_computes_counts_and_gets_the_sum_again_for_nothing(
    run_page: RunPage,
) -> None:
    said = run_page(PAGE)
    assert "mean of age + hours is " in said
    assert "within [0, 180]" in said
    assert "[-80, 0) " in said
    assert "free: True" in said
    assert "refused: " in said
    assert "computed.0.formula" in said
    assert [charge.amount_nano for charge in Charge.objects.all()] == [NANO, NANO]
