"""Nobody loses by asking an owner for more: whatever is granted is more than they had."""

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest
from django.test import Client

from dpgov.audit.actor import OPERATOR
from dpgov.budgets.models import Allocation, Budget
from dpgov.budgets.services import AllocationNotMore, allocate, withdraw
from dpgov.datasets.models import Dataset, Permit
from dpgov.datasets.services import PermitNotMore, permit
from dpgov.operation import clock
from dpgov.privacy.accounting.decimals import NANO
from dpgov.queries.models import BudgetRequest, Query
from dpgov.queries.workbench import budget_requests as service
from dpgov.queries.workbench.no_more import NotMore
from dpgov.tenants.models import Membership, Project
from tests.integration.queries.web.test_quote_page import text_of
from tests.made_once import made_once

ASK = "/datasets/visits/request/"
Ask = Callable[..., Query]


@made_once
def owners(owner: Membership, client_for: Callable[[Membership], Client]) -> Client:
    return client_for(owner)


def granted(holder: Membership | Project, of: Dataset, limit_nano: int) -> Allocation:
    return allocate(
        dataset_budget=of.budget,
        holder=holder if isinstance(holder, Project) else holder.user,
        limit_nano=limit_nano,
        actor=OPERATOR,
        reason="",
    )


def _permitted(analyst: Membership, owner: Membership, of: Dataset, days: int = 60) -> date:
    last = clock.today() + timedelta(days=days)
    permit(
        dataset=of,
        user=analyst.user,
        owner=owner.user,
        limit_nano=2 * NANO,
        last_day=last,
        reason="",
    )
    return last


def sent(browser: Client, about: str, epsilon: str, slug: str = "visits") -> str:
    typed = {"about": about, "epsilon_limit": epsilon, "reason": "the spring study"}
    answer = browser.post(f"/datasets/{slug}/request/", typed)
    assert answer.status_code == 302, text_of(answer.content)
    return str(answer["Location"])


def _refusal(browser: Client, about: str, epsilon: str) -> str:
    typed = {"about": about, "epsilon_limit": epsilon, "reason": "the spring study"}
    refused = browser.post(ASK, typed)
    assert refused.status_code == 422
    assert refused.context["form"].errors.keys() == {"epsilon_limit"}
    return text_of(refused.content)


def answered(owners: Client, sent: str, **said: str) -> dict[str, list[str]]:
    """The fields at which the answer was refused."""
    answer = owners.post(f"{sent}answer/", {"decision": "grant", "answer": "go", **said})
    if answer.status_code == 302:
        return {}
    assert answer.status_code == 422
    return {name: list(errors) for name, errors in answer.context["form"].errors.items()}


def test_less_than_the_present_allocation_cannot_be_asked_for(
    browser: Client, analyst: Membership, dataset: Dataset
) -> None:
    """Amounts are in all; the form says what they have."""
    granted(analyst, dataset, 5 * NANO)
    assert "Your allocation now ε 5, of which ε 5 remains" in text_of(browser.get(ASK).content)
    for epsilon in ("1", "5"):
        said = _refusal(browser, "allocation", epsilon)
        assert "You have an allocation of ε 5 already: ask for more, in all." in said
    assert not BudgetRequest.objects.exists()
    sent(browser, "allocation", "6")


def test_a_grant_that_is_no_more_than_they_have_is_refused_at_its_field(
    browser: Client, owners: Client, analyst: Membership, dataset: Dataset
) -> None:
    """Another owner may have granted more since it was asked for."""
    request = sent(browser, "allocation", "6")
    assert "They have now no personal allocation" in text_of(owners.get(request).content)
    given = granted(analyst, dataset, 5 * NANO)
    assert "They have now ε 5, of which ε 5 remains" in text_of(owners.get(request).content)
    assert "You have now ε 5, of which ε 5 remains" in text_of(browser.get(request).content)
    for epsilon in ("1", "5"):
        words = "They have an allocation of ε 5 already. Grant more, in all, or decline."
        assert answered(owners, request, epsilon_limit=epsilon) == {"epsilon_limit": [words]}
    assert Budget.objects.get(pk=given.pk).limit_nano == 5 * NANO
    assert BudgetRequest.objects.get().is_waiting
    assert answered(owners, request, epsilon_limit="5.5") == {}
    assert Budget.objects.get(pk=given.pk).limit_nano == 5_500_000_000


