"""Creates a tenant with its first administrator and officer, from the installation's command line.

Whoever runs the installation appoints the first of both: from then on the tenant's own people
invite, and an officer agrees to owners and officers.
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
from dpgov.tenants.letters import join_path
from dpgov.tenants.models import Role, Tenant
from dpgov.tenants.services import AlreadyMember, create_tenant


class Command(BaseCommand):
    help = "Create a tenant with its first administrator and its first compliance officer."

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
            "without it a link to join is printed",
        )
        parser.add_argument(
            "--base-url",
            default=settings.DPGOV_BASE_URL,
            help="the address of this installation, for the links; DPGOV_BASE_URL unless given",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        base = options["base_url"].rstrip("/")
        tenant, links = _create(options)
        self.stdout.write(f"Created the tenant {tenant.name} ({tenant.slug}).")
        for email, link in links.items():
            self.stdout.write(f"Hand this to {email}; it works once, for seven days: {base}{link}")


@transaction.atomic
def _create(options: dict[str, Any]) -> tuple[Tenant, dict[str, str]]:
    """The tenant, and for each address that still has to join the path of its link."""
    admin, officer = normal_email(options["email"]), normal_email(options["officer"])
    if admin == officer:
        raise CommandError("The officer has to be another person than the administrator.")
    try:
        for address in filter(None, (admin, officer)):
            validate_email(address)
        tenant = create_tenant(name=options["name"])
        with acting_for(tenant.id):
            links = _people(tenant, admin, officer, options)
    except (ValidationError, AlreadyMember, SignInFirst, OSError) as refusal:
        raise CommandError(_reason(refusal)) from refusal
    return tenant, links


def _people(tenant: Tenant, admin: str, officer: str, options: dict[str, Any]) -> dict[str, str]:
    links = {}
    _, token = invite_as_operator(tenant=tenant, email=admin, role=Role.ADMIN)
    if path := options["password_file"]:
        _join(token, options["admin_name"], path)
    else:
        links[admin] = join_path(token)
    if officer:
        _, token = invite_as_operator(tenant=tenant, email=officer, role=Role.OFFICER)
        links[officer] = join_path(token)
    return links


def _join(token: str, name: str, path: Path) -> None:
    lines = path.read_text().splitlines()
    password = lines[0] if lines else ""
    accept(token=token, person=AnonymousUser(), name=name, password=password)


def _reason(refusal: Exception) -> str:
    if isinstance(refusal, SignInFirst):
        return "The account exists and keeps its password; leave out the file."
    return " ".join(refusal.messages) if isinstance(refusal, ValidationError) else str(refusal)
