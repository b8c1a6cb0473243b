"""What the last noise check found, as something to tell. It is about made-up tables, never data."""

from collections.abc import Iterator
from datetime import UTC, datetime
from uuid import UUID

from dpgov.noise_check.findings import Verdict, last_report
from dpgov.notices.events.telling import Happening
from dpgov.notices.kinds import Kind
from dpgov.notices.models import Event
from dpgov.tenants.models import Membership, Role


def alarms(tenant_id: UUID) -> Iterator[Happening]:
    """The last run's alarm, if it raised one and this tenant has not been told."""
    report = last_report()
    if report is None or report.verdict is Verdict.FINE:
        return
    key = f"noise_check:{report.at}"
    if Event.objects.filter(tenant_id=tenant_id, key=key).exists():
        return
    members = Membership.objects.filter(tenant_id=tenant_id, role__in=[Role.OFFICER, Role.ADMIN])
    yield Happening(
        key=key,
        kind=Kind.NOISE_CHECK,
        due_at=datetime.fromtimestamp(report.at, UTC),
        people=frozenset(members.values_list("user_id", flat=True)),
        detail={"verdict": report.verdict.value},
    )
