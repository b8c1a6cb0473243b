"""M90: surveys on Home, in the portfolio, in the month and in the search, for who sees them."""

import csv
import io
from collections.abc import Callable
from datetime import date, timedelta

import pytest
from django.test import Client
from django.urls import reverse

from dpgov.operation import clock
from dpgov.oversight.month.calendar import Month
from dpgov.oversight.month.month import MonthFigures
from dpgov.oversight.month.report import report_of
from dpgov.oversight.month.surveys import survey_charges
from dpgov.privacy.accounting.decimals import NANO
from dpgov.surveys.models import Survey
from dpgov.surveys.selectors import under_way
from dpgov.surveys.services import receive
from dpgov.tenants.models import Membership
from tests.integration.surveys.made import agreed, asked_for, drafted, opened, shared, tokens
from tests.made_once import made_once

Browsers = Callable[[Membership], Client]
OWN, DRAFT, SHARED = "Did you sleep well?", "Did you never lie?", "Did you work at night?"


@made_once
def three(owner: Membership, officer: Membership) -> Survey:
    """One with a budget of its own and a report, a draft, and one on a shared budget."""
    survey = opened(owner, question=OWN, epsilon_nano=NANO)
    receive(survey=survey, token=tokens(owner, survey, 1)[0], report="1")
    drafted(owner, question=DRAFT)
    on_shared = drafted(owner, question=SHARED, epsilon_nano=2 * NANO, shared_budget=shared(owner))
    agreed(officer, asked_for(owner, on_shared))
    return survey


def _asked(browser: Client, path: str) -> list[str]:
    return [survey.question for survey in browser.get(path).context.get("surveys") or ()]


def test_home_has_an_owners_surveys_and_nobody_elses(
    three: Survey, owner: Membership, officer: Membership, analyst: Membership,
    admin: Membership, stranger: Membership, client_for: Browsers,
) -> None:  # fmt: skip
    assert set(_asked(client_for(owner), "/")) == {OWN, DRAFT, SHARED}
    assert "Surveys under way" in client_for(owner).get("/").text
    for other in (officer, analyst, admin, stranger):
        page = client_for(other).get("/").text
        assert not [question for question in (OWN, DRAFT, SHARED) if question in page]


def test_a_forgotten_survey_pushes_no_running_one_off_home(
    owner: Membership, client_for: Browsers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One whose last day is over comes last, and says so."""
    today = clock.now()
    running = opened(owner, question=OWN, closes_on=today.date() + timedelta(days=9))
    opened(owner, question=SHARED, closes_on=today.date())
    assert [one.question for one in under_way(owner, 1)] == [SHARED]
    monkeypatch.setattr(clock, "now", lambda: today + timedelta(days=1))
    assert under_way(owner, 1) == [running]
    browser = client_for(owner)
    assert _asked(browser, "/") == [OWN, SHARED]
    assert browser.get("/").text.count("last day over") == 1


def test_the_portfolio_says_what_each_took_and_of_which_budget(
    three: Survey, owner: Membership, officer: Membership, client_for: Browsers
) -> None:
    """A draft took nothing."""
    for member in (owner, officer):
        browser = client_for(member)
        assert _asked(browser, "/portfolio/") == [SHARED, OWN]
        page = browser.get("/portfolio/").text
        assert [text in page for text in ("Students of Harbour", "its own")] == [True, True]


def test_the_search_finds_what_the_list_of_surveys_shows(
    three: Survey, owner: Membership, officer: Membership, analyst: Membership,
    admin: Membership, stranger: Membership, client_for: Browsers,
) -> None:  # fmt: skip
    """An analyst finds no draft, an administrator and another organisation nothing."""
    both, drafts_too = {OWN, SHARED}, {OWN, SHARED, DRAFT}
    for member, seen in (
        (owner, drafts_too), (officer, drafts_too), (analyst, both), (admin, set()),
        (stranger, set()),
    ):  # fmt: skip
        kinds = client_for(member).get(reverse("dashboards:search"), {"q": "did YOU"})
        hits = [hit.label for kind in kinds.context["kinds"] for hit in kind.hits]
        assert {hit for hit in hits if hit in drafts_too} == seen


def test_the_month_has_what_was_charged_when_they_opened(
    three: Survey, officer: Membership, stranger: Membership, client_for: Browsers
) -> None:
    """On the page, in the table and on paper; no number of reports in any of them."""
    browser = client_for(officer)
    page = browser.get("/month/").text
    assert "Together: ε 3" in page
    assert DRAFT not in page
    rows = list(csv.reader(io.StringIO(browser.get("/month/table/").text)))
    assert [row[1:7] for row in rows if row[1] == "survey"] == [
        ["survey", OWN, "", "", "1", "epsilon"],
        ["survey", SHARED, "Students of Harbour", "", "2", "epsilon"],
    ]
    month = Month(clock.now().date().replace(day=1))
    charges = survey_charges(officer.tenant, month)
    assert [(one.question, one.charged) for one in charges] == [(OWN, "ε 1"), (SHARED, "ε 2")]
    empty = MonthFigures(month, (), (), (), {}, ())
    assert report_of("Harbour", empty, surveys=charges) != report_of("Harbour", empty)
    assert survey_charges(officer.tenant, Month(date(2020, 1, 1))) == ()
    assert survey_charges(stranger.tenant, month) == ()
