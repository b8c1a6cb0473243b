"""Links from the command line, for the first people and for a site without mail."""

import re

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from dpgov.audit.models import AuditEntry
from dpgov.tenants.models import Invitation, Membership, Role
from tests.cast import join

pytestmark = pytest.mark.django_db
NEW = "nora@example.org"
PASSWORD = "a quiet harbour at dawn"  # noqa: S105 - of invented people


def last() -> tuple[str, str]:
    entry = AuditEntry.objects.latest("sequence")
    return entry.action, entry.actor_label


def test_the_operator_appoints_the_first_officer_and_the_log_says_so(
    admin: Membership, capsys: pytest.CaptureFixture[str], settings: object
) -> None:
    """L9"""
    settings.DPGOV_BASE_URL = "https://dp.example"  # type: ignore[attr-defined]
    call_command("invite", "harbour", "Nora@example.org", "--role", "officer")
    assert last() == ("INVITATION_SENT", "command line")
    link = re.search(r"https://dp\.example(/join/\S+)", capsys.readouterr().out)
    assert link is not None
    typed = {"name": "Nora", "password": PASSWORD, "again": PASSWORD}
    assert Client().post(link[1], typed).status_code == 302
    made = Membership.objects.get(tenant=admin.tenant, user__email=NEW)
    assert (made.role, Invitation.objects.get().consent) == (Role.OFFICER, "operator")


def test_the_operator_gets_the_link_of_an_invitation_that_waits(
    admin: Membership, capsys: pytest.CaptureFixture[str]
) -> None:
    """L9: the one who invites does not; and the letter's own link works no more."""
    from dpgov.tenants.invitations import invite

    _, old = invite(membership=admin, email=NEW, role="analyst")
    call_command("invite", "harbour", NEW)
    assert last() == ("INVITATION_LINK_MADE", "command line")
    link = re.search(r"/join/\S+", capsys.readouterr().out)
    assert link is not None
    assert Client().get(link[0]).status_code == 200
    assert Client().get(f"/join/{old}/").status_code == 410


def test_what_no_officer_agreed_to_has_no_link(admin: Membership) -> None:
    """L9"""
    from dpgov.approvals.giving import invite

    invite(membership=admin, email=NEW, role="officer", reason="help")
    for email in (NEW, "unknown@example.org"):
        with pytest.raises(CommandError, match="no officer has agreed"):
            call_command("invite", "harbour", email)


def test_a_link_for_a_new_password_is_in_the_log_of_each_organisation(
    analyst: Membership, stranger: Membership, capsys: pytest.CaptureFixture[str]
) -> None:
    """L9"""
    Membership.objects.create(tenant=stranger.tenant, user=analyst.user, role=Role.ANALYST)
    call_command("password_link", analyst.user.email)
    entries = AuditEntry.objects.filter(action="PASSWORD_LINK_MADE")
    assert {entry.tenant_id for entry in entries} == {analyst.tenant_id, stranger.tenant_id}
    link = re.search(r"/account/\S+", capsys.readouterr().out)
    assert link is not None
    assert "password1" in Client().get(link[0], follow=True).text


def test_a_link_sets_the_password_once(analyst: Membership) -> None:
    """H6"""
    from dpgov.tenants.accounts import password_path

    link, new = password_path(analyst.user), {"password1": PASSWORD, "password2": PASSWORD}
    browser = Client()
    browser.post(browser.get(link, follow=True).redirect_chain[-1][0], new)
    analyst.user.refresh_from_db()
    assert analyst.user.check_password(PASSWORD)
    assert "password1" not in Client().get(link, follow=True).text


def test_nobody_gets_a_link_who_signs_in_nowhere(analyst: Membership) -> None:
    member = join(analyst.tenant, Role.ANALYST, "gone")
    member.delete()
    for email in (member.user.email, "unknown@example.org"):
        with pytest.raises(CommandError):
            call_command("password_link", email)
    assert not AuditEntry.objects.exists()
