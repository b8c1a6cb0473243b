"""Creates a tenant and its first administrator, from the command line of the installation."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.core.validators import validate_email
from django.db import transaction

from dpgov.tenants.accounts import UnconfirmedAddress, password_path, set_password
from dpgov.tenants.services import NewMember, create_tenant


class Command(BaseCommand):
    help = "Create a tenant with its first administrator, who then adds the other members."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="the organisation's name")
        parser.add_argument("email", help="the administrator's e-mail address")
        parser.add_argument("--admin-name", default="", help="the administrator's name")
        parser.add_argument(
            "--password-file",
            type=Path,
            help="a file whose first line is the administrator's password; "
            "without it a link to set one is printed",
        )
        parser.add_argument(
            "--base-url", default="", help="the address of this installation, for the link"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        created = _create(options)
        tenant = created.membership.tenant
        self.stdout.write(f"Created the tenant {tenant.name} ({tenant.slug}).")
        if created.needs_password and not options["password_file"]:
            link = options["base_url"].rstrip("/") + password_path(created.membership.user)
            self.stdout.write(f"Set the password once, at: {link}")


@transaction.atomic
def _create(options: dict[str, Any]) -> NewMember:
    try:
        validate_email(options["email"])
        created = create_tenant(
            name=options["name"], admin_email=options["email"], admin_name=options["admin_name"]
        )
        if path := options["password_file"]:
            _set_password(created, path)
    except (ValidationError, UnconfirmedAddress, OSError) as refusal:
        raise CommandError(_reason(refusal)) from refusal
    return created


def _set_password(created: NewMember, path: Path) -> None:
    if not created.needs_password:
        raise ValidationError("The account exists and keeps its password; leave out the file.")
    lines = path.read_text().splitlines()
    set_password(user=created.membership.user, password=lines[0] if lines else "")


def _reason(refusal: Exception) -> str:
    return " ".join(refusal.messages) if isinstance(refusal, ValidationError) else str(refusal)
