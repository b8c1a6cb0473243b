"""M70: an analyst's page about a parent's budget ends with what is left of it, whatever took it."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from dpgov.budgets.models import Budget, Correction
from dpgov.budgets.services.corrections import correct
from dpgov.budgets.together import with_parts
from dpgov.dashboards.budget import committed
from dpgov.dashboards.budget.committed import committed_thinned
from dpgov.datasets.models import Dataset
from dpgov.privacy.accounting.decimals import NANO
from dpgov.queries.answering.tally import tally_round
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership, Role, Tenant
from tests.cast import join
from tests.integration.dashboards.reading import figure, page, trace
from tests.integration.limits.limits import divide
from tests.made_once import made_once

Ask = Callable[..., Query]
ClientFor = Callable[[Membership], Client]
BUDGET = "/datasets/visits/budget/"


@made_once
def visits(visits_and_costs: tuple[Dataset, Dataset]) -> Dataset:
    return visits_and_costs[0]


@made_once
def colleague(tenant: Tenant) -> Membership:
    return join(tenant, Role.ANALYST, "carla")


@made_once
def asked(
    visits: Dataset, both: Dataset, analyst: Membership, colleague: Membership, ask: Ask
) -> None:
    """Of visits ε 0.5 by a colleague; of what was derived from it ε 0.25 by her, 0.75 by Anna."""
    ask(colleague, of=visits, epsilon=0.5)
    ask(colleague, of=both, epsilon=0.25)
    ask(analyst, of=both, epsilon=0.75)


def test_the_course_ends_with_what_is_left_as_the_tile_has_it(
    asked: None, visits: Dataset, analyst: Membership, client_for: ClientFor
) -> None:
    """A question about a derived dataset is a step of the parents' budgets, too."""
    html = page(client_for(analyst), BUDGET)
    assert trace(html, "over-time", "Remaining")["y"][-1] == 8.5
    assert Budget.objects.get(pk=visits.budget_id).remaining_nano == 85 * NANO // 10


@pytest.mark.parametrize("counted", [True, False])
def test_a_long_course_ends_there_too(
    counted: bool,
    asked: None,
    visits: Dataset,
    answer_all: Callable[[], int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """K3: where days stand for what is older, counted in the tallies or not."""
    answer_all()
    if counted:
        tally_round()
    monkeypatch.setattr(committed, "_MOST_STEPS", 1)
    series, is_thinned = committed_thinned(visits.budget)
    assert (series[-1].spent_nano, is_thinned) == (15 * NANO // 10, True)


@pytest.mark.parametrize("is_divided", [False, True])
def test_what_was_booked_without_a_question_is_a_step(
    is_divided: bool, dataset: Dataset, analyst: Membership, ask: Ask
) -> None:
    """A9: after a restore an officer books what the backup had forgotten."""
    if is_divided:
        divide(dataset)
    ask(analyst)
    for line in Budget.objects.filter(pk__in=with_parts([dataset.budget_id])):
        if not is_divided or line.kind == Budget.Kind.PARTITION:
            _book(line, 2 * NANO)
    now = Budget.objects.get(pk=dataset.budget_id)
    series, _is_thinned = committed_thinned(now)
    assert series[-1].spent_nano == now.committed_nano == 25 * NANO // 10


def _book(budget: Budget, nano: int) -> None:
    correct(
        budget=budget,
        kind=Correction.Kind.AFTER_RESTORE,
        amount_nano=nano,
        reason="forgotten",
        tenant_id=budget.tenant_id,
    )


def test_ones_own_questions_about_a_derived_dataset_are_ones_own(
    asked: None, analyst: Membership, client_for: ClientFor
) -> None:
    """Of the parent's ε 1.5 Anna took 0.75, and nobody is named but her."""
    html = page(client_for(analyst), f"{BUDGET}?range=all")
    shown: list[Any] = figure(html, "by-analyst")["layout"]["yaxis"]["ticktext"]
    took = dict(zip(shown, trace(html, "by-analyst", "Committed")["x"], strict=True))
    assert took == {"You": 0.75, "Everybody else": 0.75}
    assert "Carla" not in html
