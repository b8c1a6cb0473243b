"""Accuracy first: say how wrong the answer may be, see the price, and pay no more than that."""

import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest
from django.test import Client
from rest_framework.test import APIClient

from dpgov.datasets.models import Dataset
from dpgov.privacy.accounting.decimals import NANO
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from tests.integration.queries.conftest import Filled, lower_limit
from tests.integration.queries.web.test_quote_page import text_of
from tests.made_once import made_once

QUOTE = "/datasets/visits/quote/"
API_QUOTE = "/api/v1/datasets/visits/quote/"
FIFTY = {"by": "error", "value": "50"}
Unchanged = Callable[[], AbstractContextManager[None]]


@made_once
def api(analyst: Membership, api_for: Callable[[Membership], APIClient]) -> APIClient:
    """The analyst's notebook."""
    return api_for(analyst)


def test_an_error_to_live_with_gets_its_price_before_anything_is_spent(
    browser: Client, dataset: Dataset, counting: Filled, unchanged: Unchanged
) -> None:
    with unchanged():
        said = text_of(browser.post(QUOTE, counting.posted(**FIFTY)).content)
    assert "smallest price that keeps the count off by at most 50 in 95% of answers" in said
    assert "Cost ? ε 0.05932" in said
    assert "Count of rows ε 0.05932 ± 50" in said
    assert "Ask for ε 0.05932" in said


def test_a_part_of_the_answer_is_priced_for_the_least_answer(
    browser: Client, dataset: Dataset, counting: Filled
) -> None:
    wanted = {"by": "relative", "percent": "5", "least": "1000", "level": "0.99"}
    said = text_of(browser.post(QUOTE, counting.posted(**wanted)).content)
    assert "off by at most 5% in 99% of answers, if it is at least 1000" in said
    assert "Ask for ε 0.09120" in said or re.search(r"Ask for ε 0\.09\d\d", said)


def test_what_was_priced_is_what_is_asked(
    browser: Client, dataset: Dataset, counting: Filled, answer_now: Callable[[], int]
) -> None:
    response = browser.post("/datasets/visits/ask/", counting.posted(**FIFTY, price="0.05932"))
    assert response.status_code == 302
    assert answer_now() == 1
    query = Query.objects.get()
    assert query.plan["epsilon"] == 0.05932
    assert query.cost_nano == 59_320_000


def test_an_old_price_of_a_new_wish_is_not_charged(
    browser: Client, dataset: Dataset, counting: Filled, unchanged: Unchanged
) -> None:
    with unchanged():
        wanted = {**FIFTY, "value": "40"}
        response = browser.post("/datasets/visits/ask/", counting.posted(**wanted, price="0.05932"))
    assert response.status_code == 422
    assert "The price of this question is now" in response.content.decode()


def test_the_chosen_one_of_several_statistics_sets_the_price(
    browser: Client, dataset: Dataset, counting: Filled
) -> None:
    counting.add("statistic", kind="median", column="age")
    wanted = counting.posted(by="error", value="20", target="1")
    said = text_of(browser.post(QUOTE, wanted).content)
    assert "keeps the median of age off by at most 20 rows in 95% of answers" in said
    assert re.search(r"Median of age ε [\d.]+ 20 rows", said)


