"""`manage.py sweep`: send again what was lost and give up what is exhausted."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import OperationalError, close_old_connections

from dpgov.queries.stopping import StopRequest
from dpgov.queries.sweep import sweep


class Command(BaseCommand):
    help = "Send unanswered queries to the workers again; with --every, keep doing so."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--every", type=float, metavar="SECONDS", help="repeat until stopped")

    def handle(self, *args: Any, **options: Any) -> None:
        every: float | None = options["every"]
        if every is None:
            done = sweep()
            self.stdout.write(f"sent again: {done.sent}, given up: {done.given_up}")
            return
        stop = StopRequest()
        stop.listen()
        while not stop.wait(every):
            self._round()

    def _round(self) -> None:
        close_old_connections()
        try:
            sweep()
        except OperationalError as error:
            self.stderr.write(f"the database is away: {type(error).__name__}")
