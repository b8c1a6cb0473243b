"""What is left of a budget as a picture: where its pace leads, what happened to it, and by whom."""

from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Any

import pytest
from django.db.models import F
from django.test import Client
from django.urls import reverse

from dpgov.budgets.models import LimitChange
from dpgov.budgets.services import change_limit
from dpgov.dashboards.budget.figures import shares
from dpgov.dashboards.budget.shares import BudgetShare
from dpgov.datasets.models import Dataset
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.plan.schema import Neighbouring
from dpgov.queries.models import Query, Refusal
from dpgov.queries.pictures.figures import Leads
from dpgov.tenants.models import Membership
from dpgov.tenants.selectors import actor_of
from tests.cast import Ask
from tests.declared import declare_otherwise
from tests.integration.dashboards.reading import figure, page, trace
from tests.integration.dashboards.test_home import registered
from tests.integration.limits.limits import divide

ClientFor = Callable[[Membership], Client]


def names(html: str, chart: str) -> list[str]:
    return [each["name"] for each in figure(html, chart)["data"]]


def test_the_budget_page_and_home_tell_the_same_day(
    ask: Ask, answer_all: Callable[[], int], analyst: Membership, owner: Membership,
    dataset: Dataset, paths: dict[str, str], client_for: ClientFor,
) -> None:  # fmt: skip
    """L16: ε 2 of 10 in 30 days: one forecast, wherever it is read, and a cone that ends there."""
    registered(dataset, 400)
    ask(analyst, epsilon=2)
    answer_all()
    browser = client_for(owner)
    ((at_home, _line),) = browser.get("/").context["budgets"]
    found = browser.get(paths["budget"])
    assert found.context["forecast"].ends_on == at_home.ends_on
    line = trace(found.text, "over-time", "At this pace")
    assert (line["x"][1][:10], line["y"]) == (at_home.ends_on.isoformat(), [8, 0])


def test_a_divided_budget_lasts_at_least_as_long_as_is_said(
    ask: Ask, answer_all: Callable[[], int], analyst: Membership, owner: Membership,
    dataset: Dataset, paths: dict[str, str], client_for: ClientFor,
) -> None:  # fmt: skip
    """L16: under change_one a question of ε 1 about one part books ε 2 there: of the 8 that are
    left, as much every 30 days, for 120 days and not for 240.
    """
    declare_otherwise(Dataset.objects.filter(pk=dataset.pk), neighbouring=Neighbouring.CHANGE_ONE)
    divide(dataset)
    registered(dataset, 400)
    part = Dataset.objects.get(pk=dataset.pk)
    ask(
        analyst, of=part, where=({"column": "education", "op": "=", "value": "Primary"},), epsilon=1
    )
    answer_all()
    browser = client_for(owner)
    ((at_home, _line),) = browser.get("/").context["budgets"]
    on_its_page = browser.get(paths["budget"]).context["forecast"]
    for told in (at_home, on_its_page):
        assert (told.taken_nano, told.left_nano, told.days_left) == (NANO, 8 * NANO, 120)


def test_a_young_budget_has_no_cone(
    in_use: list[Query], owner: Membership, paths: dict[str, str], client_for: ClientFor
) -> None:
    html = page(client_for(owner), paths["budget"])
    assert names(html, "over-time") == ["Remaining", "Limit"]
    assert "Runs out: too early to tell." in html


def _lowered_and_refused(
    in_use: list[Query], dataset: Dataset, owner: Membership, colleague: Membership
) -> None:
    """An owner lowers the limit; of a colleague's questions three are refused on the first day."""
    change_limit(
        budget=dataset.budget, limit_nano=9 * NANO, actor=actor_of(owner.user), reason="less"
    )
    Refusal.objects.create(
        tenant=owner.tenant, dataset=dataset, analyst=colleague.user, number=3, reason="budget",
        day=in_use[0].submitted_at.date(),
    )  # fmt: skip


def test_what_happened_to_a_budget_is_marked_for_owners_alone(
    in_use: list[Query], dataset: Dataset, owner: Membership, analyst: Membership,
    officer: Membership, colleague: Membership, paths: dict[str, str], client_for: ClientFor,
) -> None:  # fmt: skip
    """E13: refusals of others and the pace of all are nothing for an analyst."""
    _lowered_and_refused(in_use, dataset, owner, colleague)
    html = page(client_for(owner), paths["budget"])
    words = [one for (one,) in trace(html, "over-time", "Events")["customdata"]]
    assert words == ["3 questions refused", "Limit lowered by ε 1"]
    refused, lowered = trace(html, "over-time", "Events")["meta"]["links"]
    shown = client_for(owner).get(refused).context["board"].refusals
    assert [one.number for one, _href in shown] == [3]
    assert lowered == reverse("limits:limits", args=[dataset.slug]), "where an owner lowers it"
    assert f'<a href="{refused.replace("&", "&amp;")}">3 questions refused</a>' in html
    told = page(client_for(officer), paths["budget"])
    in_log = trace(told, "over-time", "Events")["meta"]["links"][1]
    assert "changed a limit from ε 10 to ε 9" in client_for(officer).get(in_log).text
    seen = client_for(analyst).get(paths["budget"])
    assert names(seen.text, "over-time") == ["Remaining", "Limit"]
    assert (seen.context["forecast"], seen.context["marks"]) == (None, [])
    assert "refused" not in seen.text.lower()


