"""A link that sets a new password, from the command line of the installation.

For a site without mail. Each organisation that the person belongs to reads it in its audit log.
"""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from dpgov.audit.actions import Action
from dpgov.audit.actor import OPERATOR
from dpgov.audit.services import append
from dpgov.tenants.accounts import normal_email, password_path
from dpgov.tenants.boundary import acting_as, acting_for
from dpgov.tenants.models import User
from dpgov.tenants.selectors import memberships_of


class Command(BaseCommand):
    help = "Print a link with which a person sets a new password, once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email", help="the e-mail address that they sign in with")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(email=normal_email(options["email"]), is_active=True).first()
        if user is None:
            raise CommandError(f"Nobody signs in as {options['email']}.")
        _record(user)
        link = settings.DPGOV_BASE_URL + password_path(user)
        self.stdout.write(f"Hand this to {user.email}; it works once, for three days: {link}")


@transaction.atomic
def _record(user: User) -> None:
    with acting_as(user.pk):
        tenants = [membership.tenant_id for membership in memberships_of(user)]
    if not tenants:
        raise CommandError(f"{user.email} belongs to no organisation.")
    for tenant_id in tenants:
        with acting_for(tenant_id):
            append(
                tenant_id=tenant_id,
                actor=OPERATOR,
                action=Action.PASSWORD_LINK_MADE,
                subject=f"member:{user.pk}",
                detail={"email": user.email},
            )
