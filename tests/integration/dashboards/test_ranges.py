"""One range and one set of filters: what they cut, to whom, and that they go from page to page."""

import re
from collections.abc import Callable
from datetime import timedelta
from html import unescape
from urllib.parse import parse_qs, urlsplit

import pytest
from django.db import connection
from django.db.models import F
from django.test import Client
from django.test.utils import CaptureQueriesContext

from dpgov.budgets.models import Reservation
from dpgov.budgets.services.allocations import allocate
from dpgov.datasets.models import Dataset
from dpgov.privacy.accounting.decimals import NANO
from dpgov.queries.answering.tally import tally_round
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership, Project
from dpgov.tenants.selectors import actor_of
from tests.cast import Ask
from tests.integration.dashboards.reading import figure, page
from tests.made_once import made_once

ClientFor = Callable[[Membership], Client]
PANELS = ("by-analyst", "by-mechanism", "by-purpose")


@made_once
def spread(
    project: Project, ask: Ask, answer_all: Callable[[], int], dataset: Dataset, owner: Membership,
    analyst: Membership, colleague: Membership,
) -> str:  # fmt: skip
    """Anna's project took 0.5 forty days ago and 0.25 today; Carla 1 ten days ago, 0.125 waits."""
    allocate(
        dataset_budget=dataset.budget, holder=project, limit_nano=2 * NANO,
        actor=actor_of(owner.user), reason="falls",
    )  # fmt: skip
    by_sex = ({"column": "sex", "categories": ["Female", "Male"]},)
    asked = {ask(analyst, epsilon=0.5): 40, ask(colleague, group_by=by_sex, epsilon=1): 10}
    ask(analyst, epsilon=0.25)
    answer_all()
    ask(colleague, epsilon=0.125)
    for query, days in asked.items():
        earlier = F("submitted_at") - timedelta(days=days)
        Query.objects.filter(pk=query.pk).update(submitted_at=earlier)
    return f"/datasets/{dataset.slug}/budget/"


def sums(html: str) -> dict[str, float]:
    """What each panel adds up to, spent and reserved."""
    return {name: sum(sum(one["x"]) for one in figure(html, name)["data"]) for name in PANELS}


RANGES = [("7", 0.375), ("30", 1.375), ("90", 1.875), ("all", 1.875)]


@pytest.mark.parametrize("counted", [True, False])
def test_every_panel_follows_the_range_and_its_total_is_the_ledgers(
    counted: bool, spread: str, dataset: Dataset, owner: Membership, client_for: ClientFor
) -> None:
    """K3: whether the sweeper has counted or not; a range that holds all says what "all" says."""
    if counted:
        tally_round()
    browser = client_for(owner)
    for text, total in RANGES:
        html = page(browser, f"{spread}?range={text}")
        days = sum(sum(one["y"]) for one in figure(html, "by-day")["data"])
        assert (days, sums(html)) == (total, dict.fromkeys(PANELS, total)), text
        assert f"In all: ε&nbsp;{total:g}." in html or f"In all: ε\xa0{total:g}." in html
        words = "since the beginning" if text == "all" else f"last {text} days"
        assert html.count(f'<small class="range-words">{words}</small>') == 5
    dataset.budget.refresh_from_db()
    assert dataset.budget.committed_nano == RANGES[-1][1] * NANO
    assert "The ledger says" not in html


def test_a_bar_leads_to_the_questions_of_the_range_alone(
    spread: str, owner: Membership, client_for: ClientFor
) -> None:
    browser = client_for(owner)
    html = page(browser, f"{spread}?range=30")
    for name in PANELS:
        spent, *_held = figure(html, name)["data"]
        for nano, link in zip(spent["x"], spent["meta"]["links"], strict=True):
            listed = browser.get(link).context["filter"].qs
            prices = [query.cost_nano for query in listed if query.state not in Query.HOLDING]
            assert sum(prices) == nano * NANO


def test_purposes_of_a_range_are_what_its_questions_hold_and_took(
    spread: str, officer: Membership, client_for: ClientFor
) -> None:
    """By the day of the question, as every panel: not by when its charge was booked."""
    assert Reservation.objects.filter(budget__kind="allocation").count() == 2
    found = client_for(officer).get(f"{spread}?range=30").context["by_purpose"]
    told = [(one.name, one.spent_nano / NANO, one.reserved_nano / NANO) for one in found]
    assert told == [("No stated purpose", 1, 0.125), ("falls", 0.25, 0)] or told == [
        ("falls", 0.25, 0), ("No stated purpose", 1, 0.125)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("filters", "total"),
    [("analyst={anna}", 0.75), ("statistic=histogram-by_group", 1), ("purpose=falls", 0.75),
     ("statistic=count-overall&purpose=-", 0.125), ("analyst=nobody", 1.875)],
)  # fmt: skip
def test_filters_narrow_every_panel_for_who_may_see_the_split(
    filters: str, total: float, spread: str, analyst: Membership, owner: Membership,
    client_for: ClientFor,
) -> None:  # fmt: skip
    address = f"{spread}?range=all&{filters.format(anna=analyst.user_id)}"
    found = client_for(owner).get(address).context
    assert found["taken_nano"] == total * NANO
    assert sum(nano for _day, _who, nano, _href in found["day_rows"]) == total * NANO
    assert sum(one.total_nano for one in found["by_mechanism"]) == total * NANO


