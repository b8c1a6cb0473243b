"""M3: a regression on its page: coefficients, pictures, a formula; refusals say what to do."""

import csv
import io
import json
import math
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from rest_framework.test import APIClient

from dpgov.budgets.models import Charge
from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import current_version, schema_of
from dpgov.privacy.answer.blueprint import prepare
from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.queries.models import Query, Release
from dpgov.queries.web.forms.offer import statistics_offered
from dpgov.queries.wording.logistic import logistic_regressions
from dpgov.queries.wording.regressions import regressions
from dpgov.tenants.models import Membership
from tests.integration.queries.web.test_quote_page import text_of
from tests.made_once import made_once

Ask = Callable[..., Query]


def asked(*predictors: str, column: str = "age") -> dict[str, Any]:
    return {"statistic": "regression", "column": column, "predictors": list(predictors)}


@made_once
def released(
    analyst: Membership, ask: Ask, answer_now: Callable[[], int]
) -> tuple[Query, dict[str, Any]]:
    query = ask(analyst, statistics=(asked("sex"),), epsilon=2)
    answer_now()
    return query, json.loads(Release.objects.get(query=query).body)


def test_the_page_has_the_coefficients_a_picture_and_the_line_as_python(
    released: tuple[Query, dict[str, Any]], browser: Client
) -> None:
    query, body = released
    page = browser.get(f"/queries/{query.pk}/")
    text = text_of(page.content)
    assert "Regression of age on sex" in text
    assert "95% interval for noise and chance" in text
    assert 'id="regression-1-1"' in page.content.decode()
    (regression,) = regressions(body)
    names: dict[str, Any] = {}
    exec(regression.formula, names)  # noqa: S102 - the formula of the page
    start, step = (s["cells"][0]["value"] for s in body["statistics"])
    second = body["statistics"][1]["category"]
    assert names["predict"]({"sex": second}) == pytest.approx(start + step)
    assert names["predict"]({"sex": "none of them"}) == pytest.approx(start)


def test_a_line_along_one_number_is_drawn_from_bound_to_bound(
    analyst: Membership, ask: Ask, answer_now: Callable[[], int], dataset: Dataset
) -> None:
    query = ask(analyst, statistics=(asked("hours"),), epsilon=2)
    answer_now()
    (regression,) = regressions(json.loads(Release.objects.get(query=query).body))
    effects, line = (figure for _caption, figure in regression.figures)
    assert effects["data"][0]["mode"] == "markers"
    assert line["data"][0]["mode"] == "lines"
    assert len(line["data"][0]["x"]) == 2


@pytest.mark.parametrize(
    ("statistic", "more", "path", "words"),
    [
        (asked(), {}, "statistics.0.predictors", "1 to 10"),
        (asked("age"), {}, "statistics.0.predictors.0", "explain itself"),
        (asked("sex", "sex"), {}, "statistics.0.predictors.1", "twice"),
        (asked("nobody"), {}, "statistics.0.predictors.0", "Unknown column"),
        (asked("age", column="sex"), {}, "statistics.0.column", "categories"),
        (
            {"statistic": "logistic_regression", "column": "age", "predictors": ["sex"]},
            {},
            "statistics.0.column",
            "no yes or no",
        ),
        (asked("sex"), {"group_by": [{"column": "sex"}]}, "group_by", "one line for all rows"),
        (
            {"statistic": "mean", "column": "age", "predictors": ["sex"]},
            {},
            "statistics.0.predictors",
            "Only a regression",
        ),
    ],
)
def test_what_cannot_be_fitted_is_refused_with_what_to_do(
    statistic: dict[str, Any],
    more: dict[str, Any],
    path: str,
    words: str,
    analyst: Membership,
    dataset: Dataset,
    api_for: Callable[[Membership], APIClient],
) -> None:
    body = {"statistics": [statistic], "epsilon": 1, **more}
    answer = api_for(analyst).post(f"/api/v1/datasets/{dataset.slug}/quote/", body, format="json")
    assert answer.status_code == 400
    found = {error["attr"]: error["detail"] for error in answer.json()["errors"]}
    assert words in found[path]


