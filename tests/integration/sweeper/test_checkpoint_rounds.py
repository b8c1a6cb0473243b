"""A round of checkpoints: what is wrong with one log stops no other one."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import OperationalError
from django.utils import timezone
from structlog.testing import capture_logs

from dpgov.audit.checkpoints.deliveries import deliver_waiting
from dpgov.audit.checkpoints.signing import make_checkpoint, sweep_checkpoints
from dpgov.audit.keys.note import PublicKey
from dpgov.audit.models import AuditCheckpoint
from dpgov.audit.outside import KEYS, folder_of, known_keys, newest_outside
from dpgov.operation import clock
from dpgov.sweeper.checkpoints import checkpoint_round
from dpgov.tenants.models import Membership, Tenant
from tests.integration.audit.logs import write
from tests.integration.meeting import conflict

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _own_folder(own_folders: None) -> None:
    """What leaves the database stays in this test."""


def test_bytes_that_are_no_text_in_one_list_of_keys_stop_no_other_log(
    officer: Membership, old_key: PublicKey, settings: Any
) -> None:
    """S3: nor that log itself, whose list is written again."""
    published = folder_of(officer.tenant_id) / KEYS
    published.write_bytes(b"\xff")
    other = Tenant.objects.create(slug="zz-other", name="Other")
    write(1, tenant_id=other.pk)
    write(1, tenant_id=officer.tenant_id)
    settings.DPGOV_CHECKPOINT_ENTRIES = 1
    assert checkpoint_round() == 2
    assert known_keys(other.pk)
    assert published.read_text() == f"{old_key.as_text()}\n"


@pytest.mark.parametrize(
    "problem", [UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"), conflict()]
)
def test_what_breaks_off_for_one_log_stops_no_other_one(
    problem: Exception, officer: Membership, monkeypatch: pytest.MonkeyPatch
) -> None:
    """M100: whatever it is but the database that is away; and the program's log says so."""
    other = Tenant.objects.create(slug="zz-other", name="Other")
    for tenant_id in (officer.tenant_id, other.pk):
        write(1, tenant_id=tenant_id)

    def break_off(tenant_id: UUID, away: set[str]) -> AuditCheckpoint | None:
        if tenant_id == officer.tenant_id:
            raise problem
        return sweep_checkpoints(tenant_id, away)

    monkeypatch.setattr("dpgov.sweeper.checkpoints.sweep_checkpoints", break_off)
    with capture_logs() as logged:
        assert checkpoint_round() == 1
    assert [entry["event"] for entry in logged] == ["checkpoints broke off"]
    assert [row.tenant_id for row in AuditCheckpoint.objects.all()] == [other.pk]


def test_a_database_that_is_away_ends_the_round(
    officer: Membership, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody else would fare better, and the sweeper is told."""

    def away(tenant_id: UUID, away: set[str]) -> None:
        raise OperationalError

    monkeypatch.setattr("dpgov.sweeper.checkpoints.sweep_checkpoints", away)
    with pytest.raises(OperationalError):
        checkpoint_round()


def test_a_clock_that_was_ahead_for_one_round_stops_no_checkpoint_and_no_delivery(
    officer: Membership, monkeypatch: pytest.MonkeyPatch
) -> None:
    """G3: neither for as long as it was ahead, nor once more after that."""
    write(1, tenant_id=officer.tenant_id)
    with monkeypatch.context() as ahead:
        ahead.setattr(clock, "now", lambda: timezone.now() + timedelta(days=365))
        first = make_checkpoint(tenant_id=officer.tenant_id)
    assert first is not None
    assert deliver_waiting(officer.tenant_id) == 1
    assert sweep_checkpoints(officer.tenant_id) is None
    write(1, tenant_id=officer.tenant_id)
    second = sweep_checkpoints(officer.tenant_id)
    assert second is not None
    assert newest_outside(officer.tenant_id) == second.size == first.size + 1
    write(1, tenant_id=officer.tenant_id)
    assert sweep_checkpoints(officer.tenant_id) is None


def test_a_webhook_that_hangs_is_waited_for_once_in_a_round(
    officer: Membership, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S3: it is the installation's, and each organisation waited for it anew; all are signed."""
    tried = []

    def hangs(checkpoint: AuditCheckpoint) -> None:
        tried.append(checkpoint.tenant_id)
        raise TimeoutError

    settings.DPGOV_CHECKPOINT_WEBHOOK = "https://elsewhere.example.org/"
    settings.DPGOV_CHECKPOINT_ENTRIES = 1
    monkeypatch.setattr("dpgov.audit.checkpoints.deliveries._to_webhook", hangs)
    others = [Tenant.objects.create(slug=f"zz-{n}", name=f"Other {n}") for n in range(3)]
    for tenant_id in (officer.tenant_id, *(other.pk for other in others)):
        write(1, tenant_id=tenant_id)
    assert checkpoint_round() == 4
    assert len(tried) == 1
    assert all(newest_outside(other.pk) == 1 for other in others)
