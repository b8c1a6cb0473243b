"""The log as a picture: sums of the list below it, and every mark leads to what it counts."""

from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import pytest
from django.test import Client

from dpgov.audit.actions import Action
from dpgov.audit.models import AuditEntry
from dpgov.tenants.models import Membership
from tests.cast import Ask
from tests.integration.dashboards.reading import figure
from tests.integration.oversight.test_log_pages import note
from tests.made_once import made_once

pytestmark = pytest.mark.django_db
ClientFor = Callable[[Membership], Client]

MEAN = ({"statistic": "mean", "column": "age"},)


@made_once
def days(officer: Membership, ask: Ask, analyst: Membership, answer_all: Callable[[], int]) -> None:
    """Two questions of today and their answers; steps of three more days, of many kinds."""
    ask(analyst, epsilon=0.5, statistics=MEAN)
    ask(analyst, epsilon=0.25)
    answer_all()
    kinds = [action for action in Action if action.startswith(("BUDGET", "MEMBER", "DATASET"))]
    for hours, action in enumerate(kinds):
        note(officer, action, hours=hours * 4, dataset="visits")
    note(officer, Action.BUDGET_LIMIT_CHANGED, hours=1, dataset="visits")


FILTERS = [
    "",
    "?dataset=visits",
    "?action=BUDGET_LIMIT_CHANGED",
    "?q=%CE%B5%3A%3E0.3",
    "?q=question",
    "?q=visits",
    "?q=anna",
    "?actor=worker&since=2026-11-21T18:30&until=2026-11-22T01:00",
    "?q=on%3A2026-11-21",
]


@pytest.mark.parametrize("chosen", FILTERS)
def test_every_mark_leads_to_exactly_the_entries_that_it_counts(
    chosen: str, days: None, officer: Membership, client_for: ClientFor
) -> None:
    """E13: and the table beside the chart has the same links, for who has no script."""
    browser = client_for(officer)
    page = browser.get(f"/audit/{chosen}")
    listed = len(page.context["entries"])
    found = [
        (height, link)
        for trace in figure(page.text, "activity")["data"]
        for height, link in zip(trace["y"], trace["meta"]["links"], strict=True)
    ]
    assert sum(height for height, _link in found) == listed > 0
    for height, link in found:
        assert f'href="{link.replace("&", "&amp;")}"' in page.text
        beyond = "others" in page.text and "action=" not in link
        entries = browser.get(f"/audit/{link}").context["entries"]
        assert len(entries) >= height if beyond else len(entries) == height


def test_a_long_log_is_counted_from_its_newest_end_and_says_so(
    days: None, officer: Membership, client_for: ClientFor
) -> None:
    with patch("dpgov.oversight.log.activity.MOST", 3):
        page = client_for(officer).get("/audit/")
    assert sum(row.number for row in page.context["activity"].rows) == 3
    assert "the first bar may stand for more" in page.text


def test_nothing_of_another_organisation_is_counted(
    days: None, stranger: Membership, officer: Membership, client_for: ClientFor
) -> None:
    """H1: theirs is another log."""
    before = _sum(client_for(officer).get("/audit/"))
    note(stranger, Action.MEMBER_ADDED)
    assert _sum(client_for(officer).get("/audit/")) == before
    assert before == AuditEntry.objects.filter(tenant_id=officer.tenant_id).count()


def _sum(page: Any) -> int:
    return sum(row.number for row in page.context["activity"].rows)


def test_a_log_without_such_an_entry_has_no_picture(
    days: None, officer: Membership, client_for: ClientFor
) -> None:
    page = client_for(officer).get("/audit/?dataset=nothing")
    assert page.context["activity"] is None