def test_the_page_says_the_error_of_each_coefficient_before_it_is_asked(dataset: Dataset) -> None:
    """The largest of all would hide the others."""
    schema = schema_of(current_version(dataset))
    raw = {"statistics": [asked("sex")], "epsilon": 1}
    plan = parse_plan(raw, schema, dataset=dataset.slug)
    offered = statistics_offered(prepare(plan, schema).describe(5_000))
    labels = ["Regression of age: intercept", "Regression of age: sex is Male"]
    assert [one.label for one in offered] == labels
    assert all(one.error for one in offered)


def test_the_quote_says_the_error_of_each_coefficient_for_a_number_of_rows(
    analyst: Membership, dataset: Dataset, api_for: Callable[[Membership], APIClient]
) -> None:
    """From public numbers: more rows, a smaller error; without a number of rows, none."""
    errors, api = [], api_for(analyst)
    for rows in (1_000, 100_000):
        body = {"statistics": [asked("sex")], "epsilon": 1}
        address = f"/api/v1/datasets/{dataset.slug}/quote/?assumed_rows={rows}"
        answer = api.post(address, body, format="json")
        said = answer.json()["description"]["statistics"]
        assert [one["term"] for one in said] == [None, "sex"]
        errors.append(said[1]["accuracy"][1]["value"])
    assert errors[1] < errors[0] / 20


def test_the_page_of_a_logistic_regression_has_odds_ratios_pictures_and_the_model_as_python(
    analyst: Membership, ask: Ask, answer_now: Callable[[], int], browser: Client
) -> None:
    """M33: of a yes or no; the formula gives a probability."""
    logistic = {"statistic": "logistic_regression", "column": "sex", "predictors": ["age", "hours"]}
    query = ask(analyst, statistics=(logistic,), epsilon=2)
    answer_now()
    text = text_of(browser.get(f"/queries/{query.pk}/").content)
    assert "Logistic regression of sex on age and hours" in text
    assert "Odds ratio" in text
    body = json.loads(Release.objects.get(query=query).body)
    (model,) = logistic_regressions(body)
    ratios, curve = (figure for _caption, figure in model.figures)
    assert len(ratios["data"][0]["x"]) == 2
    assert all(0 <= chance <= 1 for chance in curve["data"][0]["y"])
    names: dict[str, Any] = {}
    exec(model.formula, names)  # noqa: S102 - the formula of the page
    odds = sum(
        s["cells"][0]["value"] * {"age": 40, "hours": 20}.get(s["term"], 1)
        for s in body["statistics"]
    )
    predicted = names["predict"]({"age": 40, "hours": 20})
    assert predicted == pytest.approx(1 / (1 + math.exp(-odds)))


def test_its_files_tell_the_coefficients_apart(
    released: tuple[Query, dict[str, Any]], browser: Client
) -> None:
    query, body = released
    file = browser.get(f"/queries/{query.pk}/download/csv/").content.decode()
    lines = list(csv.DictReader(io.StringIO(file)))
    assert [line["term"] for line in lines] == ["intercept", "sex is Male"]
    in_german = {"Accept-Language": "de"}
    again = browser.get(f"/queries/{query.pk}/download/csv/", headers=in_german)
    assert (again["Content-Language"], again.content.decode()) == ("de", file)
    values = [statistic["cells"][0]["value"] for statistic in body["statistics"]]
    assert [float(line["value"]) for line in lines] == values
    assert browser.get(f"/queries/{query.pk}/download/pdf/").content.startswith(b"%PDF")


@pytest.mark.parametrize(
    "statistic",
    [
        asked("sex", "hours"),
        {"statistic": "logistic_regression", "column": "sex", "predictors": ["age", "hours"]},
    ],
    ids=lambda one: one["statistic"],
)
def test_it_can_be_tried_on_invented_rows(
    statistic: dict[str, Any],
    analyst: Membership,
    dataset: Dataset,
    api_for: Callable[[Membership], APIClient],
) -> None:
    """With the real noise of its price; nothing is spent."""
    body = {"statistics": [statistic], "epsilon": 1}
    answer = api_for(analyst).post(f"/api/v1/datasets/{dataset.slug}/mock/", body, format="json")
    assert answer.status_code == 200, answer.json()
    terms = [one["term"] for one in answer.json()["statistics"]]
    assert terms == [None, *statistic["predictors"]]
    assert not Charge.objects.exists()
