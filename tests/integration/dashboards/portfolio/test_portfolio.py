"""The portfolio: every budget with its numbers in sight, totals by unit, and what was refused."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F
from django.test import Client

from dpgov.budgets.models import Budget
from dpgov.dashboards.forecast.forecast import Forecast
from dpgov.dashboards.portfolio import view
from dpgov.dashboards.portfolio.totals import UnitTotal, totals_of
from dpgov.datasets.models import Dataset
from dpgov.operation import clock
from dpgov.privacy.accounting.decimals import NANO
from dpgov.queries.models import Query, Refusal
from dpgov.tenants.models import Membership
from tests.agreed import given_a_budget_of_its_own
from tests.cast import Ask
from tests.integration.dashboards.reading import figure, page
from tests.integration.dashboards.test_home import registered
from tests.small_dataset import register_small_dataset
from tests.triggers import without_triggers

ClientFor = Callable[[Membership], Client]


def test_limit_committed_left_pace_and_end_stand_on_the_longer_stretch_of_each_bar(
    ask: Ask, answer_all: Callable[[], int], analyst: Membership, owner: Membership,
    dataset: Dataset, client_for: ClientFor,
) -> None:  # fmt: skip
    """Nobody has to hover; each stretch leads to the budget, with the range that was chosen."""
    registered(dataset, 400)
    for _n in range(3):
        ask(analyst, epsilon=2)
    answer_all()
    unasked = register_small_dataset(owner, name="Unasked")
    given_a_budget_of_its_own(unasked, label="Unasked", limit_nano=10 * NANO)
    html = page(client_for(owner), "/portfolio/?range=90")
    committed, left = figure(html, "all-budgets")["data"]
    ((told, nothing), (empty, free)) = (
        zip(reversed(trace["text"]), reversed(trace["x"]), strict=True)
        for trace in (committed, left)
    )
    assert (told[1], nothing[1], empty[1], free[1]) == (60, 0, 40, 100)
    assert told[0].startswith("ε 6 committed, ε 4 left of ε 10; ε 6 in 30 days; until ")
    assert free[0] == "ε 0 committed, ε 10 left of ε 10; ε 0 in 30 days; too early to tell"
    assert (nothing[0], empty[0]) == ("", "")
    address = f"/datasets/{dataset.slug}/budget/?range=90"
    assert committed["meta"]["links"][-1] == left["meta"]["links"][-1] == address


@pytest.mark.tampers_with_ledger
def test_totals_are_of_one_unit_each_and_count_a_budget_once(owner: Membership) -> None:
    """ε and ρ never add up; datasets about the same people have one budget."""
    rho = {"mode": "zcdp", "delta": "1e-6", "target_nano": NANO}
    made = [register_small_dataset(owner, name=name) for name in ("A", "B", "C", "D")]
    told: list[dict[str, Any]] = [
        {"limit_nano": 10 * NANO, "spent_nano": NANO, "reserved_nano": NANO // 2},
        {"limit_nano": 3 * NANO, "spent_nano": 3 * NANO, "reserved_nano": 0},
        {"limit_nano": NANO // 4, "spent_nano": NANO // 50, "reserved_nano": 0, **rho},
    ]
    with without_triggers("budgets_budget", "datasets_dataset"):
        budgets = [
            Budget.objects.create(tenant=owner.tenant, kind=Budget.Kind.DATASET, label="own", **one)
            for one in told
        ]
        for dataset, budget in zip(made, (budgets[0], *budgets), strict=True):
            dataset.budget = budget
            dataset.save(update_fields=["budget"])
    found = [Forecast(one, NANO // 50, one.budget.remaining_nano, None) for one in made]
    every = Dataset.objects.filter(pk__in=[one.pk for one in made])
    assert totals_of(every, found) == [
        UnitTotal("ε", 2, "ε 13", "ε 4.5", "ε 8.5", "ε 0.04"),
        UnitTotal("ρ", 1, "ρ 0.25", "ρ 0.02", "ρ 0.23", "ρ 0.02"),
    ]


def test_the_picture_is_of_the_page_of_the_table_and_every_dataset_is_on_one(
    dataset: Dataset, owner: Membership, client_for: ClientFor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(view, "_LISTED", 1)
    register_small_dataset(owner, name="Stays")
    shown = set()
    for number in (1, 2):
        html = page(client_for(owner), f"/portfolio/?page={number}")
        shown |= set(figure(html, "all-budgets")["layout"]["yaxis"]["ticktext"])
        assert f"Datasets {number} to {number} of 2" in html
    assert shown == {"Stays", "Visits"}


def test_refusals_stand_by_dataset_and_reason_and_each_leads_to_its_own(
    dataset: Dataset, owner: Membership, analyst: Membership, stranger: Membership,
    client_for: ClientFor,
) -> None:  # fmt: skip
    """H1: another organisation's are not counted. The range cuts them."""
    other, today = register_small_dataset(owner, name="Stays"), clock.today()
    foreign = register_small_dataset(stranger, name="Foreign")
    rows = [(dataset, 0, "budget", 2), (dataset, 1, "question", 3), (other, 1, "budget", 1),
            (dataset, 40, "budget", 9), (foreign, 0, "budget", 8)]  # fmt: skip
    for of, days, reason, number in rows:
        Refusal.objects.create(
            tenant=of.tenant, dataset=of, analyst=analyst.user, reason=reason, number=number,
            day=today - timedelta(days=days),
        )  # fmt: skip
    browser = client_for(owner)
    html = page(browser, "/portfolio/?range=30")
    drawn = figure(html, "refused-datasets")
    assert drawn["layout"]["yaxis"]["ticktext"] == ["Stays", "Visits"]
    assert {one["name"]: one["x"] for one in drawn["data"]} == {
        "Cost more than one question may": [0, 3],
        "Did not fit what remained": [1, 2],
    }
    for link, number in zip(drawn["data"][0]["meta"]["links"], (1, 5), strict=True):
        listed = browser.get(link).context["board"].refusals
        assert sum(one.number for one, _href in listed) == number
        assert f'href="{link.replace("&", "&amp;")}"' in html


def test_people_and_datasets_follow_the_range_and_the_filters(
    in_use: list[Query], dataset: Dataset, owner: Membership, analyst: Membership,
    client_for: ClientFor,
) -> None:  # fmt: skip
    Query.objects.filter(pk=in_use[2].pk).update(submitted_at=F("submitted_at") - timedelta(days=9))
    browser = client_for(owner)
    for address, told in (
        ("all", {"Anna": "ε 0.75", "Carla": "ε 1.125"}),
        ("7", {"Anna": "ε 0.75", "Carla": "ε 0.125"}),
        (f"all&analyst={analyst.user_id}", {"Anna": "ε 0.75"}),
        ("7&statistic=mean-overall", {"Anna": "ε 0.25"}),
    ):
        html = page(browser, f"/portfolio/?range={address}")
        (squares,) = figure(html, "people-datasets")["data"]
        assert {name: amount for name, _dataset, amount in squares["customdata"]} == told
        for link in squares["meta"]["links"]:
            assert link.replace("&", "&amp;") in html
            prices = {query.analyst.name: 0 for query in browser.get(link).context["filter"].qs}
            assert len(prices) == 1
