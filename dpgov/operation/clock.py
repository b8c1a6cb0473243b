"""The product's one clock: what a row, an entry of the log or a deadline is dated by.

It shows the machine's time. Only the demonstration lives through days that are past, in its own
state folder and before anybody may write there (`operation.moving` says who may, and a contract of
imports that nobody else does).
"""

import time
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

from django.db import connection, models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import functions
from django.db.models.sql.compiler import SQLCompiler
from django.utils import timezone

from dpgov.operation.moving import moved_to

if TYPE_CHECKING:
    _Moments = models.DateTimeField[datetime, datetime]
else:
    _Moments = models.DateTimeField


def now() -> datetime:
    """The moment, with its time zone."""
    return moved_to() or timezone.now()


def is_moved() -> bool:
    """Whether it shows another moment than the machine does: in the demonstration's past alone."""
    return moved_to() is not None


def today() -> date:
    """The day in UTC, by which questions, refusals and files are counted."""
    return now().astimezone(UTC).date()


def running() -> float:
    """Seconds by a clock that only runs: for how long something may take, and nothing else."""
    return time.monotonic()


def database_now() -> datetime:
    """The database's own moment, for leases and answers: no worker's clock matters (B12).

    On SQLite server and worker are one machine.
    """
    if connection.vendor != "postgresql":
        return now()
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        moment: datetime = cursor.fetchone()[0]
    return moment.astimezone(UTC)


class Now(functions.Now):
    """The same inside a statement: the database's own clock, so that no worker's clock matters."""

    def as_sqlite(
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **context: Any
    ) -> tuple[str, Any]:
        if moved := moved_to():
            return compiler.compile(models.Value(moved, output_field=models.DateTimeField()))
        return super().as_sqlite(compiler, connection, **context)


class Stamp(_Moments):
    """The moment at which its row was made or, with `auto_now`, last saved, by this clock."""

    def __init__(self, *args: Any, **options: Any) -> None:
        if not (options.get("auto_now") or options.get("auto_now_add")):
            raise ValueError("a stamp is set by itself: say auto_now or auto_now_add")
        super().__init__(*args, **options)

    def pre_save(self, model_instance: models.Model, add: bool) -> Any:
        moment = self._now() if self.auto_now or add else getattr(model_instance, self.attname)
        setattr(model_instance, self.attname, moment)
        return moment

    def _now(self) -> datetime:
        return now()

    def deconstruct(self) -> Any:
        """A column like any other in the migrations, which know nothing of clocks."""
        name, _, args, options = super().deconstruct()
        return name, "django.db.models.DateTimeField", args, options


class DatabaseStamp(Stamp):
    """The same by the database's clock, for what is compared with what another machine dated."""

    def _now(self) -> datetime:
        return database_now()
