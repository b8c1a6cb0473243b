"""Removes a member, from the command line of the installation.

For after a restore, when whoever was removed since the backup is a member again and might act
before an administrator looks. The organisation reads it in its audit log.
"""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from dpgov.audit.actor import OPERATOR
from dpgov.tenants.accounts import normal_email
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.management.chosen import chosen_tenants
from dpgov.tenants.models import Membership
from dpgov.tenants.practising import remove_with_practice
from dpgov.tenants.services import LastAdministrator


class Command(BaseCommand):
    help = "Remove somebody from an organisation: their role, tokens and places in projects."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("tenant", help="short name of the organisation")
        parser.add_argument("email", help="the e-mail address that they sign in with")

    def handle(self, *args: Any, **options: Any) -> None:
        (known,) = chosen_tenants(options["tenant"])
        email = normal_email(options["email"])
        with acting_for(known.id):
            found = Membership.objects.filter(tenant=known.id, user__email=email).first()
            if found is None:
                raise CommandError(f"Nobody of {known.slug} signs in as {email}.")
            try:
                remove_with_practice(membership=found, actor=OPERATOR)
            except LastAdministrator as refusal:
                raise CommandError(str(refusal)) from refusal
        self.stdout.write(f"{email} is no longer a member of {known.slug}.")
