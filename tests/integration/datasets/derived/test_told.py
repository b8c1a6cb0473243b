"""M69, M70: what pages tell of a derived dataset counts what its parents have left, and allow.

What could mislead: somebody plans with a price that the parent refuses, or with days that the
parent's own questions use up first. Nothing of it decides.
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

from django.test import Client
from rest_framework.test import APIClient

from dpgov.budgets.models import Budget
from dpgov.dashboards.forecast.forecast import Forecast, Tightest, forecasts
from dpgov.datasets.models import Dataset
from dpgov.datasets.rules import own_rules_of
from dpgov.datasets.services import change_policy
from dpgov.explain.promise import promise_of
from dpgov.operation import clock
from dpgov.privacy.accounting.decimals import NANO
from dpgov.queries.models import Query
from dpgov.queries.web.forms.page import usual_price
from dpgov.tenants.models import Membership
from tests.integration.budgets.shared.sharing import charge
from tests.integration.dashboards.reading import figure, page

Ask = Callable[..., Query]
ClientFor = Callable[[Membership], Client]


def test_the_most_of_one_question_is_that_of_the_narrowest_wherever_it_is_told(
    owner: Membership,
    analyst: Membership,
    both: Dataset,
    visits_and_costs: tuple[Dataset, Dataset],
    client_for: ClientFor,
    api_for: Callable[[Membership], APIClient],
) -> None:
    """M69: label, API and pages say what the price goes by."""
    costs = visits_and_costs[1]
    rules = replace(own_rules_of(costs), per_query_nano=NANO // 20)
    change_policy(dataset=costs, rules=rules, user=owner.user)
    fresh, api = Dataset.objects.get(pk=both.pk), api_for(analyst)
    group = client_for(owner).get(f"/datasets/{both.slug}/group-privacy/")
    told = {
        promise_of(fresh).question_nano,
        group.context["question_nano"],
        group.context["form"].most_nano,
    }
    assert told == {NANO // 20}
    for door in ("", "budget/"):
        body = api.get(f"/api/v1/datasets/{both.slug}/{door}").json()
        assert body["per_query_limit_epsilon"] == 0.05
    assert usual_price(fresh) == "0.05"
    for reader, door in ((owner, ""), (owner, "limits/"), (analyst, "budget/"), (analyst, "ask/")):
        assert "0.05" in client_for(reader).get(f"/datasets/{both.slug}/{door}").text, door


def test_a_new_question_begins_within_what_is_left_of_a_parent(
    both: Dataset, visits_and_costs: tuple[Dataset, Dataset]
) -> None:
    """L16: as it is priced."""
    assert usual_price(Dataset.objects.get(pk=both.pk)) == "0.5"
    charge(visits_and_costs[0].budget, 99 * NANO // 10)
    assert usual_price(Dataset.objects.get(pk=both.pk)) == "0.1"


def test_what_others_ask_of_a_parent_uses_up_the_derived_dataset_and_the_other_way_round(
    owner: Membership,
    analyst: Membership,
    both: Dataset,
    visits_and_costs: tuple[Dataset, Dataset],
    ask: Ask,
    client_for: ClientFor,
) -> None:
    """M70: a list of budgets and the page of one tell the same day."""
    month_ago = clock.now() - timedelta(days=30)
    Dataset.objects.update(created_at=month_ago)
    visits = visits_and_costs[0]
    ask(analyst, of=both, epsilon=0.5)
    # 0.5 of 4 in thirty days; of the parents' 10 that is less.
    assert _forecast(both).days_left == 210
    # And they tell what it took of them.
    assert (_forecast(visits).taken_nano, _forecast(visits).days_left) == (NANO // 2, 570)
    assert list(_forecast(visits).course[-2:]) == [10 * NANO, 19 * NANO // 2]
    for _ in range(2):
        ask(analyst, of=visits, epsilon=2)
    found = _forecast(both)
    # 4.5 of the 10 of visits are gone: 5.5 are left for 37 days, when it has 3.5 of its own left.
    assert (found.taken_nano, found.days_left) == (NANO // 2, 37)
    told = client_for(owner).get(f"/datasets/{both.slug}/budget/")
    assert told.context["forecast"].ends_on == found.ends_on


def test_what_is_left_of_a_parents_budget_is_said_to_be_so(
    owner: Membership,
    analyst: Membership,
    both: Dataset,
    visits_and_costs: tuple[Dataset, Dataset],
    ask: Ask,
    client_for: ClientFor,
) -> None:
    """M70: in the table of the portfolio and on the bars of its figure, and on Home."""
    for _ in range(4):
        ask(analyst, of=visits_and_costs[0], epsilon=2)
    assert (_forecast(both).left_nano, _forecast(both).tightest) == (2 * NANO, Tightest.PARENT)
    portfolio = page(client_for(owner), "/portfolio/")
    told = [words for trace in figure(portfolio, "all-budgets")["data"] for words in trace["text"]]
    of_both = "ε 0 committed, ε 2 left of the budget that it is derived from; "
    assert [words for words in told if words.startswith(of_both)]
    for html in (portfolio, page(client_for(owner), "/")):
        assert "of the budget that it is derived from</small>" in html


def _forecast(dataset: Dataset) -> Forecast:
    fresh = Dataset.objects.select_related("budget").filter(pk=dataset.pk)
    (found,) = forecasts(list(fresh), clock.today())
    return found


def test_it_is_frozen_with_the_balance_of_a_parent(
    owner: Membership,
    analyst: Membership,
    both: Dataset,
    visits_and_costs: tuple[Dataset, Dataset],
    client_for: ClientFor,
    api_for: Callable[[Membership], APIClient],
) -> None:
    """M69: its own was confirmed already; pages and API say that nothing is asked of it yet."""
    costs = Budget.objects.filter(pk=visits_and_costs[1].budget_id)
    costs.update(frozen_at=clock.now(), frozen_reason="restored")
    for text in (client_for(analyst).get(door).text for door in ("/", "/find/?q=Visits+and+costs")):
        told = " ".join(text.split())
        assert 'Visits and costs</a> <span class="chip chip-frozen">' in told
        assert "nothing until a compliance officer has confirmed its balance" in told
        assert f"/datasets/{both.slug}/request/" not in told
    page = client_for(owner).get(f"/datasets/{both.slug}/budget/").text
    assert "Nothing until a compliance officer has confirmed its balance." in page
    answer = api_for(analyst).get(f"/api/v1/datasets/{both.slug}/budget/")
    assert answer.json()["frozen"] is True
