"""A browser that goes back shows an earlier question, whose price is its own or unpaid."""

import re
from collections.abc import Callable

import pytest
from django.test import Client

from dpgov.datasets.models import Dataset
from dpgov.tenants.models import Membership, Role
from tests.cast import join
from tests.integration.queries.conftest import Filled
from tests.integration.queries.web.test_quote_page import QUOTE, Unchanged, text_of
from tests.small_dataset import register_small_dataset

ASK = "/datasets/visits/ask/"
pytestmark = pytest.mark.usefixtures("dataset")


def _read(browser: Client, form: Filled) -> str:
    """What stands beside the price for the question that it is of."""
    found = re.search(
        r'name="priced" value="(\w+)"', browser.post(QUOTE, form.posted()).content.decode()
    )
    assert found is not None
    return found[1]


def test_a_question_is_not_sent_at_the_price_of_another_one(
    browser: Client, counting: Filled, unchanged: Unchanged
) -> None:
    """Both cost ε 0.5: the price alone tells them apart no more than a person in a hurry would."""
    read, other = _read(browser, counting), Filled().add("statistic", kind="mean", column="age")
    with unchanged():
        refused = browser.post(ASK, other.posted(price="0.5", priced=read))
    said = text_of(refused.content)
    assert refused.status_code == 422
    assert "The form holds another question than the price you saw was for." in said
    assert "Nothing was charged." in said
    again = browser.post(ASK, other.posted(price="0.5", priced=_read(browser, other)))
    assert again.status_code == 302


def test_a_price_that_was_shown_in_one_organisation_is_not_paid_in_another(
    analyst: Membership, stranger: Membership, browser: Client, counting: Filled,
    unchanged: Unchanged,
) -> None:  # fmt: skip
    """H10: both have a dataset "visits", where the question costs the same."""
    register_small_dataset(stranger, name="Visits")
    there = join(stranger.tenant, Role.ANALYST, "nina")
    Membership.objects.filter(pk=there.pk).update(user=analyst.user)
    browser.post("/switch/", {"membership": str(there.pk)})
    read = _read(browser, counting)
    browser.post("/switch/", {"membership": str(analyst.pk)})
    with unchanged():
        refused = browser.post(ASK, counting.posted(price="0.5", priced=read))
    assert refused.status_code == 422
    assert "another question than the price you saw" in text_of(refused.content)
    here = browser.post(ASK, counting.posted(price="0.5", priced=_read(browser, counting)))
    assert here.status_code == 302


def test_who_comes_back_to_the_form_finds_what_they_asked_with_it(
    browser: Client, counting: Filled
) -> None:
    counting.add("filter", column="age", op=">=", value="18").add(
        "group", column="sex", which="all"
    )
    browser.post(ASK, counting.posted(price="0.5"))
    page = browser.get(ASK, {"asked": counting.key}).content.decode()
    assert 'value="18"' in page
    assert re.search(r"for each sex|by sex", text_of(page.encode()))
    assert counting.key not in page.replace(f"asked={counting.key}", "")


def test_a_key_of_nothing_or_of_somebody_else_gives_an_empty_form(
    analyst: Membership, browser: Client, counting: Filled, dataset: Dataset,
    client_for: Callable[[Membership], Client],
) -> None:  # fmt: skip
    """No page tells whether another person has used a key."""
    counting.add("filter", column="age", op=">=", value="18")
    browser.post(ASK, counting.posted(price="0.5"))
    other = client_for(join(dataset.tenant, Role.ANALYST, "bela"))
    for who, key in ((other, counting.key), (browser, "never"), (browser, "\0'")):
        assert 'value="18"' not in who.get(ASK, {"asked": key}).content.decode()
