"""The month day by day: what the tables add up to, beside the month before."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client

from dpgov.datasets.models import Dataset
from dpgov.oversight.month.asked import asked_in
from dpgov.oversight.month.calendar import Month
from dpgov.oversight.month.days import ByDay, Day, by_day_of
from dpgov.oversight.month.month import figures_of
from dpgov.privacy.accounting.decimals import NANO
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership, Tenant
from tests.cast import Ask
from tests.integration.dashboards.reading import figure
from tests.made_once import made_once

pytestmark = pytest.mark.django_db
ClientFor = Callable[[Membership], Client]
MAY = Month.read("2026-05")


@made_once
def asked(ask: Ask, analyst: Membership) -> None:
    """Two questions of 3 May, one of 31 May, one of 30 April; each of another price."""
    moments = [(5, 3, 0.5), (5, 3, 0.25), (5, 31, 1), (4, 30, 2)]
    for month, day, epsilon in moments:
        query = ask(analyst, epsilon=epsilon)
        moment = datetime(2026, month, day, 23, 30, tzinfo=UTC)
        Query.objects.filter(pk=query.pk).update(submitted_at=moment)


def _by_day(tenant: Tenant, month: Month) -> ByDay | None:
    return by_day_of(month, asked_in(tenant, month).by_day)


def test_each_day_stands_beside_that_of_the_month_before(asked: None, dataset: Dataset) -> None:
    by_day = _by_day(dataset.tenant, MAY)
    assert by_day is not None
    found = [(place, *map(_short, (now, before))) for place, now, before in by_day.rows]
    assert found == [(3, (2, 0.75), (0, 0)), (30, (0, 0), (1, 2)), (31, (1, 1), None)]
    of_may = figures_of(dataset.tenant, MAY)
    for line in (*of_may.datasets, *of_may.people):
        assert (line.asked, line.taken) == (3, "ε 1.75"), "the month before is in no line"
    assert sum(cell.number for cell in of_may.cells) == of_may.asked == 3
    for one, sums in ((by_day.questions, (3, 1)), (by_day.epsilon, (1.75, 2))):
        assert [trace["name"] for trace in one["data"]] == ["This month", "Previous month"]
        assert tuple(sum(trace["y"]) for trace in one["data"]) == sums


def _short(day: Day | None) -> tuple[int, float] | None:
    return None if day is None else (day.number, day.nano / NANO)


def test_every_mark_leads_to_the_questions_of_its_day(
    asked: None, officer: Membership, client_for: ClientFor
) -> None:
    """E13: the same links stand in the table beside it."""
    browser = client_for(officer)
    html = browser.get("/month/?month=2026-05").text
    for trace in figure(html, "asked-by-day")["data"]:
        for height, link in zip(trace["y"], trace["meta"]["links"], strict=True):
            assert bool(link) == bool(height)
            if link:
                assert len(browser.get(link).context["table"].rows) == height
                assert f'href="{link.replace("&", "&amp;")}"' in html


@pytest.mark.parametrize("colour", ["state", "dataset", "analyst", "statistic"])
def test_in_every_colour_the_month_adds_up_and_each_mark_leads_to_its_questions(
    colour: str, asked: None, officer: Membership, client_for: ClientFor
) -> None:
    """E13: bars, squares and tables have the same links, and none of another month."""
    browser = client_for(officer)
    html = browser.get(f"/month/?month=2026-05&by={colour}").text
    bars = [
        mark
        for trace in figure(html, "by-day")["data"]
        for mark in zip(trace["y"], trace["meta"]["links"], strict=True)
    ]
    (heat,) = figure(html, "heat")["data"]
    squares = [
        (number, link)
        for (_name, number), link in zip(heat["customdata"], heat["meta"]["links"], strict=True)
    ]
    for marks in (bars, squares):
        assert sorted(number for number, _link in marks) == [1, 2]
        for number, link in marks:
            assert len(browser.get(link).context["table"].rows) == number
            assert f'href="{link.replace("&", "&amp;")}"' in html


def test_a_month_in_epsilon_is_what_its_questions_took(
    asked: None, officer: Membership, client_for: ClientFor
) -> None:
    html = client_for(officer).get("/month/?month=2026-05&measure=epsilon&by=nonsense").text
    assert [each["y"] for each in figure(html, "by-day")["data"]] == [[0.75, 1]]


def test_what_was_given_back_counts_as_a_question_and_took_nothing(
    asked: None, dataset: Dataset
) -> None:
    Query.objects.filter(cost_nano=NANO).update(state=Query.State.VOIDED)
    by_day = _by_day(dataset.tenant, MAY)
    assert by_day is not None
    assert _short(by_day.rows[-1][1]) == (1, 0)


def test_a_month_in_which_nothing_was_asked_has_no_picture(
    asked: None, dataset: Dataset, stranger: Membership
) -> None:
    """H1: nor has another organisation one of ours."""
    later = Month((MAY.after + timedelta(days=31)).replace(day=1))
    assert _by_day(dataset.tenant, later) is None
    assert _by_day(stranger.tenant, MAY) is None
