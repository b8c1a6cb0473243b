"""Moments at the ends of the calendar, on the page of the log and in its file."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from dpgov.audit.actions import Action
from dpgov.audit.actor import WORKER
from dpgov.audit.services import append
from dpgov.tenants.models import Membership

pytestmark = pytest.mark.django_db
ClientFor = Callable[[Membership], Client]


@pytest.mark.parametrize(
    ("zone", "name", "typed"),
    [
        ("Europe/Berlin", "since", "0001-01-01"),
        ("Europe/Berlin", "until", "0001-01-01T00:00"),
        ("Europe/Berlin", "q", "on:0001-01-01"),
        ("America/New_York", "since", "9999-12-31T23:59"),
        ("UTC", "since", "9999-12-31T23:59:59-14:00"),
    ],
)
def test_a_moment_that_utc_does_not_have_is_refused_at_its_field(
    officer: Membership, client_for: ClientFor, settings: Any, zone: str, name: str, typed: str
) -> None:
    settings.TIME_ZONE = zone
    browser = client_for(officer)
    page = browser.get("/audit/", {name: typed})
    assert page.status_code == 422
    assert page.context["form"].errors.keys() == {name}
    assert browser.post("/audit/export/csv/", {name: typed}).status_code == 400


def test_the_first_and_the_last_moments_of_the_calendar_are_searched(
    officer: Membership, client_for: ClientFor
) -> None:
    with transaction.atomic():
        note = append(
            tenant_id=officer.tenant_id,
            action=Action.QUERY_SUBMITTED,
            actor=WORKER,
            subject="query:1",
            at=datetime(2026, 11, 21, 12, tzinfo=UTC),
        )
    browser = client_for(officer)
    whole = {"since": "0001-01-01", "until": "9999-12-31T23:59"}
    for chosen in (whole, {"q": "since:0001-01-01 until:9999-12-30"}):
        shown = browser.get("/audit/", chosen).context["entries"]
        assert [row.entry.sequence for row in shown] == [note.sequence]
