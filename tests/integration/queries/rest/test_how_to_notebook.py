"""The program of docs/how-to/notebook.md, run as it stands there against a real server."""

import ast
import json

import pytest

from dpgov.queries.models import Release
from tests.house.tree import ROOT
from tests.integration.queries.rest.conftest import RunPage

PAGE = ROOT / "docs/how-to/notebook.md"


@pytest.mark.usefixtures("dataset")
def test_the_program_of_the_page_makes_a_row_of_each_released_group(run_page: RunPage) -> None:
    """With the numbers of the release, and one name a column, as a data frame wants them."""
    rows = [ast.literal_eval(line) for line in run_page(PAGE).splitlines()]
    released = json.loads(Release.objects.get().body)
    count, mean = (
        [cell["value"] for cell in statistic["cells"]] for statistic in released["statistics"]
    )
    assert [row["sex"] for row in rows] == released["groups"][0]["bins"]
    assert [row["count"] for row in rows] == count
    assert [row["mean_age"] for row in rows] == mean
    assert {frozenset(row) for row in rows} == {
        frozenset({"sex", "count", "count_error", "mean_age", "mean_age_error"})
    }
