"""What an analyst is told of the limits that their next question touches."""

import re
from collections.abc import Callable

from django.test import Client
from django.urls import reverse

from dpgov.audit.actor import OPERATOR
from dpgov.budgets.models import RateLimit
from dpgov.budgets.services import set_rate_limit, withdraw
from dpgov.datasets.models import Dataset
from dpgov.privacy.accounting.decimals import NANO
from dpgov.tenants.models import Membership, Project
from tests.cast import Ask, answer_query
from tests.integration.dashboards.reading import page, trace
from tests.integration.limits.limits import divide, grant, said

ClientFor = Callable[[Membership], Client]
BUDGET = "/datasets/visits/budget/"
LIMITS = "/datasets/visits/limits/"


def test_an_analyst_sees_what_binds_first(
    dataset: Dataset, analyst: Membership, client_for: ClientFor
) -> None:
    """The tightest of all limits, and the largest question that fits under it."""
    grant(dataset, analyst.user, NANO)
    set_rate_limit(
        budget=dataset.budget, period=RateLimit.Period.DAY, limit_nano=NANO // 4, actor=OPERATOR
    )
    html = said(page(client_for(analyst), BUDGET)).replace("&#x27;", "'")
    assert (
        "The largest question that fits costs ε 0.25: that is what remains of "
        "what may be used a day of the dataset's budget until" in html
    )
    order = [
        html.index(text)
        for text in (
            "a day of the dataset's budget binds",
            "Your allocation 1 1",
            "The dataset's budget 10",
        )
    ]
    assert order == sorted(order)


def test_an_analyst_sees_committed_amounts_only(
    dataset: Dataset,
    analyst: Membership,
    client_for: ClientFor,
    ask: Ask,
    answer_all: Callable[[], int],
) -> None:
    """E8: the page about limits is the same before and after the worker."""
    divide(dataset)
    dataset.refresh_from_db()
    grant(dataset, analyst.user, NANO)
    query = ask(analyst)
    client = client_for(analyst)
    section = re.compile(r'aria-labelledby="yours-title".*?</section>', re.S)
    before = section.findall(page(client, BUDGET))
    assert before
    assert answer_query(query.pk)
    html = page(client, BUDGET)
    assert section.findall(html) == before
    assert "ε&nbsp;0.5 of ε&nbsp;1 committed" in before[0]
    assert "Reserved" not in html


def test_who_needs_an_allocation_and_has_none_is_told_whom_to_ask(
    dataset: Dataset, analyst: Membership, client_for: ClientFor
) -> None:
    Dataset.objects.filter(pk=dataset.pk).update(needs_allocation=True)
    html = page(client_for(analyst), BUDGET)
    assert "Questions about this dataset need an allocation" in html


def test_colleagues_allocations_stay_with_them(
    dataset: Dataset, analyst: Membership, colleague: Membership, client_for: ClientFor
) -> None:
    """H8: neither their name nor the amount."""
    grant(dataset, colleague.user, 1_234_567_891)
    html = page(client_for(analyst), BUDGET)
    assert "Carla" not in html
    assert "1.234567891" not in html
    assert client_for(analyst).get(LIMITS).status_code == 403


def test_the_history_names_the_allocation_that_was_charged(
    dataset: Dataset,
    analyst: Membership,
    project: Project,
    client_for: ClientFor,
    ask: Ask,
) -> None:
    shared = grant(dataset, project, NANO)
    query = ask(analyst)
    assert "(allocation: Ageing)" in page(client_for(analyst), reverse("dashboards:history"))
    withdraw(allocation=shared, actor=OPERATOR, reason="over")
    html = said(page(client_for(analyst), f"/queries/{query.pk}/")).replace("&#x27;", "'")
    assert "ε 0.5 of the dataset's budget" in html
    assert "ε 0.5 of the allocation of Ageing" in html


def test_what_was_asked_of_different_parts_is_shared_out_as_it_was_asked(
    dataset: Dataset,
    analyst: Membership,
    colleague: Membership,
    client_for: ClientFor,
    ask: Ask,
) -> None:
    """F5: two questions of ε 0.5 about different people, though the dataset lost ε 0.5."""
    divide(dataset)
    dataset.refresh_from_db()
    for person, part in ((analyst, "Primary"), (colleague, "Secondary")):
        ask(person, where=({"column": "education", "op": "=", "value": part},))
    html = page(client_for(analyst), BUDGET)
    assert trace(html, "by-analyst", "Committed")["x"] == [0.5, 0.5]
    assert trace(html, "over-time", "Remaining")["y"][-1] == 9.5
