"""Asking a dataset that counts ρ: amounts in either sign, accuracy first, batches."""

import json
import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from decimal import Decimal

import pytest
from django.test import Client

from dpgov.datasets.models import Dataset
from dpgov.privacy.budget import NANO, as_text
from dpgov.privacy.currency import Currency
from dpgov.privacy.loss import Mode, rho_of
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from tests.integration.asking.conftest import Filled
from tests.integration.asking.test_batch_page import form_of
from tests.integration.asking.test_batches import COUNT, MEAN
from tests.integration.asking.test_quote_page import text_of
from tests.small_dataset import register_small_dataset

ASK = "/datasets/counts-rho/ask/"
QUOTE = "/datasets/counts-rho/quote/"
Unchanged = Callable[[], AbstractContextManager[None]]


@pytest.fixture
def dataset(owner: Membership) -> Dataset:
    """Its losses are added up as ρ."""
    currency = Currency(Mode.ZCDP, Decimal("1e-6"))
    return register_small_dataset(owner, name="Counts rho", limit_nano=3 * NANO, currency=currency)


def test_an_amount_can_be_given_as_epsilon_or_as_rho(
    browser: Client, dataset: Dataset, counting: Filled, unchanged: Unchanged
) -> None:
    with unchanged():
        by_epsilon = text_of(browser.post(QUOTE, counting.posted(epsilon="0.1")).content)
        by_rho = text_of(browser.post(QUOTE, counting.posted(by="rho", rho="0.005")).content)
        refused = browser.post(QUOTE, counting.posted(by="rho", rho="x")).content.decode()
    assert f"Ask for ε 0.1 (ρ {as_text(rho_of(NANO // 10))})" in by_epsilon
    assert re.search(r"Ask for ε 0\.1\d* \(ρ 0\.005\)", by_rho)
    assert 'href="#id_rho">ρ must be a plain decimal number' in refused


def test_what_was_asked_for_a_rho_is_asked_again_for_it(
    browser: Client, dataset: Dataset, counting: Filled, answer_now: Callable[[], int]
) -> None:
    sent = browser.post(ASK, counting.posted(by="rho", rho="0.005", price="0.005"))
    assert sent.status_code == 302
    assert answer_now() == 1
    query = Query.objects.get()
    assert (query.cost_nano, query.plan["rho"]) == (NANO // 200, 0.005)
    again = browser.get(f"{ASK}?again={query.pk}").content.decode()
    assert '<option value="rho" selected' in again
    assert 'name="rho" value="0.005"' in again
    said = text_of(browser.get(f"/queries/{query.pk}/").content)
    assert "ρ 0.005" in said
    assert "times as likely" not in said


def test_an_error_to_live_with_gets_its_rho(
    browser: Client, dataset: Dataset, counting: Filled, unchanged: Unchanged
) -> None:
    with unchanged():
        said = text_of(browser.post(QUOTE, counting.posted(by="error", value="50")).content)
    assert "smallest price that keeps the count off by at most 50" in said
    assert re.search(r"Count of rows ρ [\d.]+ ± 50", said)


def test_a_batch_shares_out_the_rho_of_its_epsilon(
    browser: Client, dataset: Dataset, answer_now: Callable[[], int]
) -> None:
    page = "/datasets/counts-rho/batch/"
    said = text_of(browser.post(page, form_of(COUNT, MEAN, epsilon="0.2")).content)
    assert f"Ask all for ε 0.2 (ρ {as_text(rho_of(NANO // 5))})" in said
    whole = re.search(r'name="price" value="([\d.]+)"', _page(browser, page))
    assert whole is not None
    assert (
        browser.post(page, form_of(COUNT, MEAN, epsilon="0.2", price=whole[1])).status_code == 302
    )
    costs = list(Query.objects.values_list("cost_nano", flat=True))
    assert sum(costs) == rho_of(NANO // 5)
    assert max(costs) - min(costs) <= 1
    assert answer_now() == 2
    assert json.loads(Query.objects.all()[0].release.body)["guarantee"]["mode"] == "zcdp"


def _page(browser: Client, page: str) -> str:
    return browser.post(page, form_of(COUNT, MEAN, epsilon="0.2")).content.decode()