@pytest.mark.parametrize(
    "filters", ["statistic=histogram-by_group", "purpose=falls", "analyst={carla}"]
)
def test_no_filter_takes_apart_for_an_analyst_what_all_the_others_took(
    filters: str, spread: str, analyst: Membership, colleague: Membership, client_for: ClientFor
) -> None:
    """E13: else the days would say who asked what for which purpose."""
    browser = client_for(analyst)
    narrowed = f"{spread}?range=30&{filters.format(carla=colleague.user_id)}"
    for address in (narrowed, f"{spread}?range=30"):
        found = browser.get(address).context
        shares = {one.name: one.total_nano / NANO for one in found["by_analyst"]}
        assert shares == {"You": 0.25, "Everybody else": 1.125}
        assert [one.name for one in found["by_mechanism"]] == ["Count"]
        assert (found["by_purpose"], found["chips"]) == ([], [])


@pytest.mark.parametrize("role", ["owner", "analyst"])
def test_no_range_costs_a_statement_more(
    role: str, spread: str, client_for: ClientFor, request: pytest.FixtureRequest
) -> None:
    """E11"""
    browser = client_for(request.getfixturevalue(role))
    asked = {}
    for text in ("all", "90", "7"):
        with CaptureQueriesContext(connection) as captured:
            browser.get(f"{spread}?range={text}")
        asked[text] = len(captured)
        # The first page with another range keeps it in the session; the next one does not.
        with CaptureQueriesContext(connection) as captured:
            browser.get(f"{spread}?range={text}")
        asked[text] = len(captured)
    assert len(set(asked.values())) == 1


def ways(html: str) -> dict[str, dict[str, list[str]]]:
    """Where the bar and the tabs lead, with what they take along."""
    heads = html.split('<main id="main"')[0] + html.split('class="tabs"')[1].split("</nav>")[0]
    links = [urlsplit(unescape(link)) for link in re.findall(r'href="(/[^"]*)"', heads)]
    return {link.path: parse_qs(link.query) for link in links if link.query}


def test_range_and_filters_go_from_dashboard_to_dashboard(
    spread: str, dataset: Dataset, officer: Membership, analyst: Membership, client_for: ClientFor
) -> None:
    """In the words of each: the log names people and datasets as its entries do.

    A page's way to itself shows it as it begins.
    """
    browser, anna = client_for(officer), str(analyst.user_id)
    key, email = str(dataset.pk), analyst.user.email
    logged = {"range": ["7"], "dataset": [dataset.slug], "actor": [email]}
    chosen = {"range": ["7"], "analyst": [anna], "statistic": ["count"]}
    kept = f"?range=7&analyst={anna}&statistic=count"
    of_budget = ways(page(browser, spread + kept))
    assert of_budget == {"/history/": chosen | {"dataset": [key]}, "/audit/": logged}
    history = page(browser, f"/history/{kept}&dataset={key}")
    assert ways(history)["/audit/"] == logged
    assert f'href="{spread}{kept.replace("&", "&amp;")}"' in history
    log = ways(page(browser, f"/audit/?range=7&dataset={dataset.slug}&actor={email}"))
    named = {"range": ["7"], "dataset": [dataset.slug], "analyst": [email]}
    assert log == {"/history/": named, "/month/": named}
    listed = browser.get("/history/", {name: one for name, (one,) in named.items()})
    assert [query.analyst for query in listed.context["filter"].qs] == [analyst.user]
    assert ways(page(browser, "/portfolio/?range=7"))["/history/"] == {"range": ["7"]}


def test_nothing_goes_along_to_or_from_other_pages(
    spread: str, dataset: Dataset, owner: Membership, client_for: ClientFor
) -> None:
    browser = client_for(owner)
    assert ways(page(browser, f"/datasets/{dataset.slug}/limits/?range=7")) == {}
    assert set(ways(page(browser, f"{spread}?range=7"))) == {"/history/"}, (
        "and to no page of others"
    )


def test_the_log_is_cut_by_the_range_of_its_address_and_by_no_earlier_choice(
    spread: str, officer: Membership, client_for: ClientFor
) -> None:
    browser = client_for(officer)
    whole = browser.get("/audit/").context
    browser.get(f"{spread}?range=7")
    again = browser.get("/audit/").context
    assert (again["span"].text, len(again["entries"])) == ("all", len(whole["entries"]))
    cut = browser.get("/audit/?range=30").context
    assert cut["form"].chosen().since is not None
    assert browser.get(spread).context["span"].text == "30", "it is everywhere what was chosen last"
