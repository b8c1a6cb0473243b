"""The page of a batch: questions put aside, priced while typing, asked all or none."""

import json
import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest
from django.test import Client

from dpgov.datasets.models import Dataset
from dpgov.privacy.accounting.decimals import NANO
from dpgov.queries.models import Query
from tests.integration.queries.asking.test_batches import COUNT, MALE, MEAN
from tests.integration.queries.conftest import Filled, lower_limit
from tests.integration.queries.web.test_quote_page import text_of

PAGE = "/datasets/visits/batch/"
Unchanged = Callable[[], AbstractContextManager[None]]


def form_of(*plans: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """What the browser sends from the page of a batch."""
    numbered = {f"question-{i}-plan": json.dumps(plan) for i, plan in enumerate(plans)}
    rows = [str(i) for i in range(len(plans))]
    return {"question": rows, "epsilon": "1", "key": "page-1"} | numbered | fields


def test_questions_are_put_aside_and_asked_together_from_their_page(
    browser: Client, dataset: Dataset, counting: Filled, answer_now: Callable[[], int],
    unchanged: Unchanged,
) -> None:  # fmt: skip
    mean = Filled().add("statistic", kind="mean", column="age")
    with unchanged():
        for form in (counting, mean):
            put = browser.post(f"{PAGE}add/", form.posted())
            assert (put.status_code, put["Location"]) == (302, PAGE)
    page = browser.get(PAGE).content.decode()
    fields = dict(re.findall(r'name="(question-\d-plan|key)" value="([^"]*)"', page))
    assert "1. Count of rows" in text_of(page.encode())
    assert "Ask all for ε 1" in text_of(page.encode())
    plans = [json.loads(fields[f"question-{i}-plan"].replace("&quot;", '"')) for i in (0, 1)]
    sent = browser.post(PAGE, form_of(*plans, key=fields["key"], price="1"))
    assert sent.status_code == 302
    assert sent["Location"].startswith("/history/?dataset=")
    assert [query.cost_nano for query in Query.objects.all()] == [NANO // 2, NANO // 2]
    assert "The batch is empty" in text_of(browser.get(PAGE).content)
    assert answer_now() == 2


def test_a_batch_begins_at_the_prices_of_what_was_put_aside(
    browser: Client, dataset: Dataset
) -> None:
    """Two questions at ε 0.1 are no batch at ε 1, and one of them taken out is half of it."""
    for kind in ("mean", "sum"):
        cheap = Filled(epsilon="0.1").add("statistic", kind=kind, column="age")
        browser.post(f"{PAGE}add/", cheap.posted())
    page = browser.get(PAGE).content
    assert "Ask all for ε 0.2" in text_of(page)
    found = re.findall(r'name="(question-\d-plan)" value="([^"]*)"', page.decode())
    plans = {name: value.replace("&quot;", '"') for name, value in found}
    browser.post(PAGE, {"question": ["0", "1"], "action": "remove_0", "epsilon": "0.2", **plans})
    assert "Ask all for ε 0.1" in text_of(browser.get(PAGE).content)


def test_a_question_with_problems_is_not_put_aside(
    browser: Client, dataset: Dataset, unchanged: Unchanged
) -> None:
    with unchanged():
        wrong = Filled().add("statistic", kind="sum")
        refused = browser.post(f"{PAGE}add/", wrong.posted())
    assert refused.status_code == 422
    assert "Choose the column" in text_of(refused.content)
    assert "The batch is empty" in text_of(browser.get(PAGE).content)


def test_a_question_is_taken_out_again(browser: Client, dataset: Dataset, counting: Filled) -> None:
    browser.post(f"{PAGE}add/", counting.posted())
    browser.post(f"{PAGE}add/", Filled().add("statistic", kind="count_distinct").posted())
    left = browser.post(PAGE, form_of(COUNT, MEAN, action="remove_0"))
    assert "question-0-plan" not in left.content.decode()
    assert "1. Mean of age" in text_of(left.content)
    assert "Mean of age" in text_of(browser.get(PAGE).content)


def test_a_batch_holds_no_more_than_can_be_priced(
    browser: Client, dataset: Dataset, counting: Filled
) -> None:
    for _ in range(21):
        browser.post(f"{PAGE}add/", counting.posted())
    page = browser.get(PAGE)
    assert "A batch holds at most 20 questions." in text_of(page.content)
    assert page.content.decode().count('name="question"') == 20


@pytest.mark.parametrize(
    ("fields", "target", "message"),
    [
        ({"epsilon": ""}, "id_epsilon", "how much ε"),
        ({"epsilon": "x"}, "id_epsilon", "plain decimal"),
        ({"question-0-share": "x"}, "id_question-0-share", "plain number"),
        ({"question-0-share": "0"}, "id_question-0-share", "above 0"),
        ({"question-1-share": "0.0000000001"}, "id_question-1-share", "at least"),
        ({"question-1-plan": "{"}, "id_question-1-plan", "cannot be read"),
        ({"question-1-plan": '{"statistics": []}'}, "id_question-1-plan", "1 to 10 entries"),
        ({"question-0-share": "60", "question-1-share": "60"}, "", "more than the whole"),
    ],
)
def test_what_is_wrong_with_a_batch_is_said_at_its_field(
    fields: dict[str, str], target: str, message: str, browser: Client, dataset: Dataset,
    unchanged: Unchanged,
) -> None:  # fmt: skip
    with unchanged():
        page = browser.post(PAGE, form_of(COUNT, MEAN, **fields, price="1"))
    assert page.status_code == 422
    wanting = r"Complete the question to see its price:.*?</ul>"
    listed = re.search(wanting, page.content.decode(), re.S)
    assert listed is not None
    found = re.findall(r'<li>(?:<a href="#([\w-]+)">)?([^<]*)', listed[0])
    assert [said for where, said in found if where == target and message in said]


def test_a_price_that_the_button_did_not_name_is_not_charged(
    browser: Client, dataset: Dataset, unchanged: Unchanged
) -> None:
    with unchanged():
        refused = browser.post(PAGE, form_of(COUNT, MEAN, epsilon="2", price="1"))
    assert refused.status_code == 422
    assert "The price of this batch is now ε 2" in text_of(refused.content)


def test_a_used_form_with_other_questions_is_refused(
    browser: Client, dataset: Dataset, unchanged: Unchanged
) -> None:
    assert browser.post(PAGE, form_of(COUNT, MEAN, price="1")).status_code == 302
    with unchanged():
        refused = browser.post(PAGE, form_of(MEAN, MALE, price="1"))
    assert refused.status_code == 422
    assert "already used for other questions" in text_of(refused.content)


def test_a_batch_over_budget_is_refused_with_what_fits(
    browser: Client, dataset: Dataset, unchanged: Unchanged
) -> None:
    lower_limit(dataset, 8 * NANO // 10)
    with unchanged():
        refused = browser.post(PAGE, form_of(COUNT, MEAN, price="1"))
    assert refused.status_code == 422
    assert 'name="fill_epsilon" value="0.8"' in refused.content.decode()
    filled = browser.post(PAGE, form_of(COUNT, MEAN, fill_epsilon="0.8"))
    assert "Ask all for ε 0.8" in text_of(filled.content)


def test_typing_swaps_only_the_price(browser: Client, dataset: Dataset) -> None:
    headers = {"HX-Request": "true", "HX-Target": "div#batch-quote"}
    part = browser.post(PAGE, form_of(COUNT, MEAN), headers=headers).content.decode()
    assert part.strip().startswith("<section")
    assert "Ask all for ε" in text_of(part.encode())
