"""L16: what fits is one value, on every page and in every answer that says it.

Random limits, allocations, rates, parts, shared budgets, policies, permits: asking for the value is
accepted, a billionth more is refused. How a dataset stands goes by the tightest limit for life.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from rest_framework.test import APIClient

from dpgov.audit.actor import OPERATOR
from dpgov.budgets.charging import Limit
from dpgov.budgets.errors import NotAdmitted
from dpgov.budgets.models import Budget, RateLimit
from dpgov.budgets.services import allocate, open_budget, open_parts, set_rate_limit
from dpgov.dashboards.budget.selectors import outlook
from dpgov.dashboards.forecast.forecast import forecasts
from dpgov.datasets.finding import first_by_name
from dpgov.datasets.models import Dataset, Permit
from dpgov.datasets.rules import Rules, least_price_nano
from dpgov.datasets.services import change_policy, permit
from dpgov.datasets.status import status_now, statuses_of
from dpgov.limits.ways import ways_to_ask
from dpgov.operation import clock
from dpgov.privacy.accounting.decimals import NANO, as_number, as_text, parse_epsilon
from dpgov.privacy.accounting.loss import PURE, Currency, Mode
from dpgov.queries.asking.policy import QueryLimitExceeded
from dpgov.queries.asking.quote import quote, quote_batch
from dpgov.queries.asking.submit import submit
from dpgov.queries.web.forms.page import usual_price
from dpgov.tenants.models import Membership
from tests.declared import declare_otherwise
from tests.examples import examples
from tests.integration.budgets.shared.sharing import charge, fresh, shared_budget
from tests.small_dataset import EDUCATIONS, register_small_dataset

RHO = Currency(Mode.ZCDP, Decimal("1e-6"))
COUNT: dict[str, Any] = {"statistics": [{"statistic": "count"}]}
EPSILONS = st.integers(min_value=NANO // 100, max_value=3 * NANO)
MAYBE = st.one_of(st.none(), EPSILONS)


@dataclass(frozen=True)
class World:
    """Amounts as an owner types them, in nano-ε."""

    per_query: int
    above: int | None
    permitted: int | None
    permit_days: int
    least_error: int | None
    grant: int | None
    rate: int | None
    divided: bool
    shared_left: int | None
    asked_before: int | None


WORLDS = st.builds(
    World,
    per_query=EPSILONS,
    above=MAYBE,
    permitted=MAYBE,
    permit_days=st.integers(min_value=-2, max_value=2),
    least_error=st.one_of(st.none(), st.integers(min_value=1, max_value=300)),
    grant=MAYBE,
    rate=MAYBE,
    divided=st.booleans(),
    shared_left=st.one_of(MAYBE, st.just(0)),
    asked_before=st.one_of(st.none(), st.just(NANO // 200)),
)


@pytest.fixture(params=[PURE, RHO], ids=["epsilon", "rho"])
def dataset(owner: Membership, request: pytest.FixtureRequest) -> Dataset:
    return register_small_dataset(owner, name="Visits", limit_nano=3 * NANO, currency=request.param)


@given(world=WORLDS)
@examples(12, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_number_that_says_what_fits_is_the_same(
    world: World,
    dataset: Dataset,
    owner: Membership,
    analyst: Membership,
    api_for: Callable[[Membership], APIClient],
) -> None:
    """L16: page, desk, forecast, quote, refusal and API; accepted as said, a nano more is not."""
    with transaction.atomic():
        _make(world, dataset, owner, analyst)
        _same_everywhere(analyst, api_for(analyst))
        transaction.set_rollback(True)


@pytest.mark.parametrize("least_error", [None, 10, 300])
def test_one_count_has_the_same_largest_price_alone_and_as_a_batch(
    least_error: int | None, dataset: Dataset, owner: Membership, analyst: Membership
) -> None:
    """L16: two searches, of a question and of a whole that is shared out, end at one value."""
    most = min(dataset.per_query_limit_nano, dataset.budget.limit_nano)
    rules = Rules(most, None, (), least_error)
    change_policy(dataset=_now(), rules=rules, user=owner.user)
    raw_plan = COUNT | {dataset.budget.currency.unit: "0.01"}
    priced = quote(user=analyst.user, dataset=_now(), raw_plan=raw_plan)
    assert 0 < priced.largest_fit_nano <= most
    assert (priced.largest_fit_nano < most) == (least_error is not None)
    found = (priced.largest_fit_nano, priced.largest_fit_epsilon_nano)
    assert _of_a_batch(analyst) == found


@pytest.mark.parametrize(
    ("above", "least_error", "left"),
    [(NANO // 10, None, None), (None, 300, None), (None, None, NANO // 10), (0, None, 0)],
)
def test_a_new_question_begins_at_an_amount_that_fits_where_any_does(
    above: int | None,
    least_error: int | None,
    left: int | None,
    dataset: Dataset,
    owner: Membership,
    analyst: Membership,
) -> None:
    """L16: under what is read with the dataset: its policy and what is left of it."""
    budget = dataset.budget
    price = budget.currency.price_of
    most = min(dataset.per_query_limit_nano, budget.limit_nano)
    needs = None if above is None else price(above)
    change_policy(dataset=_now(), rules=Rules(most, needs, (), least_error), user=owner.user)
    if left is not None:
        charge(budget, budget.limit_nano - price(left))
    begins = parse_epsilon(usual_price(_now()))
    raw_plan = COUNT | {budget.currency.unit: as_text(begins)}
    priced = quote(user=analyst.user, dataset=_now(), raw_plan=raw_plan)
    assert (priced.refusal is None) == (left != 0)
    usual = budget.currency.tidy_limit(price(NANO // 2))
    assert begins == usual if left == 0 else begins < usual


def _make(world: World, dataset: Dataset, owner: Membership, analyst: Membership) -> None:
    price, budget = dataset.budget.currency.price_of, dataset.budget
    if world.divided:
        open_parts(budget=budget, parts=[*EDUCATIONS, "other"])
        declare_otherwise(Dataset.objects.all(), partition_column="education")
    shared = None if world.shared_left is None else _shared_with_another(budget)
    if world.asked_before:
        _submit(analyst, budget.currency.unit, price(world.asked_before))
    if shared is not None and world.shared_left is not None:
        _leave(shared, price(world.shared_left))
    if world.grant:
        allocate(
            dataset_budget=budget,
            holder=analyst.user,
            limit_nano=world.grant,
            actor=OPERATOR,
            reason="test",
        )
    if world.rate:
        set_rate_limit(
            budget=budget,
            period=RateLimit.Period.WEEK,
            limit_nano=world.rate,
            actor=OPERATOR,
            reason="test",
        )
    above = None if world.above is None else price(world.above)
    rules = Rules(min(price(world.per_query), budget.limit_nano), above, (), world.least_error)
    change_policy(dataset=_now(), rules=rules, user=owner.user)
    if world.permitted:
        permit(
            dataset=_now(),
            user=analyst.user,
            limit_nano=price(world.permitted),
            last_day=clock.today(),
            owner=owner.user,
            reason="test",
        )
        Permit.objects.update(last_day=clock.today() + timedelta(days=world.permit_days))


def _shared_with_another(budget: Budget) -> Budget:
    """What this dataset shares with another one about the same people, which has room."""
    currency = budget.currency
    other = open_budget(
        tenant=budget.tenant, label="Other", limit_nano=30 * NANO, currency=currency
    )
    return shared_budget(budget.tenant, "The same people", budget, other, currency=currency)


def _leave(shared: Budget, nano: int) -> None:
    """By questions about the other dataset, so much is left for both, or less."""
    more = fresh(shared).remaining_nano - nano
    if more > 0:
        charge(Budget.objects.get(label="Other"), more)


def _same_everywhere(analyst: Membership, api: APIClient) -> None:
    dataset = _now()
    currency = dataset.budget.currency
    priced = quote(user=analyst.user, dataset=dataset, raw_plan=COUNT | {currency.unit: "0.01"})
    fits = priced.largest_fit_nano
    assert _of_a_batch(analyst) == (fits, priced.largest_fit_epsilon_nano)
    found, _every = first_by_name(analyst, 8)
    assert found[0].available is not None
    assert found[0].available.nano == fits, "the desk"
    seen = outlook(dataset, analyst, ways_to_ask(dataset, analyst))
    assert seen.fit.nano == fits, "the budget page"
    assert seen.questions * seen.usual_nano <= seen.fit.in_all_nano
    (forecast,) = forecasts([dataset], clock.today())
    assert fits <= forecast.left_nano
    assert forecast.left_nano == _left_for_life(priced.limits)
    stands = {found[0].status, seen.status, forecast.status, status_now(dataset)}
    (status,) = stands | {statuses_of([dataset])[dataset.pk]}
    assert status.is_used_up == (forecast.left_nano < least_price_nano(dataset))
    if status.is_used_up:
        assert fits == 0
    _same_in_the_api(api, fits, priced.largest_fit_epsilon_nano, currency)
    _is_accepted_and_no_more(analyst, currency.unit, fits)
    _is_accepted_and_no_more(analyst, "epsilon", priced.largest_fit_epsilon_nano)


def _of_a_batch(analyst: Membership) -> tuple[int, int]:
    """What a batch of the one count could cost, in what the dataset counts and as pure ε."""
    dataset = _now()
    raw = {"plans": [COUNT], dataset.budget.currency.unit: "0.01"}
    priced = quote_batch(user=analyst.user, dataset=dataset, raw_batch=raw)
    return priced.largest_fit_nano, priced.largest_fit_epsilon_nano


def _left_for_life(limits: Sequence[Limit]) -> int:
    """What everybody's questions together may still take of the tightest limit for life."""
    lasting = [one for one in limits if not one.period and one.kind != Budget.Kind.ALLOCATION]
    return min(one.remaining_nano for one in lasting)


