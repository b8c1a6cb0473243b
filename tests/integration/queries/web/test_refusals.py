"""Bad input in the ask form: a clear message at the right field, and nothing spent or lost."""

import html
import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest
from django.test import Client

from dpgov.datasets.models import Dataset
from dpgov.privacy.accounting.decimals import NANO
from dpgov.queries.models import Query
from tests.declared import declare_otherwise
from tests.integration.queries.conftest import Filled, lower_limit

ASK = "/datasets/visits/ask/"
Unchanged = Callable[[], AbstractContextManager[None]]


def error_at(field: str, page: bytes) -> str:
    """The message that the page ties to this field, or ""."""
    found = re.search(rf'id="id_{field}_error">(.*?)</div>', page.decode(), re.S)
    return html.unescape(found[1]) if found else ""


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("", "Type how much ε"),
        ("0", "above zero"),
        ("0.0", "above zero"),
        ("-1", "above zero"),
        ("NaN", "plain decimal number"),
        ("inf", "plain decimal number"),
        ("1e-400", "at least 0.000000001"),
        ("0.0000000001", "at least 0.000000001"),
        ("0.1234567891", "at most nine decimals"),
        ("True", "plain decimal number"),
        ("０.５", "plain decimal number"),
        ("0,5", "Write 0.5: decimals take a point here."),
        ("1001", "at most 1000"),
        ("9" * 59, "plain decimal number"),
    ],
)
def test_an_epsilon_that_cannot_be_booked_is_refused_at_its_field(
    typed: str,
    message: str,
    browser: Client,
    dataset: Dataset,
    counting: Filled,
    unchanged: Unchanged,
) -> None:
    counting.epsilon = typed
    with unchanged():
        response = browser.post(ASK, counting.posted(price="0.5"))
    assert response.status_code == 422
    assert message in error_at("epsilon", response.content)


QUANTILES = {"kind": "quantiles", "column": "age"}
MEDIAN = {"kind": "median", "column": "age"}


@pytest.mark.parametrize(
    ("what", "row", "field", "message"),
    [
        ("statistic", {"kind": "mode"}, "statistic-1-kind", "valid choice"),
        ("statistic", {"kind": "median"}, "statistic-1-column", "Choose the column"),
        ("statistic", QUANTILES, "statistic-1-quantiles", "at least one"),
        ("statistic", {**QUANTILES, "quantiles": "a"}, "statistic-1-quantiles", "plain number"),
        ("statistic", {**QUANTILES, "quantiles": "50"}, "statistic-1-quantiles", "0 and 1"),
        ("statistic", {**QUANTILES, "quantiles": "0"}, "statistic-1-quantiles", "min or max"),
        ("statistic", {**MEDIAN, "share": "x"}, "statistic-1-share", "plain number"),
        ("statistic", {**MEDIAN, "share": "0"}, "statistic-1-share", "above 0"),
        ("statistic", {**MEDIAN, "share": "100"}, "statistic-1-share", "leave nothing"),
        (
            "statistic",
            {"kind": "cdf"},
            "statistic-1-kind",
            "runs along a column of numbers or dates",
        ),
        ("filter", {"fixed": "{"}, "filter-0-fixed", "cannot be read"),
        ("filter", {"fixed": "[1]"}, "filter-0-fixed", "cannot be read"),
        (
            "filter",
            {"fixed": '{"not": {"column": "pay", "op": "=", "value": 1}}'},
            "filter-0-fixed",
            "Unknown column “pay”",
        ),
        ("statistic", {"kind": "sum"}, "statistic-1-column", "Choose the column"),
        ("statistic", {"kind": "sum", "column": "sex"}, "statistic-1-column", "holds categories"),
        ("statistic", {"kind": "mean", "column": "salary"}, "statistic-1-column", "valid choice"),
        ("statistic", {"kind": "count"}, "statistic-1-kind", "there twice"),
        ("statistic", {"kind": "histogram"}, "statistic-1-kind", "needs groups"),
        ("filter", {"column": "age", "op": "~", "value": "1"}, "filter-0-op", "valid choice"),
        ("filter", {"column": "age", "op": "=", "value": ""}, "filter-0-value", "Type a number"),
        ("filter", {"column": "age", "op": "=", "value": "old"}, "filter-0-value", "plain number"),
        ("filter", {"column": "age", "op": "<", "value": "NaN"}, "filter-0-value", "plain number"),
        ("filter", {"column": "age", "op": "<", "value": "４０"}, "filter-0-value", "plain number"),
        ("filter", {"column": "age", "op": "=", "value": "1 2"}, "filter-0-value", "one number"),
        (
            "filter",
            {"column": "age", "op": "between", "value": "1"},
            "filter-0-upper",
            "Type the largest",
        ),
        (
            "filter",
            {"column": "age", "op": "between", "value": "9", "upper": "1"},
            "filter-0-value",
            "9 is above 1",
        ),
        ("filter", {"column": "sex", "op": "in"}, "filter-0-values", "at least one"),
        (
            "filter",
            {"column": "sex", "op": "in", "values": ["Unknown"]},
            "filter-0-values",
            "valid choice",
        ),
        (
            "group",
            {"column": "sex", "which": "some"},
            "group-0-values",
            "at least one",
        ),
        (
            "group",
            {"column": "age", "mode": "width", "lower": "0", "upper": "9", "width": "0"},
            "group-0-width",
            "above zero",
        ),
        (
            "group",
            {"column": "age", "mode": "width", "lower": "9", "upper": "0", "width": "1"},
            "group-0-width",
            "above “from”",
        ),
        (
            "group",
            {
                "column": "age",
                "mode": "width",
                "lower": "0",
                "upper": "999999999",
                "width": "0.000000001",
            },
            "group-0-width",
            "choose a width",
        ),
        (
            "group",
            {"column": "age", "mode": "width", "lower": "0", "upper": "9"},
            "group-0-width",
            "Type a number",
        ),
        ("group", {"column": "age", "mode": "edges", "edges": "5"}, "group-0-edges", "two edges"),
        ("group", {"column": "age", "mode": "edges", "edges": "5,5"}, "group-0-edges", "rise"),
        ("group", {"column": "age", "mode": "edges", "edges": "a,b"}, "group-0-edges", "number"),
    ],
)
def test_a_row_that_cannot_be_asked_is_refused_at_its_field(
    what: str,
    row: dict[str, Any],
    field: str,
    message: str,
    browser: Client,
    dataset: Dataset,
    counting: Filled,
    unchanged: Unchanged,
) -> None:
    counting.add(what, **row)
    with unchanged():
        response = browser.post(ASK, counting.posted(price="0.5"))
    assert response.status_code == 422
    assert message in error_at(field, response.content)


