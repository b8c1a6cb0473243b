"""L10: JSON that a form brings along may hold anything: no pattern, no number without an end."""

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest
from django.http import QueryDict
from django.test import Client

from dpgov.datasets.models import Dataset
from dpgov.queries.web.forms.batch import QuestionRow
from dpgov.queries.web.forms.rows import LONGEST_TITLE
from dpgov.tenants.models import Membership
from tests.integration.queries.conftest import Filled
from tests.integration.queries.web.test_quote_page import text_of

FellOver = Callable[[str, Iterable[dict[str, Any]]], list[Any]]
AT = "/datasets/visits"
MOST_BYTES = 300_000
# More rows than these a form does not hold.
AT_ONCE = 20
# As JSON has them: some are numbers that no Python value of ours is written as.
INSTEAD = [
    "null", "[[0]]", '{"op": 0}', "true", "9" * 400, "1e999999999999", '"sNaN"', '"1e999999"',
    '"1e900000"', '"{0}"', '"{column:3000000}"', '"%s"', '"\\u0000"',
]  # fmt: skip
COUNT = {"statistic": "count"}
AGED = {"column": "age", "op": "between", "value": [20, 30]}
FILTER = {"or": [AGED, {"not": {"and": [{"column": "sex", "op": "in", "value": ["Male"]}]}}]}
SHORT = {"statistics": [{"statistic": "median", "column": "age"}], "where": [AGED], "epsilon": 1}
QUESTION = {
    "computed": [{"formula": "sum", "of": ["age", "hours"]}],
    "statistics": [
        {"statistic": "quantiles", "column": "age", "quantiles": [0.25, 0.5]},
        {"statistic": "mean", "column": "hours", "clip": {"from": 0, "to": 9}, "share": 0.5},
        {"statistic": "regression", "column": "age", "predictors": ["hours"]},
    ],
    "where": [FILTER],
    "group_by": [
        {"column": "age", "edges": [0, 50, 100]},
        {"column": "sex", "categories": ["Male"]},
        {"column": "day", "by": "month"},
    ],
    "per_unit": {"groups": 2, "rows_per_group": 3},
    "adaptive": {"rounds": 2, "tables": [["age"]], "mwem": True},
}


def with_each_leaf_replaced(whole: Any) -> Iterator[str]:
    """The JSON again and again, each time with one of its values as something else."""
    for holder, key in _leaves(whole):
        kept, holder[key] = holder[key], "@here"
        text = json.dumps(whole)
        holder[key] = kept
        yield from (text.replace('"@here"', other) for other in INSTEAD)


def _leaves(whole: Any) -> Iterator[tuple[Any, Any]]:
    for key in whole if isinstance(whole, dict) else range(len(whole)):
        inside = whole[key]
        yield from _leaves(inside) if isinstance(inside, dict | list) else [(whole, key)]


def many(kind: str, name: str, texts: list[str], **fields: Any) -> Iterator[dict[str, Any]]:
    """Forms with as many of these rows as one can hold."""
    for first in range(0, len(texts), AT_ONCE):
        some = dict(enumerate(texts[first : first + AT_ONCE]))
        rows = {f"{kind}-{place}-{name}": text for place, text in some.items()}
        yield {kind: [str(place) for place in some], **rows, "epsilon": "1", **fields}


@pytest.fixture
def fell_over(
    dataset: Dataset,
    analyst: Membership,
    owner: Membership,
    client_for: Callable[[Membership], Client],
) -> FellOver:
    """What was sent to a page that did not answer, or with far more than it was sent.

    In German: its plurals are found by arithmetic with the number.
    """

    def sent(page: str, forms: Iterable[dict[str, Any]]) -> list[Any]:
        browser = client_for(owner if page == "ready-made/new" else analyst)
        browser.raise_request_exception = False
        found = []
        for form in forms:
            answer = browser.post(f"{AT}/{page}/", form, headers={"Accept-Language": "de"})
            if answer.status_code >= 500 or len(answer.content) > MOST_BYTES:
                found.append((answer.status_code, len(answer.content), form))
        return found

    return sent


def test_no_question_of_a_batch_makes_the_page_fall_over(fell_over: FellOver) -> None:
    """L10: each value in it replaced; the title is said before anything is checked."""
    texts = list(with_each_leaf_replaced(QUESTION))
    assert fell_over("batch", many("question", "plan", texts)) == []


@pytest.mark.parametrize("page", ["ask", "quote", "tables"])
def test_no_filter_makes_a_page_fall_over(fell_over: FellOver, page: str) -> None:
    """L10: wherever filters are kept that the form cannot show."""
    texts = list(with_each_leaf_replaced(FILTER))
    more = {"statistic": ["0"], "statistic-0-kind": "count", "column-2-use": "on", "tables": "1"}
    assert fell_over(page, many("filter", "fixed", texts, **more)) == []


@pytest.mark.parametrize("page", ["approval", "ready-made/new"])
def test_no_question_that_is_sent_on_makes_a_page_fall_over(fell_over: FellOver, page: str) -> None:
    """L10: to be approved, or to be published."""
    forms = ({"plan": text, "purpose": "x"} for text in with_each_leaf_replaced(SHORT))
    assert fell_over(page, forms) == []


@pytest.mark.parametrize(
    "sign", ["{column:3000000}", "[{column.__class__}]", "{nothing}", "%s", "~", ["="], None]
)
def test_a_sign_that_is_none_is_no_pattern(browser: Client, dataset: Dataset, sign: Any) -> None:
    """L10: a question with it cannot be read, in a batch and as a filter."""
    condition = {"column": "age", "op": sign, "value": 3}
    batch = {"question-0-plan": json.dumps({"statistics": [COUNT], "where": [condition]})}
    page = browser.post(f"{AT}/batch/", {"question": ["0"], "epsilon": "1", **batch}).content
    assert "1. A question that cannot be read any more" in text_of(page)
    form = Filled().add("statistic", kind="count").add("filter", fixed=json.dumps(condition))
    page = browser.post(f"{AT}/ask/", form.posted(action="add_filter")).content
    assert "A filter that cannot be read any more" in text_of(page)


@pytest.mark.parametrize("order", ['"x"', '"sNaN"', '"1e900000"', "1e999999999999", "[]", "true"])
def test_a_quantile_that_is_no_number_cannot_be_read(order: str) -> None:
    """L10: nor one with more digits than a plan can hold."""
    known = '{"statistics": [{"statistic": "quantiles", "column": "age", "quantiles": [%s]}]}'
    assert _title(known % "0.25") == "Quantile of age at 25%"
    assert _title(known % order) == "A question that cannot be read any more"


def test_a_title_is_cut() -> None:
    """L10: what is brought along may be long; what is said of it is not."""
    title = _title(json.dumps({"statistics": [{"statistic": "mean", "column": "x" * 50_000}]}))
    assert (len(title), title[-2:]) == (LONGEST_TITLE, "x…")


def _title(text: str) -> str:
    data = QueryDict(mutable=True)
    data["question-0-plan"] = text
    return QuestionRow(data, prefix="question-0", row_id="0").title
