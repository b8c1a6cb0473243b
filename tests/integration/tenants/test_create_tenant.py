"""The command that opens an installation for an organisation."""

import re
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from dpgov.audit.models import AuditEntry
from dpgov.tenants.models import Invitation, Membership, Tenant, User

pytestmark = pytest.mark.django_db
PASSWORD = "a quiet harbour at dawn"  # noqa: S105 - of invented people


def actions() -> list[str]:
    return list(AuditEntry.objects.order_by("sequence").values_list("action", flat=True))


def test_it_prints_a_link_to_join_for_each_of_the_first_two(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """L9: the first administrator and the first officer are two persons."""
    address = ("--base-url", "https://dp.example/", "--officer", "otto@example.org")
    call_command("create_tenant", "North", "ada@example.org", *address)
    links = re.findall(r"https://dp\.example(/join/\S+)", capsys.readouterr().out)
    for link in links:
        typed = {"name": "", "password": PASSWORD, "again": PASSWORD}
        assert Client().post(link, typed).status_code == 302
    roles = Membership.objects.order_by("role").values_list("role", "user__email")
    assert list(roles) == [("admin", "ada@example.org"), ("officer", "otto@example.org")]
    assert actions()[:3] == ["TENANT_CREATED", "INVITATION_SENT", "INVITATION_SENT"]


def test_it_takes_the_password_from_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "password"
    file.write_text(f"{PASSWORD}\n")
    call_command("create_tenant", "North", "Ada@example.org", "--password-file", str(file))
    assert User.objects.get(email="ada@example.org").check_password(PASSWORD)
    assert "harbour" not in capsys.readouterr().out
    assert actions() == ["TENANT_CREATED", "INVITATION_SENT", "INVITATION_ACCEPTED"]


def test_somebody_with_an_account_is_asked_and_not_added(
    stranger: Membership, tmp_path: Path
) -> None:
    """H8"""
    call_command("create_tenant", "North", stranger.user.email)
    assert Invitation.objects.get().accepted_by is None
    assert Membership.objects.get() == stranger
    file = tmp_path / "password"
    file.write_text(PASSWORD)
    with pytest.raises(CommandError, match="keeps its password"):
        call_command("create_tenant", "South", stranger.user.email, "--password-file", str(file))


@pytest.mark.parametrize(
    ("email", "password", "officer"),
    [
        ("nonsense", PASSWORD, ""),
        ("ada@example.org", "12345678", ""),
        ("ada@example.org", PASSWORD, "nonsense"),
        ("ada@example.org", PASSWORD, "Ada@Example.org"),
    ],
)
def test_a_refusal_leaves_nothing_behind(
    tmp_path: Path, email: str, password: str, officer: str
) -> None:
    file = tmp_path / "password"
    file.write_text(password)
    with pytest.raises(CommandError):
        call_command(
            "create_tenant", "North", email, "--password-file", str(file), "--officer", officer
        )
    assert (Tenant.objects.count(), User.objects.count(), AuditEntry.objects.count()) == (0, 0, 0)
