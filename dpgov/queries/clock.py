"""Time for leases and answers: the database's clock, so that no worker's clock matters (B12)."""

from datetime import UTC, datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.models import DateTimeField, Func, Value
from django.utils import timezone

# An answer settled this close to a slot's end waits for the next one: its commit must be done.
_MARGIN = timedelta(milliseconds=20)


def database_now() -> datetime:
    """The server's clock on PostgreSQL; on SQLite server and worker are one machine."""
    if connection.vendor != "postgresql":
        return timezone.now()
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        moment: datetime = cursor.fetchone()[0]
    return moment.astimezone(UTC)


class DatabaseNow(Func):
    """The same time inside of a statement, as it began: one question less to the database."""

    function = "STATEMENT_TIMESTAMP"
    output_field = DateTimeField()

    def as_sqlite(self, compiler: Any, connection: Any, **_: Any) -> tuple[str, Any]:
        """This machine's clock, as above."""
        moment = Value(timezone.now(), output_field=DateTimeField())
        return moment.as_sql(compiler, connection)


def visible_from(submitted_at: datetime, ended_at: datetime) -> datetime:
    """The end of the fixed slot in which an answer was stored.

    Answers appear at multiples of the slot after submission, so that when one appears says
    little about how long the data took.
    """
    slot = timedelta(milliseconds=max(1, settings.DPGOV_ANSWER_SLOT_MS))
    elapsed = ended_at + _MARGIN - submitted_at
    return submitted_at + slot * max(1, -(-elapsed // slot))
