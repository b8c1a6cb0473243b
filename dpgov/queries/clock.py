"""Time for leases and answers: the database's clock, so that no worker's clock matters (B12)."""

from datetime import UTC, datetime

from django.db import connection

from dpgov.operation import clock


def database_now() -> datetime:
    """The server's clock on PostgreSQL; on SQLite server and worker are one machine."""
    if connection.vendor != "postgresql":
        return clock.now()
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        moment: datetime = cursor.fetchone()[0]
    return moment.astimezone(UTC)
