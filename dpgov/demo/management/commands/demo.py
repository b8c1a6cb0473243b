"""`manage.py demo`: the whole product on this machine, with people and data to try it on.

Everything lives in one state folder (DPGOV_HOME); a second start reuses it. Not for production.
"""

import os
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from dpgov.datasets.models import Dataset
from dpgov.demo import people
from dpgov.demo.census import adult
from dpgov.demo.processes import NotAnswering, PortTaken, ProcessEnded, Processes, require_free
from dpgov.demo.questions import ask_once
from dpgov.operation.stopping import StopRequest
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.management.signing import require_signer


class Command(BaseCommand):
    help = "Start the whole product with a demonstration tenant and the Adult census data."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
        parser.add_argument("--port", type=int, default=8000, help="port to listen on")
        parser.add_argument(
            "--force", action="store_true", help="also on a database server (DPGOV_DATABASE_URL)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        # Of whatever any process writes from here on: links that sign in, logs, messages.
        os.umask(0o077)
        host, port = options["host"], options["port"]
        self._refuse_a_real_database(force=options["force"])
        require_signer()
        stopped = StopRequest()
        stopped.listen()
        try:
            require_free(host, port)
            dataset = self._prepare()
            if not stopped.is_set():
                self._run(dataset, host, port, stopped)
        except (PortTaken, ProcessEnded, NotAnswering) as refusal:
            raise CommandError(str(refusal)) from refusal

    def _refuse_a_real_database(self, *, force: bool) -> None:
        if connection.vendor != "sqlite" and not force:
            raise CommandError(
                "DPGOV_DATABASE_URL names a database server. The demonstration adds people with a "
                "printed password; add --force if that server holds nothing of value."
            )

    def _prepare(self) -> Dataset:
        self.stdout.write(f"Preparing the state folder {settings.DPGOV_HOME} ...")
        call_command("migrate", verbosity=0, interactive=False)
        call_command("collectstatic", verbosity=0, interactive=False)
        people.ensure_people(people.password_in(settings.DPGOV_HOME))
        owner = people.membership_of(people.OWNER)
        with acting_for(owner.tenant_id):
            return adult.ensure_adult(owner)

    def _run(self, dataset: Dataset, host: str, port: int, stopped: StopRequest) -> None:
        processes = Processes(host, port, home=settings.DPGOV_HOME, code=settings.BASE_DIR)
        with processes:
            processes.wait_until_up(stopped)
            analyst = people.membership_of(people.ANALYST)
            with acting_for(analyst.tenant_id):
                ask_once(analyst, dataset)
            self._say_where(host, port)
            processes.watch(stopped)
            self.stdout.write("Stopping ...")
        self.stdout.write("Stopped. Start again to go on where you were.")

    def _say_where(self, host: str, port: int) -> None:
        password = people.password_in(settings.DPGOV_HOME)
        self.stdout.write(f"\ndpgov runs at http://{host}:{port}/   (Ctrl-C stops it)\n\n")
        for person in people.EVERYBODY:
            self.stdout.write(f"  {person.email:<30}{person.role.label:<20}{person.tenant}")
        self.stdout.write(f"\n  password of each: {password}")
        self.stdout.write(f"  logs: {settings.DPGOV_HOME / 'logs'}\n")
        self.stdout.flush()
