"""`manage.py joint_worker`: one organisation's part in joint answers, as a process of its own."""

from typing import Any

import structlog
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import close_old_connections

from dpgov.joint.heard import JointBeat
from dpgov.joint.services import answer_for
from dpgov.operation.away import is_database_away
from dpgov.operation.stopping import StopRequest
from dpgov.tenants.crossing import tenants

_log = structlog.get_logger("dpgov.joint")


class Command(BaseCommand):
    """Reads this organisation's rows, key and data files, and nobody else's."""

    help = "Answer joint questions for one organisation; with --every, keep doing so."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("organisation", help="its short name")
        parser.add_argument("--every", type=float, metavar="SECONDS", help="repeat until stopped")

    def handle(self, *args: Any, organisation: str, **options: Any) -> None:
        found = [one for one in tenants() if one.slug == organisation]
        if not found:
            raise CommandError(f"There is no organisation called {organisation}.")
        tenant_id, every = found[0].id, options["every"]
        if every is None:
            self.stdout.write(f"sent: {answer_for(tenant_id)}")
            return
        stop = StopRequest()
        stop.listen()
        beat = JointBeat(tenant_id, organisation)
        beat.start()
        while not stop.wait(every):
            close_old_connections()
            try:
                if sent := answer_for(tenant_id):
                    _log.info("sent", number=sent)
            except Exception as error:
                if not is_database_away(error):
                    raise
                _log.warning("the database is away", kind=type(error).__name__)
        beat.stop()
