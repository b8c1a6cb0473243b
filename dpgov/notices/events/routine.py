"""What the installation does by itself, told to those who answer for it; no row asks for it.

The last noise check's alarm: what it found is about made-up tables, never data. And the report of
the month that has ended, on the first of the next, once: it says that there is a report and leads
to it. The e-mail has it enclosed, so it is told once a signed checkpoint covers the month, or a day
later in any case.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from uuid import UUID

from dpgov.audit.selectors import EntryFilter, checkpoints_of, entries_of
from dpgov.noise_check.findings import Verdict, last_report
from dpgov.notices.events.telling import NEWS, Happening, people_having, told_before
from dpgov.notices.kinds import Kind
from dpgov.operation import clock
from dpgov.tenants.models import Role

# What was printed before the log was signed would have to be printed again.
_PATIENCE = timedelta(days=1)


def alarms(tenant_id: UUID) -> Iterator[Happening]:
    """The last run's alarm, if it raised one and this tenant has not been told."""
    report = last_report()
    if report is None or report.verdict is Verdict.FINE:
        return
    key = f"noise_check:{report.at}"
    if told_before(tenant_id, [key]):
        return
    yield Happening(
        key=key,
        kind=Kind.NOISE_CHECK,
        # Of a clock that was ahead: an alarm that is due some day would be seen by nobody.
        due_at=datetime.fromtimestamp(min(report.at, clock.database_now().timestamp()), UTC),
        people=people_having(tenant_id, Role.OFFICER, Role.ADMIN),
        detail={"verdict": report.verdict.value},
    )


def ended_months(tenant_id: UUID, now: datetime) -> Iterator[Happening]:
    """The month before this one, in the first days of this one, if the log knows of it."""
    begin = now.astimezone(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    if now - begin > NEWS:
        return
    month = f"{begin - timedelta(days=1):%Y-%m}"
    key = f"month:{month}"
    if told_before(tenant_id, [key]):
        return
    if not entries_of(tenant_id, EntryFilter(until=begin)).exists():
        return
    if now - begin < _PATIENCE and not checkpoints_of(tenant_id).filter(at__gte=begin).exists():
        return
    yield Happening(
        key=key,
        kind=Kind.MONTH,
        due_at=begin,
        people=people_having(tenant_id, Role.OFFICER),
        detail={"month": month},
    )
