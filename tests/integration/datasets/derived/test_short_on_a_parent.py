"""Where it is a parent that is short, the refusal names it, and leads to its owners.

What could mislead: a reason of a parent that is told as the derived dataset's own, so that who asks
is sent to ask for what changes nothing. Whoever sees a derived dataset sees both parents, and is
told their names.
"""

import re
from collections.abc import Callable
from html import unescape
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from rest_framework.test import APIClient

from dpgov.audit.actor import OPERATOR
from dpgov.budgets.allocated import AllocationGone, AllocationNeeded
from dpgov.budgets.errors import InsufficientBudget
from dpgov.budgets.models import Allocation, Budget
from dpgov.budgets.services import allocate, change_limit, reserve, withdraw
from dpgov.datasets.models import Dataset
from dpgov.datasets.services import DeclaredParent, change_audience, set_needs_allocation
from dpgov.limits.ways import ways_to_ask
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.answer.blueprint import Blueprint
from dpgov.queries.asking.gate import NotNamed, refuse_unless_open_to
from dpgov.queries.asking.quote import priced_blueprint
from dpgov.queries.asking.touched import lines_of
from dpgov.queries.models import BudgetRequest, Query
from dpgov.tenants.models import Membership, Role
from tests.agreed import join_in_two_roles
from tests.integration.datasets.derived.family import derived, parents, shared_budget
from tests.integration.queries.conftest import Filled
from tests.integration.queries.conftest import counting as counting
from tests.integration.queries.web.test_quote_page import text_of
from tests.made_once import made_once

Pair = tuple[Dataset, Dataset]
Ask = Callable[..., Query]
ClientFor = Callable[[Membership], Client]
ApiFor = Callable[[Membership], APIClient]
FROM = "“visits”, which this dataset was derived from"


@made_once
def browser(analyst: Membership, client_for: ClientFor) -> Client:
    return client_for(analyst)


def _refused(browser: Client, of: Dataset, counting: Filled) -> tuple[str, list[str]]:
    """What the page says, and where it leads to."""
    page = browser.post(f"/datasets/{of.slug}/quote/", counting.posted()).text
    links = re.findall(r'href="(/datasets/[^"]*/request/[^"]*)"', page)
    return text_of(page.encode()), [unescape(link) for link in links]


def _granted(holder: Membership, of: Dataset, limit_nano: int) -> Allocation:
    return allocate(
        dataset_budget=of.budget,
        holder=holder.user,
        limit_nano=limit_nano,
        actor=OPERATOR,
        reason="",
    )


def _lowered(budget: Budget, limit_nano: int) -> None:
    budget.refresh_from_db()
    change_limit(budget=budget, limit_nano=limit_nano, actor=OPERATOR, reason="")


def _one(of: Dataset, epsilon: float) -> Blueprint:
    return priced_blueprint(of, {"statistics": [{"statistic": "count"}], "epsilon": epsilon})


