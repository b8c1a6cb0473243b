"""`manage.py appoint_auditor`: which tenants a role of the database may look at."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import ProgrammingError

from dpgov.tenants.boundary import acting_for_everybody
from dpgov.tenants.crossing import tenants
from dpgov.tenants.wall.auditors import NoAuditor, NoRolesHere, NoSuchRole, appoint


class Command(BaseCommand):
    help = "Let a role audit every organisation, some, or none. Run it as the owner of the tables."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("role", help="the role that the auditor signs in to the database with")
        whom = parser.add_mutually_exclusive_group(required=True)
        whom.add_argument("--every-tenant", action="store_true", help="those to come, too")
        whom.add_argument("--tenant", action="append", metavar="SLUG", help="this one; repeatable")
        whom.add_argument("--nobody", action="store_true", help="nothing at all from now on")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with acting_for_everybody():
                chosen = [None] if options["every_tenant"] else _named(options["tenant"] or [])
                appoint(options["role"], chosen)
        except NoSuchRole as missing:
            raise CommandError(f"There is no role “{missing.args[0]}” in the database.") from None
        except NoAuditor as other:
            raise CommandError(
                f"{other.args[0]} would see nothing: make it a member of the role that "
                "DPGOV_DATABASE_AUDITOR_ROLE names."
            ) from None
        except NoRolesHere:
            raise CommandError("SQLite has no roles: there is no auditor here.") from None
        except ProgrammingError as refusal:
            raise CommandError(f"Run this as the owner of the tables ({refusal}).") from refusal
        whom = "every tenant" if options["every_tenant"] else ", ".join(options["tenant"] or [])
        self.stdout.write(f"{options['role']} audits {whom or 'nobody'}.")


def _named(slugs: list[str]) -> list[Any]:
    known = {tenant.slug: tenant.id for tenant in tenants()}
    for slug in slugs:
        if slug not in known:
            raise CommandError(f"There is no organisation “{slug}”.")
    return [known[slug] for slug in slugs]
