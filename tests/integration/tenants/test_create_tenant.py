"""The command that opens an installation for an organisation."""

import re
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from dpgov.audit.models import AuditEntry
from dpgov.tenants.models import Tenant, User

pytestmark = pytest.mark.django_db


def test_it_prints_a_link_that_sets_the_password(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("create_tenant", "North", "ada@example.org", "--base-url", "https://dp.example/")
    link = re.search(r"https://dp\.example(/\S+)", capsys.readouterr().out)
    assert link is not None
    assert "password1" in Client().get(link[1], follow=True).text
    assert AuditEntry.objects.get().actor_label == "command line"


def test_it_takes_the_password_from_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "password"
    file.write_text("a quiet harbour at dawn\n")
    call_command("create_tenant", "North", "ada@example.org", "--password-file", str(file))
    assert User.objects.get().check_password("a quiet harbour at dawn")
    assert "harbour" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("email", "password"),
    [("nonsense", "a quiet harbour at dawn"), ("ada@example.org", "12345678")],
)
def test_a_refusal_leaves_nothing_behind(tmp_path: Path, email: str, password: str) -> None:
    file = tmp_path / "password"
    file.write_text(password)
    with pytest.raises(CommandError):
        call_command("create_tenant", "North", email, "--password-file", str(file))
    assert (Tenant.objects.count(), User.objects.count(), AuditEntry.objects.count()) == (0, 0, 0)
