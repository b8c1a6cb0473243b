"""Trying a question on invented rows: free, marked, and apart from everything that is real."""

import csv
import io
import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest
from django.test import Client
from rest_framework.test import APIClient

from dpgov.datasets import storage
from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import current_version, schema_of
from dpgov.engines.files import DuckDBEngine
from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.privacy.plan.schema import PrivacyUnit
from dpgov.queries.workbench.trial import rows_as_csv, try_plan
from dpgov.tenants.models import Membership
from tests.integration.queries.conftest import Filled
from tests.integration.queries.web.test_quote_page import text_of
from tests.unit.privacy.tables import COLUMNS
from tests.unit.privacy.tables import schema_of as invented_schema

MOCK = "/datasets/visits/mock/"
API = "/api/v1/datasets/visits/mock/"
HTMX = {"HX-Request": "true"}
Unchanged = Callable[[], AbstractContextManager[None]]
COUNT = {"statistics": [{"statistic": "count"}], "epsilon": 0.5}


@pytest.fixture
def no_engine(monkeypatch: pytest.MonkeyPatch, dataset: Dataset) -> None:
    """The data is gone, and nothing may look for it."""
    storage.data_path(current_version(dataset).pk).unlink()

    def touched(*_: object) -> None:
        raise AssertionError("an engine was asked")

    monkeypatch.setattr(DuckDBEngine, "answer", touched)


@pytest.mark.usefixtures("no_engine")
def test_a_trial_costs_nothing_touches_no_data_and_says_that_it_is_invented(
    browser: Client, dataset: Dataset, counting: Filled, unchanged: Unchanged
) -> None:
    with unchanged():
        said = text_of(browser.post(MOCK, counting.posted(), headers=HTMX).content)
    assert "Invented Not an answer" in said
    assert "1,000 made-up rows" in said
    assert "It says nothing about Visits" in said
    assert "Count of rows" in said


def test_without_scripts_the_whole_page_comes_back_with_the_trial(
    browser: Client, dataset: Dataset, counting: Filled
) -> None:
    said = text_of(browser.post(MOCK, counting.posted(epsilon="0.25")).content)
    assert "What do you want to know?" in said
    assert "Invented Not an answer" in said
    assert "the real one for ε 0.25" in said


def test_what_cannot_be_priced_cannot_be_tried_and_says_why(
    browser: Client, dataset: Dataset
) -> None:
    no_column = Filled().add("statistic", kind="mean", column="")
    fragment = browser.post(MOCK, no_column.posted(), headers=HTMX)
    assert "This cannot be tried yet" in text_of(fragment.content)
    assert browser.post(MOCK, no_column.posted()).status_code == 422


def test_a_question_beyond_the_budget_can_still_be_tried(
    browser: Client, dataset: Dataset, counting: Filled
) -> None:
    said = text_of(browser.post(MOCK, counting.posted(epsilon="500"), headers=HTMX).content)
    assert "Not an answer" in said


def test_groups_are_cut_short_and_the_rest_is_counted(
    browser: Client, dataset: Dataset, counting: Filled
) -> None:
    counting.add("group", column="age", mode="width", lower="0", upper="100", width="5")
    said = text_of(browser.post(MOCK, counting.posted(), headers=HTMX).content)
    assert "55–59" in said
    assert "And 9 more groups" in said


def test_a_question_of_very_many_groups_is_asked_and_not_tried(
    browser: Client, dataset: Dataset, counting: Filled
) -> None:
    """It has a price; a trial is made while its reader waits."""
    for column in ("age", "hours"):
        counting.add("group", column=column, mode="width", lower="0", upper="80", width="1")
    counting.add("group", column="sex", which="all")
    said = text_of(browser.post(MOCK, counting.posted(), headers=HTMX).content)
    assert "This cannot be tried yet" in said
    assert "at most 10000 are answered at once" in said
    assert browser.post(MOCK, counting.posted()).status_code == 422


