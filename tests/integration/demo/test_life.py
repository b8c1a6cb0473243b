"""The demonstration's past: real services and noise, a log that proves itself, no way back."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from dpgov.audit.models import AuditEntry
from dpgov.audit.recheck import recheck_all
from dpgov.budgets.findings import ledger_findings
from dpgov.demo import past
from dpgov.demo.census import adult
from dpgov.demo.life.living import Life
from dpgov.operation import moving
from dpgov.operation.stopping import StopRequest
from dpgov.queries.models import Query, Release
from dpgov.tenants.models import Tenant

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def lived(tmp_path: Path, settings: Any) -> list[str]:
    """Eight days of it, broken off once; what it said. Nothing where no clock can be moved."""
    settings.DPGOV_HOME = tmp_path
    said: list[str] = []
    if not past.begin():
        return said
    life = Life("a password of theirs", days=8)
    life.begin()
    broken_off = StopRequest()
    checks = iter(range(1_000))

    def stop_soon() -> None:
        if next(checks) > 5:
            broken_off._ask()

    life.go_on(said.append, broken_off, stop_soon)
    assert past.day_reached() is not None
    again = Life("a password of theirs", days=8)
    again.begin()
    again.go_on(said.append, StopRequest(), lambda: None)
    return said


def test_a_log_lived_through_in_the_past_proves_itself(lived: list[str]) -> None:
    """L34: each entry after the one before it, none after today, and both books agree."""
    assert bool(lived) == (connection.vendor == "sqlite")
    for tenant in Tenant.objects.all():
        moments = list(
            AuditEntry.objects.filter(tenant_id=tenant.pk)
            .order_by("sequence")
            .values_list("at", flat=True)
        )
        assert moments == sorted(moments)
        assert moments[0] < timezone.now() - timedelta(days=89)
        assert recheck_all(tenant.pk).problems == ()
    assert ledger_findings() == []


def test_what_was_asked_then_was_answered_then_and_charged(lived: list[str]) -> None:
    asked = Query.objects.order_by("submitted_at")
    assert asked.exists() == bool(lived)
    assert Release.objects.count() == asked.count()
    for query in asked:
        assert query.ended_at is not None
        assert query.opened_at is not None
        assert query.submitted_at <= query.opened_at <= query.ended_at
        assert query.ended_at - query.submitted_at < timedelta(hours=1)
    keys = [key for (key,) in asked.values_list("idempotency_key")]
    assert len(keys) == len(set(keys))
    if lived:
        adults = adult.of(Tenant.objects.get(name="Harbour Statistics Office"))
        assert adults is not None
        assert adults.budget.spent_nano == sum(query.cost_nano for query in asked)


def test_afterwards_the_clock_shows_today_for_good(lived: list[str]) -> None:
    """L34: the mark is gone, and a second start finds an organisation in its folder."""
    assert past.day_reached() is None
    assert moving.moved_to() is None
    assert past.begin() is (not lived and connection.vendor == "sqlite")
