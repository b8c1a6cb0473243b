"""L16: the chip of a dataset goes by the tightest limit for life that anybody's question meets.

What could mislead: a page that says Open, and offers a question, beside “nothing: … is used up”.
"""

from collections.abc import Callable
from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone

from dpgov.audit.actor import OPERATOR
from dpgov.budgets.charging import Parts, lines_of_query
from dpgov.budgets.models import Budget, RateLimit
from dpgov.budgets.services import allocate, open_budget, reserve, set_rate_limit
from dpgov.datasets.models import Dataset
from dpgov.limits.ways import ways_to_ask
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.accounting.loss import PURE, Currency, Mode
from dpgov.tenants.models import Membership
from tests.integration.budgets.shared.sharing import charge, fresh, shared_budget
from tests.integration.datasets.web.standing import asks_for_budget, chips
from tests.small_dataset import register_small_dataset

SignIn = Callable[[Membership], Client]
Standing = Callable[[], tuple[set[str], set[bool]]]
RHO = Currency(Mode.ZCDP, Decimal("1e-6"))


@pytest.fixture(params=[PURE, RHO], ids=["epsilon", "rho"])
def dataset(owner: Membership, request: pytest.FixtureRequest) -> Dataset:
    return register_small_dataset(owner, name="Visits", currency=request.param)


@pytest.fixture
def standing(
    dataset: Dataset,
    analyst: Membership,
    owner: Membership,
    officer: Membership,
    admin: Membership,
    client_for: SignIn,
) -> Standing:
    """How it stands now, to everybody on every page, and whether budget is asked for."""
    browsers = [client_for(one) for one in (analyst, owner, officer, admin)]

    def now() -> tuple[set[str], set[bool]]:
        shown = [chips(browser, dataset) for browser in browsers]
        assert [len(each) for each in shown] == [5, 6, 6, 4]
        words = {word for each in shown for word in each.values()}
        return words, asks_for_budget(browsers[0], dataset)

    return now


def shared_with(budget: Budget, epsilon: int) -> tuple[Budget, Budget]:
    """Another budget of the same currency, and the limit of so much for both."""
    currency, tenant = budget.currency, budget.tenant
    other = open_budget(tenant=tenant, label="Other", limit_nano=30 * NANO, currency=currency)
    limit = epsilon * NANO
    return other, shared_budget(tenant, "People", budget, other, limit=limit, currency=currency)


def test_a_dataset_stands_as_the_budget_that_it_shares(
    dataset: Dataset, standing: Standing
) -> None:
    """L16: open, low and used up, while nothing was ever asked of its own."""
    other, shared = shared_with(dataset.budget, 3)
    assert standing() == ({"open"}, {False})
    charge(other, shared.limit_nano * 9 // 10 + 1)
    assert standing() == ({"low"}, {False})
    charge(other, fresh(shared).remaining_nano)
    assert fresh(dataset.budget).committed_nano == 0
    assert standing() == ({"used-up"}, {True})


def test_a_small_shared_budget_of_which_nothing_was_taken_is_not_low(
    dataset: Dataset, standing: Standing
) -> None:
    """A tenth is one of the limit that it is left of."""
    shared_with(dataset.budget, 1)
    assert standing() == ({"open"}, {False})


def test_its_own_budget_says_so_where_a_shared_one_has_more(
    dataset: Dataset, standing: Standing
) -> None:
    shared_with(dataset.budget, 30)
    charge(dataset.budget, dataset.budget.limit_nano)
    assert standing() == ({"used-up"}, {True})


def test_what_is_less_than_the_least_price_is_used_up(dataset: Dataset, standing: Standing) -> None:
    other, shared = shared_with(dataset.budget, 3)
    charge(other, shared.limit_nano - 1)
    assert standing() == ({"used-up"}, {True})


def test_a_persons_allocation_and_a_rate_say_nothing_about_the_dataset(
    dataset: Dataset, analyst: Membership, standing: Standing
) -> None:
    """L16: the one is somebody's own, the other renews tomorrow; both admit nothing now."""
    own: dict[str, Any] = {"limit_nano": NANO // 10, "actor": OPERATOR, "reason": "test"}
    given = allocate(dataset_budget=dataset.budget, holder=analyst.user, **own)
    reserve(
        query_id=uuid4(),
        tenant_id=dataset.tenant_id,
        lines=lines_of_query(
            dataset_budget_id=dataset.budget_id,
            cost_nano=given.budget.limit_nano,
            parts=Parts(),
            allocation=given,
        ),
    )
    set_rate_limit(budget=dataset.budget, period=RateLimit.Period.DAY, **own)
    (way,) = ways_to_ask(Dataset.objects.get(pk=dataset.pk), analyst)
    assert [limit.fit_nano for limit in way.limits][:2] == [0, 0]
    assert standing() == ({"open"}, {False})


def test_a_shared_budget_that_waits_for_an_officer_is_frozen_and_not_used_up(
    dataset: Dataset, standing: Standing
) -> None:
    """A9: an officer has confirmed the dataset's own, and not yet the one that it shares."""
    _other, shared = shared_with(dataset.budget, 3)
    Budget.objects.filter(pk=shared.pk).update(frozen_at=timezone.now(), frozen_reason="restored")
    assert standing() == ({"frozen"}, {False})
