"""One form is one question, however often it is sent."""

import re
from collections.abc import Callable
from contextlib import AbstractContextManager

from django.test import Client

from dpgov.budgets.models import Budget, Reservation
from dpgov.datasets.models import Dataset
from dpgov.privacy.accounting.decimals import NANO
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from tests.integration.queries.conftest import Filled, ledger_state, lower_limit

ASK = "/datasets/visits/ask/"


def test_asking_reserves_the_price_and_leads_to_the_answer_page(
    browser: Client, dataset: Dataset, counting: Filled, analyst: Membership
) -> None:
    response = browser.post(ASK, counting.posted(price="0.5"))
    query = Query.objects.get()
    assert response.status_code == 302
    assert response["Location"] == f"/queries/{query.pk}/"
    assert query.analyst == analyst.user
    assert query.cost_nano == NANO // 2
    assert Budget.objects.get(pk=dataset.budget_id).reserved_nano == NANO // 2


def test_a_double_click_is_one_question(
    browser: Client, dataset: Dataset, counting: Filled
) -> None:
    """B6: the browser sends the same form twice."""
    places = [browser.post(ASK, counting.posted(price="0.5"))["Location"] for _ in range(5)]
    assert len(set(places)) == 1
    assert Query.objects.count() == Reservation.objects.count() == 1


def test_a_repeat_leads_to_the_same_question_when_the_budget_is_used_up(
    browser: Client, dataset: Dataset, counting: Filled
) -> None:
    lower_limit(dataset, NANO // 2)
    first = browser.post(ASK, counting.posted(price="0.5"))
    again = browser.post(ASK, counting.posted(price="0.5"))
    assert again.status_code == 302
    assert again["Location"] == first["Location"]


def test_two_visits_of_the_page_are_two_questions(browser: Client, dataset: Dataset) -> None:
    keys = set()
    for _ in range(2):
        page = browser.get(ASK).content.decode()
        found = re.search(r'name="key" value="([^"]+)"', page)
        assert found is not None
        keys.add(found[1])
    assert len(keys) == 2


def test_a_used_form_with_another_question_is_refused_and_can_be_sent_anew(
    browser: Client, dataset: Dataset, counting: Filled
) -> None:
    """B6: the same key with another body."""
    browser.post(ASK, counting.posted(price="0.5"))
    before = ledger_state()
    counting.add("filter", column="age", op=">", value="30")
    refused = browser.post(ASK, counting.posted(price="0.5"))
    assert refused.status_code == 422
    assert "already used for another question" in refused.content.decode()
    assert ledger_state() == before
    fresh = re.search(r'name="key" value="([^"]+)"', refused.content.decode())
    assert fresh is not None
    counting.key = fresh[1]
    assert browser.post(ASK, counting.posted(price="0.5")).status_code == 302
    assert Query.objects.count() == 2


def test_a_form_without_its_key_is_refused_and_gets_a_new_one(
    browser: Client,
    dataset: Dataset,
    counting: Filled,
    unchanged: Callable[[], AbstractContextManager[None]],
) -> None:
    counting.key = ""
    with unchanged():
        response = browser.post(ASK, counting.posted(price="0.5"))
    assert response.status_code == 422
    assert re.search(r'name="key" value="[0-9a-f-]{36}"', response.content.decode())


def test_adding_a_row_or_looking_at_the_price_asks_nothing(
    browser: Client,
    dataset: Dataset,
    counting: Filled,
    unchanged: Callable[[], AbstractContextManager[None]],
) -> None:
    with unchanged():
        for action in ("price", "add_filter", "remove_statistic_0", "nonsense_x_y", ""):
            assert browser.post(ASK, counting.posted(action=action)).status_code == 200