def test_events_are_marked_when_they_happened_and_never_before_the_budget_or_after_now(
    in_use: list[Query], dataset: Dataset, owner: Membership, colleague: Membership,
    paths: dict[str, str], client_for: ClientFor,
) -> None:  # fmt: skip
    """E13: of refusals the day is known alone; of it the part that the picture shows is taken."""
    _lowered_and_refused(in_use, dataset, owner, colleague)
    lowered = LimitChange.objects.get(budget=dataset.budget, before_nano__gt=0).created_at
    html = page(client_for(owner), paths["budget"])
    moments = [datetime.fromisoformat(at) for at in trace(html, "over-time", "Events")["x"]]
    assert moments[1] == lowered
    drawn = trace(html, "over-time", "Limit")["x"]
    assert datetime.fromisoformat(drawn[0]) <= moments[0] <= datetime.fromisoformat(drawn[-1])


def test_days_are_split_by_name_for_owners_and_in_two_for_analysts(
    in_use: list[Query], owner: Membership, analyst: Membership, paths: dict[str, str],
    client_for: ClientFor,
) -> None:  # fmt: skip
    """E13: an analyst reads nobody else's name, only what all the others took together."""

    def by_name(member: Membership) -> dict[str, float]:
        data = figure(page(client_for(member), paths["budget"]), "by-day")["data"]
        return {each["name"]: sum(each["y"]) for each in data}

    assert by_name(owner) == {"Anna": 0.75, "Carla": 1.125}
    assert by_name(analyst) == {"You": 0.75, "Everybody else": 1.125}


@pytest.mark.parametrize("chart", ["by-day", "by-mechanism"])
@pytest.mark.parametrize("role", ["owner", "officer", "analyst"])
def test_every_bar_leads_to_the_questions_that_it_adds_up(
    chart: str, role: str, in_use: list[Query], paths: dict[str, str], client_for: ClientFor,
    request: pytest.FixtureRequest,
) -> None:  # fmt: skip
    """E13: by day and person, and by what was asked; but nobody is led to others' questions."""
    browser = client_for(request.getfixturevalue(role))
    html = page(browser, paths["budget"])
    led = []
    for each in figure(html, chart)["data"]:
        heights = each["y"] if chart == "by-day" else each["x"]
        for place, link in enumerate(each["meta"]["links"]):
            if not link:
                assert each["name"] == "Everybody else"
                continue
            listed = browser.get(link).context["filter"].qs
            if each["name"] != "Reserved":
                held = Query.HOLDING if each["name"] == "Spent" else ()
                prices = [q.cost_nano for q in listed if q.state not in held]
                assert sum(prices) == heights[place] * NANO
            led.append(link)
    assert led


def test_on_the_first_day_the_days_of_its_week_stand_along_every_axis_of_days(
    in_use: list[Query], owner: Membership, paths: dict[str, str], client_for: ClientFor
) -> None:
    """And none is a time of the day; what is left is timed to the second in the first minutes."""
    budget = page(client_for(owner), paths["budget"])
    history = page(client_for(owner), "/history/")
    for html, name in ((budget, "by-day"), (history, "by-day"), (history, "heat")):
        axis = figure(html, name)["layout"]["xaxis"]
        first, last = (date.fromisoformat(day) for day in axis["range"])
        assert (axis["dtick"], (last - first).days) == (86_400_000, 8)
    left = figure(budget, "over-time")["layout"]["xaxis"]["tickformatstops"]
    assert left[0] == {"dtickrange": [None, 59_999], "value": "%H:%M:%S"}


@pytest.mark.parametrize(("text", "shown"), [("7", 1.125), ("30", 1.875), ("all", 1.875)])
def test_the_range_cuts_days_and_course(
    text: str, shown: float, in_use: list[Query], owner: Membership, paths: dict[str, str],
    client_for: ClientFor,
) -> None:  # fmt: skip
    earlier = F("submitted_at") - timedelta(days=10)
    Query.objects.filter(analyst=in_use[0].analyst_id).update(submitted_at=earlier)
    html = page(client_for(owner), f"{paths['budget']}?range={text}")
    data: list[Any] = figure(html, "by-day")["data"]
    assert sum(sum(each["y"]) for each in data) == shown


def test_of_many_kinds_the_largest_are_shown_and_the_others_are_one_bar() -> None:
    """Labels have room beside each other; reserved is named only where something is."""
    parts = [BudgetShare(f"Kind {n}", (20 - n) * NANO) for n in range(10)]
    drawn = shares(parts, split=True, leads=Leads())
    assert drawn["layout"]["yaxis"]["ticktext"][0] == "5 others"
    assert len(drawn["layout"]["yaxis"]["ticktext"]) == 6
    assert [each["name"] for each in drawn["data"]] == ["Spent"]
    assert sum(drawn["data"][0]["x"]) == sum(range(11, 21))


def test_the_portfolio_shows_every_budget_and_who_took_what(
    in_use: list[Query], dataset: Dataset, owner: Membership, client_for: ClientFor
) -> None:
    """E13: for owners and officers; each square and each number leads to those questions."""
    html = page(client_for(owner), "/portfolio/")
    bars, left = figure(html, "all-budgets")["data"]
    assert (bars["x"], bars["meta"]["links"]) == ([18.8], [f"/datasets/{dataset.slug}/budget/"])
    assert left["x"] == [81.2]
    (squares,) = figure(html, "people-datasets")["data"]
    told = {name: amount for name, _dataset, amount in squares["customdata"]}
    assert told == {"Anna": "ε 0.75", "Carla": "ε 1.125"}
    for link in squares["meta"]["links"]:
        assert len(client_for(owner).get(link).context["table"].rows) == 2
        assert link.replace("&", "&amp;") in html