def test_the_noise_is_fresh_and_the_rows_are_not(dataset: Dataset) -> None:
    schema = schema_of(current_version(dataset))
    plan = parse_plan({**COUNT, "epsilon": 0.001}, schema, dataset="visits")
    trials = [try_plan(plan, schema) for _ in range(12)]
    told = {trial.body["statistics"][0]["cells"][0]["value"] for trial in trials}
    exact = {trial.nearly_exact["statistics"][0]["cells"][0]["value"] for trial in trials}
    assert len(told) > 1
    assert exact == {1000}


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("unit", [PrivacyUnit(), PrivacyUnit("person", 3, 2)])
def test_every_statistic_can_be_tried_in_both_currencies_and_for_both_units(
    mode: Mode, unit: PrivacyUnit
) -> None:
    schema = invented_schema(mode=mode, unit=unit)
    kinds = ["sum", "mean", "variance", "standard_deviation", "median", "min", "max"]
    statistics: list[dict[str, Any]] = [{"statistic": kind, "column": "age"} for kind in kinds]
    statistics += [{"statistic": "count"}, {"statistic": "count_distinct"}]
    raw = {"statistics": statistics, "epsilon": 1, "group_by": [{"column": "sex"}]}
    trial = try_plan(parse_plan(raw, schema, dataset="people"), schema)
    assert [len(cells) for _, cells in trial.lines] == [len(statistics)] * 3
    assert trial.groups == "sex"


@pytest.mark.usefixtures("no_engine")
def test_the_api_answers_as_a_release_does_and_says_that_it_is_none(
    analyst: Membership, api_for: Callable[[Membership], APIClient], unchanged: Unchanged
) -> None:
    with unchanged():
        answer = api_for(analyst).post(f"{API}?assumed_rows=150", COUNT, format="json")
    body = json.loads(answer.content)
    assert answer.status_code == 200
    assert (body["mock"], body["rows"]) == (True, 150)
    assert "say nothing about the dataset" in body["message"]
    assert set(body) >= {"format", "plan", "guarantee", "groups", "draws", "statistics"}


def test_the_api_tries_what_is_asked_by_accuracy(
    dataset: Dataset, analyst: Membership, api_for: Callable[[Membership], APIClient]
) -> None:
    wanted = {"statistics": COUNT["statistics"], "accuracy": {"value": 20}}
    body = json.loads(api_for(analyst).post(API, wanted, format="json").content)
    assert body["plan"]["epsilon"] > 0


@pytest.mark.parametrize("rows", ["0", "50001", "x", "-1", "1" * 30])
def test_a_file_of_another_size_is_refused(
    browser: Client,
    dataset: Dataset,
    analyst: Membership,
    api_for: Callable[[Membership], APIClient],
    rows: str,
) -> None:
    told = "Give a number of rows from 1 to 50000."
    page = browser.get(f"{MOCK}rows.csv?rows={rows}")
    assert (page.status_code, page.content.decode()) == (400, told)
    refused = api_for(analyst).get(f"{API}rows/?rows={rows}")
    assert refused.status_code == 400
    (error,) = json.loads(refused.content)["errors"]
    assert (error["attr"], error["detail"]) == ("rows", told)


@pytest.mark.usefixtures("no_engine")
def test_the_file_holds_the_declared_columns_and_is_always_the_same(
    browser: Client, analyst: Membership, api_for: Callable[[Membership], APIClient]
) -> None:
    file = browser.get(f"{MOCK}rows.csv?rows=40").content
    assert file == browser.get(f"{MOCK}rows.csv?rows=40").content
    assert file == api_for(analyst).get(f"{API}rows/?rows=40").content
    rows = list(csv.DictReader(io.StringIO(file.decode())))
    assert len(rows) == 40
    assert list(rows[0]) == ["age", "hours", "sex", "education"]
    assert {row["sex"] for row in rows} <= {"Female", "Male", ""}


def test_the_file_names_invented_people_where_a_column_names_the_unit() -> None:
    file = rows_as_csv(invented_schema(*COLUMNS, unit=PrivacyUnit("person", 3)), 30).decode()
    people = [row["person"] for row in csv.DictReader(io.StringIO(file))]
    assert all(person.startswith("invented-") for person in people)
    assert len(set(people)) < len(people)
