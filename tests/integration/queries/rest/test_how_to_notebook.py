"""The program of docs/how-to/notebook.md, run as it stands there against a real server."""

import ast
import json
import re
from pathlib import Path
from typing import Any

import pytest

from dpgov.datasets.models import Dataset
from dpgov.privacy.answer.body import MAX_CELLS
from dpgov.queries.asking.submit import submit_batch
from dpgov.queries.models import Query, Release
from dpgov.tenants.models import Membership
from tests.house.tree import ROOT
from tests.integration.queries.rest.conftest import RunPage

PAGE = ROOT / "docs/how-to/notebook.md"
QUARTILES = {"statistic": "quantiles", "column": "age", "quantiles": [0.25, 0.5, 0.75]}
MEAN = {"statistic": "mean", "column": "age"}
CLIPPED = MEAN | {"clip": {"from": 18, "to": 65}}
REGRESSION = {"statistic": "regression", "column": "hours", "predictors": ["age", "sex"]}
OTHER_REGRESSION = REGRESSION | {"predictors": ["age"]}


def asking(tmp_path: Path, **plan: Any) -> Path:
    """The page with another plan in its program, and nothing else changed."""
    page = tmp_path / PAGE.name
    text, found = re.subn(
        r"^PLAN = \{.*?^\}", f"PLAN = {plan!r}", PAGE.read_text(), flags=re.MULTILINE | re.DOTALL
    )
    assert found == 1
    page.write_text(text)
    return page


def rows_of(printed: str) -> list[dict[str, Any]]:
    return [ast.literal_eval(line) for line in printed.splitlines()]


@pytest.mark.usefixtures("dataset")
def test_the_program_of_the_page_makes_a_row_of_each_released_group(run_page: RunPage) -> None:
    """With the numbers of the release, and one name a column, as a data frame wants them."""
    rows = rows_of(run_page(PAGE))
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


@pytest.mark.usefixtures("dataset")
@pytest.mark.parametrize(
    ("statistics", "names"),
    [
        ([QUARTILES], ["quantiles_age_0.25", "quantiles_age_0.5", "quantiles_age_0.75"]),
        ([MEAN, CLIPPED], ["mean_age", "mean_age_18_65"]),
        (
            [REGRESSION, OTHER_REGRESSION],
            [
                "regression_hours_intercept",
                "regression_hours_age",
                "regression_hours_sex_Male",
                "regression_hours_intercept_3",
                "regression_hours_age_4",
            ],
        ),
    ],
    ids=["quantiles", "clipped and not", "two regressions"],
)
def test_no_number_of_a_release_takes_the_place_of_another(
    run_page: RunPage, tmp_path: Path, statistics: list[dict[str, Any]], names: list[str]
) -> None:
    (row,) = rows_of(run_page(asking(tmp_path, statistics=statistics, epsilon=1)))
    released = json.loads(Release.objects.get().body)["statistics"]
    values = [one["cells"][0]["value"] for one in released]
    assert {name: row.get(name) for name in names} == dict(zip(names, values, strict=True))


@pytest.mark.usefixtures("dataset")
def test_very_many_groups_are_rows_too(run_page: RunPage, tmp_path: Path) -> None:
    """Their numbers stand in one list, with one error for all."""
    bins = [{"column": name, "edges": list(range(101))} for name in ("age", "hours")]
    plan = {"statistics": [{"statistic": "count"}], "group_by": bins, "epsilon": 0.5}
    rows = rows_of(run_page(asking(tmp_path, **plan)))
    values = json.loads(Release.objects.get().body)["statistics"][0]["values"]
    assert len(rows) > MAX_CELLS
    assert [row["count"] for row in rows] == values
    assert len({row["count_error"] for row in rows}) == 1


def test_each_drawn_table_of_adaptive_rounds_has_its_rows(
    run_page: RunPage, tmp_path: Path, dataset: Dataset, analyst: Membership
) -> None:
    """A set of tables is asked as a batch; its answer is read as any other."""
    columns = [{"column": "sex"}, {"column": "education"}]
    tables = {"columns": columns, "tables": 1, "method": "adaptive", "rounds": 2, "epsilon": 1}
    asked = submit_batch(
        membership=analyst, dataset=dataset, raw_batch=tables, idempotency_key="rounds"
    )
    page = asking(tmp_path, epsilon=1)
    there = f'query = call("queries/{asked.query.pk}/")'
    text, found = re.subn(r"^query = call.*$", there, page.read_text(), flags=re.MULTILINE)
    assert found == 1
    page.write_text(text)
    rows = rows_of(run_page(page))
    drawn = json.loads(Release.objects.get().body)["rounds"]
    cells = [cell["value"] for one in drawn for cell in one["statistics"][0]["cells"]]
    assert len(cells) > 2
    assert [row["count"] for row in rows] == cells


@pytest.mark.usefixtures("dataset")
def test_a_refusal_is_told_in_its_own_words(run_page: RunPage, tmp_path: Path) -> None:
    page = asking(tmp_path, statistics=[{"statistic": "count"}], epsilon=2.5)
    with pytest.raises(SystemExit, match=r"^400: One question on this dataset may cost at most"):
        run_page(page)
    assert not Query.objects.exists()
