"""Asking a dataset that counts ρ: amounts in either sign, accuracy first, batches."""

import json
import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from decimal import Decimal

from django.test import Client
from rest_framework.test import APIClient

from dpgov.datasets.models import Dataset
from dpgov.privacy.accounting.decimals import NANO, as_text
from dpgov.privacy.accounting.loss import Currency, Mode, rho_of
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from tests.integration.queries.asking.test_batches import COUNT, MEAN
from tests.integration.queries.conftest import Filled
from tests.integration.queries.web.test_batch_page import form_of
from tests.integration.queries.web.test_quote_page import text_of
from tests.made_once import made_once
from tests.small_dataset import register_small_dataset

ASK = "/datasets/counts-rho/ask/"
QUOTE = "/datasets/counts-rho/quote/"
RHO = Currency(Mode.ZCDP, Decimal("1e-6"))
# An ε that neither says its δ nor that it is the pure one of a single question.
BARE = re.compile(r"(?<!pure )(?<!Pure )ε [0-9][0-9.]*(?! at δ)(?![0-9.])")
Unchanged = Callable[[], AbstractContextManager[None]]
ApiFor = Callable[[Membership], APIClient]


@made_once
def dataset(owner: Membership) -> Dataset:
    """Its losses are added up as ρ."""
    return register_small_dataset(owner, name="Counts rho", limit_nano=3 * NANO, currency=RHO)


def test_an_amount_can_be_given_as_epsilon_or_as_rho(
    browser: Client, dataset: Dataset, counting: Filled, unchanged: Unchanged
) -> None:
    with unchanged():
        by_epsilon = text_of(browser.post(QUOTE, counting.posted(epsilon="0.1")).content)
        by_rho = text_of(browser.post(QUOTE, counting.posted(by="rho", rho="0.005")).content)
        refused = browser.post(QUOTE, counting.posted(by="rho", rho="x")).content.decode()
    cost = rho_of(NANO // 10)
    first = as_text(RHO.adds(cost, 0))
    assert f"Ask for ρ {as_text(cost)} (adds ε {first} at δ 1e-6)" in by_epsilon
    assert re.search(r"Ask for ρ 0\.005 \(adds ε 0\.\d+ at δ 1e-6\)", by_rho)
    assert 'href="#id_rho">ρ must be a plain decimal number' in refused


def test_the_curve_counts_in_rho_and_its_buttons_fill_in_rho(
    browser: Client, dataset: Dataset, counting: Filled, unchanged: Unchanged
) -> None:
    with unchanged():
        page = browser.post(
            "/datasets/counts-rho/quote/curve/",
            counting.posted(by="rho", rho="0.005"),
            headers={"HX-Request": "true"},
        ).content
    assert re.search(r'name="fill_rho" value="0\.\d+"', page.decode())
    assert not BARE.search(text_of(page))


def test_a_price_says_what_it_adds_to_what_was_spent_before(
    browser: Client, dataset: Dataset, counting: Filled
) -> None:
    """L20: the same ρ adds less to the ε at δ, the more there was before."""
    first = browser.post(ASK, counting.posted(by="rho", rho="0.005", price="0.005"))
    assert first.status_code == 302
    said = text_of(browser.post(QUOTE, counting.posted(by="rho", rho="0.005")).content)
    before = NANO // 200
    second = RHO.adds(before, before)
    assert second < RHO.adds(before, 0)
    assert f"Ask for ρ 0.005 (adds ε {as_text(second)} at δ 1e-6)" in said


def test_nowhere_does_an_epsilon_stand_alone(
    browser: Client,
    dataset: Dataset,
    counting: Filled,
    owner: Membership,
    answer_now: Callable[[], int],
    client_for: Callable[[Membership], Client],
) -> None:
    """L20: every ε of a dataset that counts ρ says its δ, or that it is the pure one."""
    browser.post("/datasets/counts-rho/save/", counting.posted(saved_name="Kept"))
    browser.post(ASK, counting.posted(by="rho", rho="0.005", price="0.005"))
    wanted = {"about": "allocation", "epsilon_limit": "1", "reason": "the spring study"}
    browser.post("/datasets/counts-rho/request/", wanted)
    assert answer_now() == 1
    query = Query.objects.get()
    mine = [ASK, "/", "/history/", "/saved/", "/requests/", "/datasets/counts-rho/budget/"]
    for path in [*mine, f"/queries/{query.pk}/", f"{ASK}sql/", "/find/", "/datasets/"]:
        _has_no_bare_epsilon(browser, path)
    for path in ("/", "/requests/", "/datasets/counts-rho/policy/", "/datasets/counts-rho/"):
        _has_no_bare_epsilon(client_for(owner), path)
    refused = browser.post(QUOTE, counting.posted(by="rho", rho="1"))
    assert BARE.findall(text_of(refused.content)) == []


def _has_no_bare_epsilon(reader: Client, path: str) -> None:
    answer = reader.get(path, follow=True)
    assert answer.status_code == 200, path
    assert BARE.findall(text_of(answer.content)) == [], path


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
    assert re.search(r"\d times as likely", said) is None


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
    cost = rho_of(NANO // 5)
    assert f"Ask all for ρ {as_text(cost)} (adds ε {as_text(RHO.adds(cost, 0))} at δ 1e-6)" in said
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


def test_what_is_too_dear_is_said_at_the_price_that_was_named(
    api_for: ApiFor, analyst: Membership, dataset: Dataset, unchanged: Unchanged
) -> None:
    """Of a question, of a batch and of a request for an approval."""
    api, api_path = api_for(analyst), "/api/v1/datasets/counts-rho/"
    for named in ("epsilon", "rho"):
        dear = COUNT | {named: 2.9}
        for door, body, place in (
            ("queries/", dear, named),
            ("batches/", {named: 2.99, "plans": [COUNT, MEAN | {"share": 0.99}]}, named),
            ("approvals/", {"plan": dear, "purpose": "x"}, f"plan.{named}"),
        ):
            with unchanged():
                refused = api.post(
                    api_path + door, body, format="json", headers={"Idempotency-Key": f"{named}-1"}
                )
            (error,) = refused.json()["errors"]
            assert (error["code"], error["attr"]) == ("query_limit_exceeded", place)
