"""The command that opens an installation for an organisation."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.core import mail
from django.core.management import CommandError, call_command
from django.test import Client

from dpgov.audit.models import AuditEntry
from dpgov.tenants.models import Invitation, Membership, Tenant, User

pytestmark = pytest.mark.django_db
PASSWORD = "a quiet harbour at dawn"  # noqa: S105 - of invented people


OFFICER = ("--officer", "otto@example.org")
BASE = ("--base-url", "https://dp.example/")


@pytest.fixture
def without_mail(settings: Any) -> None:
    settings.EMAIL_BACKEND = "dpgov.tenants.mail_folder.EmailBackend"


def actions() -> list[str]:
    return list(AuditEntry.objects.order_by("sequence").values_list("action", flat=True))


def test_it_prints_a_link_to_join_for_each_of_the_first_two(
    capsys: pytest.CaptureFixture[str], without_mail: None
) -> None:
    """L9: the first administrator and the first officer are two persons."""
    call_command("create_tenant", "North", "ada@example.org", *BASE, *OFFICER)
    links = re.findall(r"https://dp\.example(/join/\S+)", capsys.readouterr().out)
    for link in links:
        typed = {"name": "", "password": PASSWORD, "again": PASSWORD}
        assert Client().post(link, typed).status_code == 302
    roles = Membership.objects.order_by("role").values_list("role", "user__email")
    assert list(roles) == [("admin", "ada@example.org"), ("officer", "otto@example.org")]
    assert actions()[:3] == ["TENANT_CREATED", "INVITATION_SENT", "INVITATION_SENT"]


def test_where_there_is_mail_each_link_goes_to_its_address_alone(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """L9: whoever runs the command does not see how to join as somebody else."""
    call_command("create_tenant", "North", "ada@example.org", *BASE, *OFFICER)
    said = capsys.readouterr()
    assert "/join/" not in said.out + said.err
    assert said.out.count("A letter with a link to join is on its way") == 2
    assert [letter.to for letter in mail.outbox] == [["ada@example.org"], ["otto@example.org"]]
    for letter in mail.outbox:
        (link,) = re.findall(r"https://dp\.example(/join/\S+)", str(letter.body))
        typed = {"name": "", "password": PASSWORD, "again": PASSWORD}
        assert Client().post(link, typed).status_code == 302
    assert Invitation.objects.filter(sent_at=None).count() == 0


def test_an_operator_who_asks_for_the_links_gets_them_instead_of_letters(
    capsys: pytest.CaptureFixture[str],
) -> None:
    call_command("create_tenant", "North", "ada@example.org", *BASE, *OFFICER, "--print-links")
    assert capsys.readouterr().out.count("https://dp.example/join/") == 2
    assert mail.outbox == []


def test_a_letter_that_does_not_leave_is_said_and_prints_no_link(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """L9: the tenant is there; the link is asked for by name, which the log says."""

    def away(*_: object, **__: object) -> int:
        raise ConnectionRefusedError

    monkeypatch.setattr("dpgov.tenants.letters.send_mail", away)
    call_command("create_tenant", "North", "ada@example.org", *BASE)
    said = capsys.readouterr()
    assert "manage.py invite north ada@example.org" in said.err
    assert "/join/" not in said.out + said.err
    assert Tenant.objects.exists()


def test_a_letter_needs_the_address_of_the_site() -> None:
    with pytest.raises(CommandError, match="give --base-url"):
        call_command("create_tenant", "North", "ada@example.org")
    assert not Tenant.objects.exists()


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
    call_command("create_tenant", "North", stranger.user.email, *BASE)
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
    given = ("--password-file", str(file), "--officer", officer, *BASE)
    with pytest.raises(CommandError):
        call_command("create_tenant", "North", email, *given)
    assert mail.outbox == []
    assert (Tenant.objects.count(), User.objects.count(), AuditEntry.objects.count()) == (0, 0, 0)