def test_an_allocation_on_a_parent_that_is_too_small_is_asked_for_there(
    browser: Client,
    analyst: Membership,
    owner: Membership,
    both: Dataset,
    visits_and_costs: Pair,
    counting: Filled,
    ask: Ask,
    client_for: ClientFor,
) -> None:
    _granted(analyst, visits_and_costs[0], NANO // 2)
    counting.epsilon = "0.9"
    said, (link,) = _refused(browser, both, counting)
    assert f"Only ε 0.5 remains of your allocation of {FROM}." in said
    assert link == "/datasets/visits/request/?about=allocation&epsilon=0.9"
    typed = {"about": "allocation", "epsilon_limit": "0.9", "reason": "the joined table"}
    sent = browser.post(link.partition("?")[0], typed)["Location"]
    answer = {"decision": "grant", "epsilon_limit": "0.9", "answer": "go"}
    assert client_for(owner).post(f"{sent}answer/", answer).status_code == 302
    ask(analyst, of=both, epsilon=0.9)


def test_a_parent_that_needs_an_allocation_is_named_by_page_and_api(
    browser: Client,
    analyst: Membership,
    owner: Membership,
    both: Dataset,
    visits_and_costs: Pair,
    counting: Filled,
    api_for: ApiFor,
) -> None:
    """Also after one was granted on the derived dataset, where none is needed."""
    set_needs_allocation(dataset=visits_and_costs[0], needed=True, user=owner.user)
    words = (
        "Questions about this dataset need an allocation of “Visits”, which it was derived from. "
        "Ask the owner of “Visits” to grant you one."
    )
    api, door = api_for(analyst), f"/api/v1/datasets/{both.slug}/"
    for _ in range(2):
        said, links = _refused(browser, both, counting)
        assert words in said
        assert links == ["/datasets/visits/request/?about=allocation&epsilon=0.5"]
        assert words in text_of(browser.get(f"/datasets/{both.slug}/budget/").content)
        plan = {"statistics": [{"statistic": "count"}], "epsilon": "0.2"}
        refused = api.post(
            f"{door}queries/", plan, format="json", headers={"Idempotency-Key": str(uuid4())}
        )
        assert refused.status_code == 409
        assert refused.json()["errors"][0]["detail"] == words
        _granted(analyst, both, NANO)
    told = api.get(door).json()
    assert told["needs_allocation"]
    needing = {one["dataset"]: one["needs_allocation"] for one in told["derived_from"]}
    assert needing == {"visits": True, "costs": False}
    assert api.get(f"{door}budget/").json()["needs_allocation"]
    assert "with an allocation" in text_of(browser.get(f"/datasets/{both.slug}/").content)


def test_an_allocation_on_a_parent_that_was_withdrawn_is_told_of_that_parent(
    analyst: Membership, both: Dataset, visits_and_costs: Pair, ask: Ask
) -> None:
    given = _granted(analyst, visits_and_costs[1], NANO)
    withdraw(allocation=given, actor=OPERATOR, reason="")
    with pytest.raises(AllocationGone, match="Your allocation of “Costs”, which") as refused:
        ask(analyst, of=both)
    assert isinstance(refused.value, AllocationNeeded)


def test_the_limit_of_a_parent_is_asked_for_there(
    browser: Client, both: Dataset, visits_and_costs: Pair, counting: Filled
) -> None:
    _lowered(visits_and_costs[0].budget, NANO // 2)
    counting.epsilon = "0.9"
    said, (link,) = _refused(browser, both, counting)
    assert f"Only ε 0.5 remains of the budget of {FROM}." in said
    assert link == "/datasets/visits/request/?about=limit&epsilon=0.9"
    typed = {"about": "limit", "epsilon_limit": "0.9", "reason": "the joined table"}
    assert browser.post("/datasets/visits/request/", typed).status_code == 302
    assert BudgetRequest.objects.get().dataset == visits_and_costs[0]


def test_the_limit_of_a_derived_dataset_is_its_own(
    browser: Client, both: Dataset, counting: Filled
) -> None:
    _lowered(both.budget, NANO // 5)
    said, links = _refused(browser, both, counting)
    assert "Only ε 0.2 remains of the dataset's budget." in said
    assert links == [f"/datasets/{both.slug}/request/?about=limit&epsilon=0.5"]


def test_a_shared_budget_is_nobodys_to_ask_for(
    browser: Client, both: Dataset, visits_and_costs: Pair, counting: Filled
) -> None:
    _lowered(shared_budget(visits_and_costs[0]), NANO // 5)
    said, links = _refused(browser, both, counting)
    assert "Only ε 0.2 remains of the budget that these people share" in said
    assert links == []


def test_the_parts_of_a_divided_parent_are_marked_as_its_own(
    browser: Client, owner: Membership, analyst: Membership, counting: Filled
) -> None:
    """By the price, the page of limits and the ledger itself."""
    visits, costs = parents(owner, partition_column="ward")
    made = derived(owner, first=DeclaredParent(visits.slug, 2, ("ward", "days")))
    blueprint = _one(made, 0.9)
    lines = lines_of(blueprint, dataset=made, user=analyst.user)
    of_visits = set(Budget.objects.filter(as_part__dataset_budget=visits.budget))
    marked = {line.budget_id for line in lines if line.of_parent}
    assert marked == {costs.budget_id, *(part.pk for part in of_visits)}
    _lowered(visits.budget, NANO // 2)
    counting.epsilon = "0.9"
    said, links = _refused(browser, made, counting)
    part = f"the budget for “North” of {FROM}"
    assert f"Only ε 0.5 remains of {part}." in said
    assert links == ["/datasets/visits/request/?about=limit&epsilon=0.9"]
    with pytest.raises(InsufficientBudget, match=f"the budget for “.+” of {FROM}"):
        reserve(query_id=uuid4(), tenant_id=made.tenant_id, lines=lines)
    (way,) = ways_to_ask(made, analyst)
    assert part in {limit.words for limit in way.limits}
    assert part in text_of(browser.get(f"/datasets/{made.slug}/budget/").content)
    (own,) = ways_to_ask(visits, analyst)
    assert "the budget for “North”" in {limit.words for limit in own.limits}


def test_who_is_named_on_the_derived_dataset_alone_reads_on_which_parent_they_are_not(
    owner: Membership, both: Dataset, visits_and_costs: Pair
) -> None:
    other = join_in_two_roles(owner.tenant, Role.OWNER, "beate")
    change_audience(dataset=both, named_only=None, named=[other.pk], user=owner.user)
    change_audience(dataset=visits_and_costs[0], named_only=True, named=[], user=owner.user)
    with pytest.raises(NotNamed, match="Only named people ask about “Visits”, which") as refused:
        refuse_unless_open_to(both, other.user)
    assert (refused.value.dataset, refused.value.is_own) == (visits_and_costs[0], False)
    with pytest.raises(NotNamed, match="Only named people ask about this dataset") as own:
        refuse_unless_open_to(visits_and_costs[0], other.user)
    assert own.value.is_own


def test_a_parent_is_named_to_nobody_who_does_not_see_it(
    owner: Membership,
    analyst: Membership,
    both: Dataset,
    visits_and_costs: Pair,
    client_for: ClientFor,
    counting: Filled,
) -> None:
    """To whom a parent is hidden there is no such dataset, whatever else it lacks."""
    visits = visits_and_costs[0]
    set_needs_allocation(dataset=visits, needed=True, user=owner.user)
    change_audience(dataset=visits, named_only=True, named=[], user=owner.user)
    page: Any = client_for(analyst).post(f"/datasets/{both.slug}/quote/", counting.posted())
    assert (page.status_code, "Visits" in page.text) == (404, False)