def test_more_than_fits_is_refused_with_what_fits(
    browser: Client, dataset: Dataset, counting: Filled, unchanged: Unchanged
) -> None:
    lower_limit(dataset, NANO // 100)
    with unchanged():
        page = browser.post(QUOTE, counting.posted(**FIFTY)).content.decode()
    assert "Only ε 0.01 remains of the dataset&#x27;s budget." in page
    assert 'name="fill_epsilon" value="0.01"' in page


def test_what_fits_is_filled_in_in_place_of_the_wish(
    browser: Client, dataset: Dataset, counting: Filled
) -> None:
    filled = counting.posted(**FIFTY, fill_epsilon="0.01")
    page = browser.post("/datasets/visits/ask/", filled).content.decode()
    assert '<option value="epsilon" selected' in page
    assert "Ask for ε 0.01<" in page


@pytest.mark.parametrize(
    ("wanted", "field", "message"),
    [
        ({"by": "error"}, "id_value", "Type how far the answer may be off"),
        ({"by": "error", "value": "x"}, "id_value", "plain number"),
        ({"by": "error", "value": "0"}, "id_value", "above zero"),
        ({"by": "error", "value": "-3"}, "id_value", "above zero"),
        ({"by": "relative", "percent": "5"}, "id_least", "smallest answer"),
        ({"by": "relative", "least": "5"}, "id_percent", "how many percent"),
        ({"by": "relative", "least": "0", "percent": "1"}, "id_least", "above zero"),
        ({"by": "error", "value": "5", "level": "0.5"}, "id_level", "valid choice"),
        ({"by": "error", "value": "5", "target": "7"}, "id_target", "valid choice"),
        ({"by": "rho", "rho": "1"}, "id_by", "valid choice"),
        ({"by": "epsilon", "epsilon": ""}, "id_epsilon", "how much ε"),
    ],
)
def test_a_wish_that_cannot_be_priced_has_its_message_at_its_field(
    wanted: dict[str, str], field: str, message: str, browser: Client, dataset: Dataset,
    counting: Filled, unchanged: Unchanged,
) -> None:  # fmt: skip
    with unchanged():
        page = browser.post(QUOTE, {**counting.posted(), **wanted}).content.decode()
    refusals = re.findall(r'<a href="#([\w-]+)">([^<]*)</a>', page)
    assert [said for where, said in refusals if where == field and message in said]


def test_a_mean_needs_a_guess_before_its_price_is_known(browser: Client, dataset: Dataset) -> None:
    mean = Filled().add("statistic", kind="mean", column="age")
    wanted = {"by": "error", "value": "2"}
    page = browser.post(QUOTE, mean.posted(**wanted)).content.decode()
    assert 'href="#id_assumed_rows">How exact this is depends on the rows.' in page
    said = text_of(browser.post(QUOTE, mean.posted(**wanted, assumed_rows="150")).content)
    assert re.search(r"Mean of age ε [\d.]+ ± (2|1\.9\d*) ", said)


def test_an_error_that_nothing_reaches_is_refused_at_its_field(
    browser: Client, dataset: Dataset
) -> None:
    median = Filled().add("statistic", kind="median", column="age")
    page = browser.post(QUOTE, median.posted(by="error", value="0.5")).content.decode()
    assert 'href="#id_value">No ε is enough: even ε 1000 leaves an error of' in page


def test_the_api_prices_an_accuracy_and_spends_nothing(
    api: APIClient, dataset: Dataset, unchanged: Unchanged
) -> None:
    body: dict[str, Any] = {"statistics": [{"statistic": "count"}]}
    with unchanged():
        wanted = {"accuracy": {"statistic": 0, "value": 50, "confidence_level": 0.95}}
        priced = api.post(API_QUOTE, body | wanted, format="json").json()
        part = {"accuracy": {"relative": 0.05, "at_least": 1000}}
        assert api.post(API_QUOTE, body | part, format="json").json()["plan"] == priced["plan"]
    assert priced["plan"]["epsilon"] == priced["cost_epsilon"] == 0.05932
    assert priced["accepted"] is True
    assert api.post(API_QUOTE, priced["plan"], format="json").json()["cost_epsilon"] == 0.05932


def test_the_api_refuses_a_wish_by_its_path_and_never_submits_one(
    api: APIClient, dataset: Dataset, unchanged: Unchanged
) -> None:
    body: dict[str, Any] = {"statistics": [{"statistic": "count"}], "accuracy": {"value": 0}}
    with unchanged():
        refused = api.post(API_QUOTE, body, format="json")
        assert refused.status_code == 400
        assert refused.json()["errors"][0]["attr"] == "accuracy.value"
        body["accuracy"] = {"value": 50}
        submitted = api.post(
            "/api/v1/datasets/visits/queries/",
            body,
            format="json",
            headers={"Idempotency-Key": "k-1"},
        )
    assert submitted.status_code == 400
    assert {error["attr"] for error in submitted.json()["errors"]} == {"accuracy", "epsilon"}
