"""`manage.py freeze`: after a restore, admit nothing until an officer has confirmed the balances.

The sweeper does so by itself when it notices; this is for who restored a backup by hand.
"""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from dpgov.budgets.services.freezing import settle_in
from dpgov.budgets.services.restored import freeze_everything


class Command(BaseCommand):
    help = "Freeze every dataset of every tenant until a compliance officer confirms it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--reason", required=True, help="why; shown to owners and officers")

    def handle(self, *args: Any, **options: Any) -> None:
        frozen = freeze_everything(reason=options["reason"])
        settle_in()
        for each in frozen:
            self.stdout.write(f"{each.tenant.slug}: {each.budgets} frozen")
