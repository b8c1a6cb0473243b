"""An invitation's link, from the command line of the installation; the audit log says so.

For the first officer of a tenant, and for a site without mail, where no letter arrives.
"""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.core.validators import validate_email

from dpgov.audit.actions import Action
from dpgov.audit.actor import OPERATOR
from dpgov.tenants.accounts import normal_email
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.invitations import (
    InvitationRefused,
    InviterGone,
    invite_as_operator,
    issue_again,
    open_invitations,
)
from dpgov.tenants.letters import join_path
from dpgov.tenants.management.chosen import chosen_tenants
from dpgov.tenants.models import Role, Tenant
from dpgov.tenants.services import AlreadyMember


class Command(BaseCommand):
    help = "Print a link to join: of an invitation that waits, or with --role of a new one."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("tenant", help="short name of the organisation")
        parser.add_argument("email", help="the e-mail address of who is invited")
        parser.add_argument(
            "--role", choices=Role.values, help="invite them anew, as this, without anybody else"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        (known,) = chosen_tenants(options["tenant"])
        email = normal_email(options["email"])
        with acting_for(known.id):
            tenant = Tenant.objects.get(pk=known.id)
            try:
                validate_email(email)
                token = _token(tenant, email, options["role"])
            except ValidationError as refusal:
                raise CommandError(" ".join(refusal.messages)) from refusal
            except AlreadyMember as refusal:
                raise CommandError(str(refusal)) from refusal
        link = settings.DPGOV_BASE_URL + join_path(token)
        self.stdout.write(f"Hand this to {email}; it works once, for seven days: {link}")


def _token(tenant: Tenant, email: str, role: str | None) -> str:
    if role:
        return invite_as_operator(tenant=tenant, email=email, role=role)[1]
    waiting = open_invitations(tenant).filter(email=email).first()
    try:
        if waiting is None:
            raise InvitationRefused
        return issue_again(invitation=waiting, actor=OPERATOR, action=Action.INVITATION_LINK_MADE)
    except InviterGone as refusal:
        raise CommandError(f"{refusal} Or invite them yourself, with --role.") from refusal
    except InvitationRefused as refusal:
        raise CommandError(
            f"No invitation of {email} waits, or no officer has agreed to it yet. With --role you "
            "invite them yourself."
        ) from refusal
