"""Creates a tenant with its first administrator and officer, from the installation's command line.

Whoever runs the installation appoints the first of both: from then on the tenant's own people
invite, and an officer agrees to owners and officers. Where letters leave the machine, the links go
to the two addresses and are shown to nobody else.
"""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.core.validators import validate_email
from django.db import transaction

from dpgov.tenants.accounts import normal_email
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.invitations import invite_as_operator
from dpgov.tenants.joining import SignInFirst, accept
from dpgov.tenants.letters import join_path, send_link, site_has_mail
from dpgov.tenants.models import Invitation, Role, Tenant
from dpgov.tenants.services import AlreadyMember, create_tenant

Invited = list[tuple[Invitation, str]]


class Command(BaseCommand):
    help = "Create an organisation with its first administrator and its first compliance officer."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="the organisation's name")
        parser.add_argument("email", help="the administrator's e-mail address")
        parser.add_argument("--admin-name", default="", help="the administrator's name")
        parser.add_argument(
            "--officer",
            default="",
            help="the e-mail address of the first compliance officer, another person, without whom "
            "nobody becomes data owner; can be invited later, with `manage.py invite`",
        )
        parser.add_argument(
            "--password-file",
            type=Path,
            help="a file whose first line is the administrator's password; "
            "without it they get a link to join",
        )
        parser.add_argument(
            "--print-links",
            action="store_true",
            help="print the links and send no letters, as where there is no mail server",
        )
        parser.add_argument(
            "--base-url",
            default=settings.DPGOV_BASE_URL,
            help="the address of this installation, for the links; DPGOV_BASE_URL unless given",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        base = options["base_url"].rstrip("/")
        by_letter = site_has_mail() and not options["print_links"]
        if by_letter and not base and (options["officer"] or not options["password_file"]):
            raise CommandError("A letter needs the whole address: give --base-url.")
        tenant, invited = _create(options)
        self.stdout.write(f"Created the organisation {tenant.name} ({tenant.slug}).")
        for invitation, token in invited:
            link = f"{base}{join_path(token)}"
            if not by_letter:
                self.stdout.write(
                    f"Hand this to {invitation.email}; it works once, for seven days: {link}"
                )
            elif _sent(invitation, link):
                self.stdout.write(f"A letter with a link to join is on its way: {invitation.email}")
            else:
                self.stderr.write(
                    f"The letter to {invitation.email} did not leave. Print "
                    f"another link: manage.py invite {tenant.slug} {invitation.email}"
                )


def _sent(invitation: Invitation, link: str) -> bool:
    with acting_for(invitation.tenant_id):
        return send_link(invitation, link)


@transaction.atomic
def _create(options: dict[str, Any]) -> tuple[Tenant, Invited]:
    """The tenant, and who still has to join, each with the token of their link."""
    admin, officer = normal_email(options["email"]), normal_email(options["officer"])
    if admin == officer:
        raise CommandError("The officer has to be another person than the administrator.")
    try:
        for address in filter(None, (admin, officer)):
            validate_email(address)
        tenant = create_tenant(name=options["name"])
        with acting_for(tenant.id):
            invited = _people(tenant, admin, officer, options)
    except (ValidationError, AlreadyMember, SignInFirst, OSError) as refusal:
        raise CommandError(_reason(refusal)) from refusal
    return tenant, invited


def _people(tenant: Tenant, admin: str, officer: str, options: dict[str, Any]) -> Invited:
    invited = [invite_as_operator(tenant=tenant, email=admin, role=Role.ADMIN)]
    if path := options["password_file"]:
        _join(invited.pop()[1], options["admin_name"], path)
    if officer:
        invited.append(invite_as_operator(tenant=tenant, email=officer, role=Role.OFFICER))
    return invited


def _join(token: str, name: str, path: Path) -> None:
    lines = path.read_text().splitlines()
    password = lines[0] if lines else ""
    accept(token=token, person=AnonymousUser(), name=name, password=password)


def _reason(refusal: Exception) -> str:
    if isinstance(refusal, SignInFirst):
        return "The account exists and keeps its password; leave out the file."
    return " ".join(refusal.messages) if isinstance(refusal, ValidationError) else str(refusal)