def _same_in_the_api(api: APIClient, fits: int, epsilon: int, currency: Currency) -> None:
    said = _sent(api, "quote", currency.unit, "0.01")
    refused = _sent(api, "queries", currency.unit, "900")
    for body in (said, refused):
        assert body["largest_fit_epsilon"] == as_number(epsilon)
        assert body["largest_fit_rho"] == (None if currency.delta is None else as_number(fits))


def _sent(api: APIClient, door: str, unit: str, amount: str) -> Any:
    body = json.dumps(COUNT | {unit: amount})
    key = {"Idempotency-Key": str(uuid4())}
    path = f"/api/v1/datasets/visits/{door}/"
    return api.post(path, body, content_type="application/json", headers=key).json()


def _is_accepted_and_no_more(analyst: Membership, unit: str, nano: int) -> None:
    if nano:
        with transaction.atomic():
            assert _submit(analyst, unit, nano)
            transaction.set_rollback(True)
    more = max(nano + 1, NANO // 100)
    with transaction.atomic(), pytest.raises((NotAdmitted, QueryLimitExceeded)):
        _submit(analyst, unit, more)


def _submit(analyst: Membership, unit: str, nano: int) -> bool:
    return submit(
        membership=analyst,
        dataset=_now(),
        raw_plan=COUNT | {unit: as_text(nano)},
        idempotency_key=str(uuid4()),
    ).created


def _now() -> Dataset:
    return Dataset.objects.select_related("budget", "policy").get()
