"""M2: the page of a set of tables: proposed bins, every way with its error, asked all or none."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest
from django.test import Client

from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import current_version, schema_of
from dpgov.privacy.accounting.decimals import NANO
from dpgov.queries.models import Query
from tests.integration.queries.conftest import lower_limit
from tests.integration.queries.web.test_quote_page import text_of

PAGE = "/datasets/visits/tables/"
Unchanged = Callable[[], AbstractContextManager[None]]


@pytest.fixture
def form(dataset: Dataset) -> Callable[..., dict[str, Any]]:
    """What the browser sends, with these columns ticked."""
    names = [column.name for column in schema_of(current_version(dataset)).columns]

    def filled(*ticked: str, **more: Any) -> dict[str, Any]:
        used = {f"column-{names.index(name)}-use": "on" for name in ticked}
        edges = {f"column-{names.index('age')}-edges": "17, 30, 50, 90"}
        given = {"tables": "2", "by": "epsilon", "epsilon": "1", "key": "page-1"}
        return given | edges | used | more

    return filled


def test_the_ask_page_leads_to_it_and_every_column_has_a_proposal(
    browser: Client, dataset: Dataset
) -> None:
    asking = browser.get("/datasets/visits/ask/")
    assert f'href="{PAGE}"' in asking.content.decode()
    page = browser.get(PAGE)
    assert "Tick the columns that the tables are about." in text_of(page.content)
    assert 'value="0, ' in page.content.decode()


def test_every_way_is_shown_with_its_error_and_one_is_taken(
    browser: Client, form: Callable[..., dict[str, Any]], unchanged: Unchanged
) -> None:
    with unchanged():
        page = browser.post(PAGE, form("sex", "education", "age"))
    text = text_of(page.content)
    assert page.status_code == 200
    for words in ("Separate tables", "One full table", "Fewer, larger tables", "chosen"):
        assert words in text
    assert "sex × education" in text
    assert "Ask all for ε 1" in text
    assert "s if nobody else asks. Synthetic rows take at most 0.1 s and 1 MB." in text


def test_while_typing_the_price_alone_is_sent(
    browser: Client, form: Callable[..., dict[str, Any]]
) -> None:
    part = browser.post(PAGE, form("sex", "age"), headers={"HX-Target": "tables-quote"})
    assert "<form" not in part.content.decode()
    assert "Typical error" in text_of(part.content)


def test_the_set_is_asked_and_its_first_answer_is_followed(
    browser: Client, form: Callable[..., dict[str, Any]], answer_now: Callable[[], int]
) -> None:
    """M2: what the button named is what is charged, all of it and no more."""
    sent = browser.post(PAGE, form("sex", "education", "age", method="separate_tables", price="1"))
    asked = Query.objects.order_by("idempotency_key")
    assert (sent.status_code, sent["Location"]) == (302, f"/queries/{asked[0].pk}/")
    assert len(asked) == 3
    assert NANO - 3 < sum(query.cost_nano for query in asked) <= NANO
    assert answer_now() == 3
    assert browser.get(sent["Location"]).status_code == 200


def test_a_filter_is_added_in_place_and_is_of_every_table(
    browser: Client, form: Callable[..., dict[str, Any]], unchanged: Unchanged
) -> None:
    """M2: with scripts the form alone comes back, and nothing is asked by adding."""
    more = {"new_filter": "age", "action": "add_filter"}
    with unchanged():
        part = browser.post(PAGE, form("sex", **more), headers={"HX-Target": "form#ask-form"})
    shown = part.content.decode()
    assert shown.strip().startswith("<form")
    assert 'name="filter-0-column" value="age"' in shown
    assert f'hx-post="{PAGE}"' in shown
    row = {"filter": "0", "filter-0-column": "age", "filter-0-op": ">=", "filter-0-value": "30"}
    named = {"method": "separate_tables", "price": "1"}
    assert browser.post(PAGE, form("sex", "age", **row, **named)).status_code == 302
    assert [len(query.plan["where"]) for query in Query.objects.all()] == [1]


def test_a_filter_that_cannot_be_read_is_said_at_its_row(
    browser: Client, form: Callable[..., dict[str, Any]]
) -> None:
    row = {"filter": "0", "filter-0-column": "age", "filter-0-op": ">=", "filter-0-value": "old"}
    page = browser.post(PAGE, form("sex", **row))
    assert "age: Type a plain number, like 40 or -2.5." in text_of(page.content)


def test_tables_of_ones_own_are_named_a_line_each(
    browser: Client, form: Callable[..., dict[str, Any]]
) -> None:
    named = {"tables": "own", "named": "sex, age\r\n\r\neducation ,sex\r\n"}
    fields = form("sex", "education", "age", method="separate_tables", price="1", **named)
    browser.post(PAGE, fields)
    found = [[g["column"] for g in q.plan["group_by"]] for q in Query.objects.all()]
    assert sorted(map(sorted, found)) == [["age", "sex"], ["education", "sex"]]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"epsilon": "x"}, "plain decimal"),
        ({"tables": "3"}, "Tables of 1 to 2 columns"),
        ({"tables": "own", "named": "sex, nothing"}, "not one of the columns above"),
        ({"tables": "own", "named": ""}, "1 to 66 entries"),
        ({"tables": "5"}, "not one of the available choices"),
        ({"method": "magic"}, "not one of the available choices"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_asked(
    fields: dict[str, str],
    message: str,
    browser: Client,
    form: Callable[..., dict[str, Any]],
    unchanged: Unchanged,
) -> None:
    with unchanged():
        page = browser.post(PAGE, form("sex", "age", **fields, price="1"))
    assert page.status_code == 422
    assert message in text_of(page.content)


def test_edges_that_are_no_numbers_are_said_at_their_column(
    browser: Client, dataset: Dataset, form: Callable[..., dict[str, Any]]
) -> None:
    names = [column.name for column in schema_of(current_version(dataset)).columns]
    place = names.index("age")
    for edges, message in (("17, x", "plain number"), ("30, 20", "must rise"), ("17", "entries")):
        page = browser.post(PAGE, form("sex", "age", **{f"column-{place}-edges": edges}))
        assert f'href="#id_column-{place}-edges"' in page.content.decode()
        assert message in text_of(page.content)


def test_a_set_beyond_the_budget_offers_what_fits(
    browser: Client, dataset: Dataset, form: Callable[..., dict[str, Any]], unchanged: Unchanged
) -> None:
    lower_limit(dataset, NANO // 2)
    with unchanged():
        page = browser.post(PAGE, form("sex", "age", price="1"))
    assert "Use ε 0.5, the most that fits" in text_of(page.content)
    filled = browser.post(PAGE, form("sex", "age", fill_epsilon="0.5"))
    assert "Ask all for ε 0.5" in text_of(filled.content)


def test_another_price_than_the_button_named_is_not_charged(
    browser: Client, form: Callable[..., dict[str, Any]], unchanged: Unchanged
) -> None:
    with unchanged():
        page = browser.post(PAGE, form("sex", "age", price="0.5"))
    assert page.status_code == 422
    assert "The price of these tables is now ε 1" in text_of(page.content)


def test_adaptive_rounds_are_named_with_what_can_be_said_beforehand_and_asked(
    browser: Client,
    form: Callable[..., dict[str, Any]],
    unchanged: Unchanged,
    answer_now: Callable[[], int],
) -> None:
    """M16: no error of the whole is promised, and the fixed ways stand beside it."""
    sent = form("sex", "education", "age", method="adaptive", rounds="4")
    with unchanged():
        text = text_of(browser.post(PAGE, sent).content)
    for words in (
        "Rounds 4 Candidates 3",
        "Typical error of a drawn count",
        "Best fixed way",
        "No error of the whole can be promised",
        "The fits between the rounds take at most",
        "Separate tables",
    ):
        assert words in text
    assert "chosen" not in text.split("How the tables can be drawn")[1].split("Together")[0]
    asked = browser.post(PAGE, sent | {"price": "1"})
    assert asked.status_code == 302
    assert Query.objects.get().cost_nano == NANO
    assert answer_now() == 1
    assert "Round 4: " in text_of(browser.get(asked["Location"]).content)


def test_multiplicative_weights_are_a_method_of_their_own_by_name(
    browser: Client,
    form: Callable[..., dict[str, Any]],
    answer_now: Callable[[], int],
) -> None:
    """M16: MWEM is shown and explained beside the others, asked and told by its name."""
    assert "Multiplicative weights (MWEM)" in text_of(browser.get(PAGE).content)
    sent = form("sex", "education", method="mwem", rounds="2")
    text = text_of(browser.post(PAGE, sent).content)
    assert "Multiplicative weights (MWEM) Rounds 2 Candidates 1" in text
    asked = browser.post(PAGE, sent | {"price": "1"})
    assert answer_now() == 1
    told = text_of(browser.get(asked["Location"]).content)
    assert "in 2 tables chosen by MWEM among 1 of sex and education" in told
    assert "Half of the price paid for choosing." in told


def test_an_error_that_is_nearly_nothing_is_not_said_to_be_none(
    browser: Client, form: Callable[..., dict[str, Any]]
) -> None:
    """M16: at a price at which noise is nearly never there, a thousandth of a row."""
    sent = form("sex", "education", method="adaptive", rounds="2", epsilon="500")
    text = text_of(browser.post(PAGE, sent).content)
    assert "Typical error of a drawn count ± 0.001" in text
    assert "± 0 " not in text


@pytest.mark.parametrize("rounds", ["", "0", "21"])
def test_rounds_that_cannot_be_are_said_at_their_field(
    rounds: str, browser: Client, form: Callable[..., dict[str, Any]], unchanged: Unchanged
) -> None:
    with unchanged():
        page = browser.post(PAGE, form("sex", "age", method="adaptive", rounds=rounds))
    assert "Say how many rounds: from 1 to 20." in text_of(page.content)
    assert Query.objects.count() == 0
