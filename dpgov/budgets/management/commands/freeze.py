"""`manage.py freeze`: after a restore, admit nothing until an officer has confirmed the balances.

The sweeper does so by itself when it notices; this is for who restored a backup by hand.
"""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from dpgov.budgets.services.restored import NotAllFrozen, freeze_everything
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.sign_in.after_restore import in_charge


class Command(BaseCommand):
    help = "Freeze every dataset of every organisation until a compliance officer confirms it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--reason", required=True, help="why; shown to owners and officers")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            frozen = freeze_everything(reason=options["reason"])
        except NotAllFrozen as failed:
            told = "The program's log says why; each round of the sweeper tries again."
            raise CommandError(f"Everybody else is frozen, but {failed}. {told}") from failed
        for each in frozen:
            with acting_for(each.tenant.id):
                deciding = in_charge(each.tenant.id)
            self.stdout.write(
                f"{each.tenant.slug}: {each.budgets} frozen. Officers, who confirm the balances: "
                f"{_listed(deciding.officers)}. Administrators: {_listed(deciding.administrators)}."
            )
        if frozen:
            self.stdout.write(
                "Members and roles are as the backup has them. Remove anybody who has left since, "
                "or has another role now (manage.py remove_member), before you let people in again."
            )


def _listed(emails: list[str]) -> str:
    return ", ".join(emails) or "nobody"
