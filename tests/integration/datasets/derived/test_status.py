"""L16: a derived dataset stands as the tightest limit that a question about it meets."""

from collections.abc import Callable
from decimal import Decimal

import pytest
from django.test import Client

from dpgov.audit.actor import OPERATOR
from dpgov.budgets.models import Budget
from dpgov.budgets.services import open_budget
from dpgov.budgets.services.shared_budgets import join_shared_budget
from dpgov.datasets.finding import available_on
from dpgov.datasets.models import Dataset
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.accounting.loss import PURE, Currency, Mode
from dpgov.tenants.models import Membership
from tests.integration.budgets.shared.sharing import charge
from tests.integration.datasets.derived.family import derived, parents, shared_budget
from tests.integration.datasets.web.standing import asks_for_budget, chips

RHO = Currency(Mode.ZCDP, Decimal("1e-6"))


@pytest.mark.parametrize("currency", [PURE, RHO], ids=["epsilon", "rho"])
@pytest.mark.parametrize("through", ["a parent", "what its parents share"])
def test_it_is_used_up_once_that_of_a_parent_is(
    currency: Currency,
    through: str,
    owner: Membership,
    analyst: Membership,
    client_for: Callable[[Membership], Client],
) -> None:
    """L16: its own budget is as full as ever; every page says so, to everybody, as its price does.

    The other parent stands as what it shares alone.
    """
    visits, costs = parents(owner, currency)
    both, asker = derived(owner, per_query_limit_nano=NANO // 2), client_for(analyst)
    shown = _chips(asker, client_for(owner), both)
    assert (shown, asks_for_budget(asker, both)) == ({"open"}, {False})
    if through == "a parent":
        charge(visits.budget, visits.budget.limit_nano)
    else:
        _use_up(shared_budget(costs))
    now = Dataset.objects.select_related("budget", "policy").get(pk=both.pk)
    assert now.budget.committed_nano == 0
    assert available_on(analyst.user, [now])[both.pk].nano == 0
    shown = _chips(asker, client_for(owner), both)
    assert (shown, asks_for_budget(asker, both)) == ({"used-up"}, {True})
    others = {"open"} if through == "a parent" else {"used-up"}
    assert _chips(asker, client_for(owner), costs) == others


def _use_up(shared: Budget) -> None:
    """By questions about a third dataset."""
    other = open_budget(
        tenant=shared.tenant, label="Third", limit_nano=30 * NANO, currency=shared.currency
    )
    join_shared_budget(shared_budget=shared, dataset_budget=other, actor=OPERATOR)
    charge(other, shared.limit_nano)


def _chips(asker: Client, owner: Client, dataset: Dataset) -> set[str]:
    shown = (chips(asker, dataset), chips(owner, dataset))
    assert [len(each) for each in shown] == [5, 6]
    return {word for each in shown for word in each.values()}
