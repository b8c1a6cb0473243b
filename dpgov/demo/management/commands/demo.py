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

from dpgov.demo import past, people
from dpgov.demo.census import adult
from dpgov.demo.console import log_to, say_where
from dpgov.demo.life import joint
from dpgov.demo.life.living import Life
from dpgov.demo.processes import NotAnswering, PortTaken, ProcessEnded, Processes, require_free
from dpgov.demo.questions import ask_once
from dpgov.demo.surroundings import add_place
from dpgov.operation.stopping import StopRequest
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.management.signing import require_signer


class Command(BaseCommand):
    help = "Start the whole product with people, datasets and 90 days that they have lived through."
    # Seconds of looking at what cannot have changed; the first page waits for nothing.
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_place(parser)
        parser.add_argument(
            "--bare", action="store_true", help="begin today: one dataset, without the 90 days"
        )
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
            self._say(f"Preparing the state folder {settings.DPGOV_HOME} ...")
            log_to(settings.DPGOV_HOME / "logs" / "demo.log")
            # What is served to everybody is looked for once, when the site begins.
            call_command("collectstatic", verbosity=0, interactive=False)
            processes = Processes(host, port, home=settings.DPGOV_HOME, code=settings.BASE_DIR)
            self._run(processes, stopped, bare=options["bare"])
        except (PortTaken, ProcessEnded, NotAnswering) as refusal:
            raise CommandError(str(refusal)) from refusal

    def _refuse_a_real_database(self, *, force: bool) -> None:
        if connection.vendor != "sqlite" and not force:
            raise CommandError(
                "DPGOV_DATABASE_URL names a database server. The demonstration adds people with a "
                "printed password; add --force if that server holds nothing of value."
            )

    def _run(self, processes: Processes, stopped: StopRequest, *, bare: bool) -> None:
        password = people.password_in(settings.DPGOV_HOME)
        with processes:  # the site loads its pages while the database is made
            call_command("migrate", verbosity=0, interactive=False)
            life = self._life(password, bare=bare)
            everybody = life.begin() if life else self._begin_today(password)
            processes.wait_until_up(stopped)
            say_where(self._say, processes.url, everybody, password, settings.DPGOV_HOME / "logs")
            if life:
                life.go_on(self._say, stopped, processes.require_all)
            if not stopped.is_set():
                processes.start_work(joint.workers())
                self._ask_today()
                processes.watch(stopped)
            self._say("Stopping ...")
        self._say("Stopped. Start again to go on where you were.")

    def _life(self, password: str, *, bare: bool) -> Life | None:
        """The past of this folder, if there is one to live through; one that began goes on."""
        wanted = past.day_reached() is not None if bare else past.begin()
        return Life(password) if wanted else None

    def _begin_today(self, password: str) -> tuple[people.Person, ...]:
        people.ensure_people(people.EVERYBODY, password)
        owner = people.membership_of(people.OWNER)
        with acting_for(owner.tenant_id):
            adult.ensure_adult(owner)
        return people.known()

    def _ask_today(self) -> None:
        analyst = people.membership_of(people.ANALYST)
        with acting_for(analyst.tenant_id):
            if dataset := adult.of(analyst.tenant):
                ask_once(analyst, dataset)

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()