def test_an_allocation_that_counts_no_more_is_nothing_they_have(
    browser: Client, owners: Client, analyst: Membership, dataset: Dataset
) -> None:
    """A withdrawn one, and one that was decided before they left; any amount is more."""
    given = granted(analyst, dataset, 5 * NANO)
    withdraw(allocation=given, actor=OPERATOR, reason="")
    assert answered(owners, sent(browser, "allocation", "1"), epsilon_limit="1") == {}
    assert Budget.objects.get(pk=given.pk).limit_nano == NANO
    Dataset.objects.update(needs_allocation=True)
    Membership.objects.filter(pk=analyst.pk).update(role_since=clock.database_now())
    assert answered(owners, sent(browser, "allocation", "0.5"), epsilon_limit="0.5") == {}
    assert Budget.objects.get(pk=given.pk).limit_nano == NANO // 2


def test_a_permit_is_never_made_smaller_or_shorter_by_a_request(
    browser: Client, owners: Client, analyst: Membership, owner: Membership, dataset: Dataset
) -> None:
    """The same amount may be asked for, to have it longer."""
    last = _permitted(analyst, owner, dataset)
    assert "Your permit now questions up to ε 2, until" in text_of(browser.get(ASK).content)
    said = _refusal(browser, "permit", "1")
    assert "You have a permit for questions up to ε 2 until" in said
    request = sent(browser, "permit", "2")
    assert "They have now questions up to ε 2, until" in text_of(owners.get(request).content)
    shorter, longer = (last + timedelta(days=days) for days in (-1, 1))
    for epsilon, day, at in (
        ("0.5", longer, "epsilon_limit"),
        ("2", shorter, "last_day"),
        ("2", last, "last_day"),
    ):
        refused = answered(owners, request, epsilon_limit=epsilon, last_day=day.isoformat())
        assert refused.keys() == {at}
        assert f"They have a permit for questions up to ε 2 until {last}" in refused[at][0]
    held = Permit.objects.get()
    assert (held.limit_nano, held.last_day) == (2 * NANO, last)
    assert answered(owners, request, epsilon_limit="2", last_day=longer.isoformat()) == {}
    assert Permit.objects.get().last_day == longer


def test_a_permit_that_is_over_or_of_an_earlier_role_is_nothing_they_have(
    browser: Client, owners: Client, analyst: Membership, owner: Membership, dataset: Dataset
) -> None:
    _permitted(analyst, owner, dataset)
    Membership.objects.filter(pk=analyst.pk).update(role_since=clock.database_now())
    request, today = sent(browser, "permit", "1"), clock.today()
    assert answered(owners, request, epsilon_limit="1", last_day=today.isoformat()) == {}
    assert (Permit.objects.get().limit_nano, Permit.objects.get().last_day) == (NANO, today)


def test_the_services_refuse_it_by_every_door(
    analyst: Membership, owner: Membership, dataset: Dataset
) -> None:
    """What they have is read under the lock that writes, however old the caller's picture is."""
    wanted: dict[str, Any] = {"membership": analyst, "dataset": dataset, "reason": "x"}
    sent = service.ask_for_budget(**wanted, about="allocation", epsilon_nano=NANO)
    longer = service.ask_for_budget(**wanted, about="permit", epsilon_nano=NANO)
    granted(analyst, dataset, NANO)
    last = _permitted(analyst, owner, dataset)
    with pytest.raises(AllocationNotMore):
        service.grant_request(membership=owner, request_id=sent.pk, limit_nano=NANO, answer="go")
    with pytest.raises(PermitNotMore):
        service.grant_permit(
            membership=owner, request_id=longer.pk, epsilon_nano=NANO, last_day=last, answer="go"
        )
    for about in ("allocation", "permit"):
        with pytest.raises(NotMore):
            service.ask_for_budget(**wanted, about=about, epsilon_nano=NANO // 2)


def test_owners_take_back_on_their_own_pages(
    analyst: Membership, owner: Membership, dataset: Dataset
) -> None:
    given = granted(analyst, dataset, 5 * NANO)
    granted(analyst, dataset, NANO)
    assert Budget.objects.get(pk=given.pk).limit_nano == NANO
    _permitted(analyst, owner, dataset)
    sooner = _permitted(analyst, owner, dataset, days=1)
    assert Permit.objects.get().last_day == sooner