@pytest.mark.parametrize("what", ["filter", "group"])
def test_an_unknown_column_is_refused_by_name(
    what: str, browser: Client, dataset: Dataset, counting: Filled, unchanged: Unchanged
) -> None:
    counting.add(what, column="<b>salary", op="in", which="all")
    with unchanged():
        response = browser.post(ASK, counting.posted(price="0.5"))
    assert response.status_code == 422
    assert "no column “&lt;b&gt;salary”" in response.content.decode()


def test_a_question_over_budget_is_refused_with_what_fits(
    browser: Client, dataset: Dataset, counting: Filled, unchanged: Unchanged
) -> None:
    lower_limit(dataset, NANO // 4)
    with unchanged():
        response = browser.post(ASK, counting.posted(price="0.5"))
    assert response.status_code == 422
    assert 'name="fill_epsilon" value="0.25"' in response.content.decode()


def test_a_question_above_the_limit_for_one_is_refused_with_what_fits(
    browser: Client, dataset: Dataset, counting: Filled, unchanged: Unchanged
) -> None:
    counting.epsilon = "2.000000001"
    with unchanged():
        response = browser.post(ASK, counting.posted(price="2.000000001"))
    assert response.status_code == 422
    assert 'name="fill_epsilon" value="2"' in response.content.decode()


@pytest.mark.parametrize("agreed", ["0.1", "", "NaN", "x"])
def test_a_price_that_the_button_did_not_name_is_not_charged(
    agreed: str, browser: Client, dataset: Dataset, counting: Filled, unchanged: Unchanged
) -> None:
    with unchanged():
        response = browser.post(ASK, counting.posted(price=agreed))
    assert response.status_code == 422
    page = response.content.decode()
    assert "The price of this question is now ε 0.5" in page
    assert "Ask for ε 0.5" in page


@pytest.mark.parametrize("again", ["x", "00000000-0000-4000-8000-000000000000"])
def test_a_forged_id_to_ask_again_is_missing(again: str, browser: Client, dataset: Dataset) -> None:
    assert browser.get(ASK, {"again": again}).status_code == 404


def test_a_foreign_question_to_ask_again_is_missing(
    browser: Client, dataset: Dataset, foreign_dataset: Dataset, stranger: Any, ask: Any
) -> None:
    foreign = ask(stranger, of=foreign_dataset)
    assert browser.get(ASK, {"again": str(foreign.pk)}).status_code == 404


def test_what_was_typed_is_still_there_after_a_refusal(
    browser: Client, dataset: Dataset, counting: Filled
) -> None:
    counting.epsilon = "nonsense"
    counting.add("filter", column="age", op=">=", value="33")
    page = browser.post(ASK, counting.posted(price="0.5")).content.decode()
    assert 'value="nonsense"' in page
    assert 'name="filter-0-value" value="33"' in page
    assert f'name="key" value="{counting.key}"' in page
    assert Query.objects.count() == 0


def test_a_filter_by_missing_values_is_refused_where_none_can_be_missing(
    browser: Client, dataset: Dataset, counting: Filled, unchanged: Unchanged
) -> None:
    columns = dataset.versions.get().columns
    declare_otherwise(columns.filter(name="age"), missing="impute", impute="0")
    counting.add("filter", column="age", op="is_missing")
    with unchanged():
        response = browser.post(ASK, counting.posted(price="0.5"))
    assert "no missing values" in error_at("filter-0-op", response.content)
