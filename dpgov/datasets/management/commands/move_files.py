"""`manage.py move_files --to store|folder`: move the files of this state folder, or bring them."""

from collections import Counter
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from dpgov.datasets.services.moving import MoveOutcome, move_to_folder, move_to_store
from dpgov.datasets.store import store
from dpgov.datasets.store.base import StoreAway
from dpgov.operation.away import FULL
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.crossing import tenants

_AGAIN = "Nothing is lost: every file is in one place or in both. Run the command again."
_MOVES = {"store": move_to_store, "folder": move_to_folder}


class Command(BaseCommand):
    help = "Move data files and uploads into object storage, or back; may be stopped at any time."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--to", choices=sorted(_MOVES), required=True)

    def handle(self, *args: Any, **options: Any) -> None:
        if not store().is_shared:
            raise CommandError("No object storage is declared: set DPGOV_STORE_URL and its keys.")
        try:
            left = self._move(options["to"])
        except StoreAway as away:
            raise CommandError(f"The object storage does not answer as it should. {_AGAIN}") from (
                away
            )
        except OSError as problem:
            if problem.errno not in FULL:
                raise
            raise CommandError(f"There is no room in the state folder. {_AGAIN}") from problem
        if left:
            raise CommandError(
                f"{left} files stay where they are: this state folder lacks them, or has others "
                "than were recorded. Run the command on the machine that has them."
            )

    def _move(self, to: str) -> int:
        counted: Counter[MoveOutcome] = Counter()
        for tenant in tenants():
            with acting_for(tenant.id):
                for file_id, outcome in _MOVES[to](tenant.id):
                    counted[outcome] += 1
                    if outcome is MoveOutcome.LEFT:
                        self.stderr.write(f"{tenant.slug}: {file_id} stays where it is")
        self.stdout.write(f"{counted[MoveOutcome.MOVED]} files moved")
        return counted[MoveOutcome.LEFT]
