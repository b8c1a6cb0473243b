"""Every question costs something, whichever way it is asked."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest
from rest_framework.test import APIClient

from dpgov.audit.models import AuditEntry
from dpgov.budgets.models import Reservation
from dpgov.datasets.models import Dataset
from dpgov.datasets.rules import Rules, least_price_nano, rules_of
from dpgov.datasets.services import (
    LeastPriceTooHigh,
    LeastPriceTooLow,
    change_policy,
)
from dpgov.privacy.accounting.decimals import NANO, as_text
from dpgov.privacy.accounting.loss import Currency, Mode
from dpgov.queries.asking.policy import OutsidePolicy
from dpgov.queries.asking.quote import Quote, quote, quote_batch
from dpgov.queries.models import Query
from dpgov.queries.web.forms.offer import Offer
from dpgov.tenants.models import Membership
from tests.cast import Ask
from tests.made_once import made_once
from tests.small_dataset import register_small_dataset

pytestmark = pytest.mark.django_db
LEAST = NANO // 1000
COUNT: dict[str, Any] = {"statistics": [{"statistic": "count"}]}
TOO_LITTLE = "0.000999999"
WHY = "Each question on this dataset costs at least ε 0.001; this one costs ε 0.000999999."


@made_once
def api(analyst: Membership, api_for: Callable[[Membership], APIClient]) -> APIClient:
    return api_for(analyst)


def change(dataset: Dataset, owner: Membership, **rules: Any) -> None:
    wanted = Rules(**{"per_query_nano": 2 * NANO} | rules)
    change_policy(dataset=dataset, rules=wanted, user=owner.user)


def test_a_nano_less_is_refused_and_changes_nothing(
    analyst: Membership, dataset: Dataset, ask: Ask
) -> None:
    """L4: at the service, behind every door; the least price itself is accepted."""
    entries = AuditEntry.objects.count()
    with pytest.raises(OutsidePolicy, match=r"at least ε 0\.001"):
        ask(analyst, epsilon=TOO_LITTLE)
    assert (Query.objects.count(), Reservation.objects.count()) == (0, 0)
    assert AuditEntry.objects.count() == entries
    assert ask(analyst, epsilon="0.001").cost_nano == LEAST


@pytest.mark.parametrize(
    ("address", "body"),
    [
        ("queries", COUNT | {"epsilon": TOO_LITTLE}),
        ("batches", {"plans": [COUNT, COUNT], "epsilon": "0.001999998"}),
    ],
    ids=["one", "batch"],
)
def test_the_api_names_the_least_price(
    api: APIClient, dataset: Dataset, address: str, body: dict[str, Any]
) -> None:
    """L4: of a batch each question costs at least as much."""
    answer = api.post(
        f"/api/v1/datasets/{dataset.slug}/{address}/",
        body,
        format="json",
        headers={"Idempotency-Key": str(uuid4())},
    )
    assert answer.status_code == 409, answer.content
    assert answer.json()["errors"][0]["detail"] == WHY
    assert not Query.objects.exists()


@pytest.mark.parametrize(
    ("address", "body"),
    [
        ("quote", COUNT | {"epsilon": TOO_LITTLE}),
        ("quotes", {"plans": [COUNT, COUNT], "epsilon": "0.001999998"}),
    ],
    ids=["one", "batch"],
)
def test_a_price_says_so_before(
    api: APIClient, dataset: Dataset, address: str, body: dict[str, Any]
) -> None:
    """L4: what would be refused is refused in the quote, in the same words."""
    priced = api.post(f"/api/v1/datasets/{dataset.slug}/{address}/", body, format="json").json()
    assert (priced["accepted"], priced["refusal"]) == (False, WHY)


@pytest.mark.parametrize(
    ("body", "least"),
    [
        (COUNT | {"epsilon": TOO_LITTLE}, LEAST),
        ({"plans": [COUNT, COUNT], "epsilon": "0.001999998"}, 2 * LEAST),
    ],
    ids=["one", "batch"],
)
def test_a_price_that_is_too_small_offers_the_least(
    analyst: Membership, dataset: Dataset, body: dict[str, Any], least: int
) -> None:
    """L4: not the most that fits; and what is offered is accepted."""

    def asked(epsilon: str) -> Quote:
        sent = body | {"epsilon": epsilon}
        if "plans" in body:
            return quote_batch(user=analyst.user, dataset=dataset, raw_batch=sent)
        return quote(user=analyst.user, dataset=dataset, raw_plan=sent)

    priced = asked(body["epsilon"])
    assert (Offer(quote=priced).fit, priced.least_nano) == (as_text(least), least)
    assert Offer(quote=priced).fits_least
    again = asked(as_text(least))
    assert (again.refusal, again.least_nano) == (None, 0)


def test_a_wish_for_little_accuracy_gets_the_least_price(
    analyst: Membership, dataset: Dataset
) -> None:
    """L4: the smallest amount that is enough is never below it, and is accepted."""
    plan = COUNT | {"dataset": dataset.slug, "accuracy": {"value": 1_000_000}}
    priced = quote(user=analyst.user, dataset=dataset, raw_plan=plan)
    assert (priced.cost_nano, priced.refusal) == (LEAST, None)


def test_what_is_less_than_the_least_price_fits_nothing(
    analyst: Membership, dataset: Dataset, ask: Ask
) -> None:
    """L4: the last of a budget that pays for no question."""
    for epsilon in (2, 2, 2, 2, "1.9995"):
        ask(analyst, epsilon=epsilon)
    plan = COUNT | {"dataset": dataset.slug, "epsilon": "0.001"}
    assert quote(user=analyst.user, dataset=dataset, raw_plan=plan).largest_fit_nano == 0


def test_an_owner_raises_it_and_never_below_the_floor(
    analyst: Membership, owner: Membership, dataset: Dataset, ask: Ask
) -> None:
    """L4: it holds from the next question on, and stands in the log."""
    change(dataset, owner, least_nano=NANO // 10)
    assert "least_price" in AuditEntry.objects.latest("sequence").detail
    with pytest.raises(OutsidePolicy, match=r"at least ε 0\.1"):
        ask(analyst, epsilon="0.05")
    with pytest.raises(LeastPriceTooLow):
        change(dataset, owner, least_nano=LEAST - 1)
    with pytest.raises(LeastPriceTooHigh):
        change(dataset, owner, least_nano=2 * NANO + 1)
    assert rules_of(dataset).least_nano == NANO // 10
    change(dataset, owner)
    assert ask(analyst, epsilon="0.001").cost_nano == LEAST


def test_where_rho_adds_up_it_is_the_rho_of_that_epsilon(
    analyst: Membership, owner: Membership, api: APIClient
) -> None:
    """L4: ε 0.001 is ρ 0.0000005, and a nano less is refused in ρ too."""
    currency = Currency(Mode.ZCDP, Decimal("1e-6"))
    rho = register_small_dataset(owner, name="Rho", currency=currency)
    assert least_price_nano(rho) == 500
    address = f"/api/v1/datasets/{rho.slug}/quote/"
    refused = api.post(address, COUNT | {"rho": "0.000000499"}, format="json").json()
    assert "at least ρ 0.0000005; this one costs ρ 0.000000499" in refused["refusal"]
    accepted = api.post(address, COUNT | {"epsilon": "0.001"}, format="json").json()
    assert (accepted["accepted"], accepted["cost_rho"]) == (True, 0.0000005)
