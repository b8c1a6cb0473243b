"""A9: after a restore nobody comes in by what ended since the backup."""

from collections.abc import Callable
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from dpgov.audit.actions import Action
from dpgov.audit.actor import OPERATOR
from dpgov.audit.models import AuditEntry
from dpgov.budgets.services.restored import freeze_everything
from dpgov.tenants import invitations
from dpgov.tenants.models import Membership, Role, Tenant
from tests.cast import join, make_token

pytestmark = pytest.mark.django_db
ClientFor = Callable[[Membership], Client]


def test_sessions_tokens_and_open_invitations_end_with_the_freeze(
    admin: Membership, analyst: Membership, client: Client, client_for: ClientFor
) -> None:
    """Each may have been ended since; whoever is still there signs in again."""
    _, token = make_token(analyst, "nightly")
    api = APIClient(headers={"Authorization": f"Token {token}"})
    browser, me = client_for(analyst), reverse("v1:dataset-list")
    _, link = invitations.invite(membership=admin, email="nora@example.org", role="analyst")
    assert (browser.get("/history/").status_code, api.get(me).status_code) == (200, 200)
    freeze_everything(reason="restored", actor=OPERATOR)
    assert browser.get("/history/").status_code == 302
    assert api.get(me).status_code == 401
    assert client.get(reverse("tenants:join", args=[link])).status_code == 410
    assert client_for(analyst).get("/history/").status_code == 200


def test_the_command_names_who_decides_now(
    admin: Membership, officer: Membership, stranger: Membership
) -> None:
    """Whoever restored the backup knows who was removed since."""
    said = StringIO()
    call_command("freeze", reason="restored", stdout=said)
    line = next(one for one in said.getvalue().splitlines() if officer.tenant.slug in one)
    assert f"Officers, who confirm the balances: {officer.user.email}." in line
    assert f"Administrators: {admin.user.email}." in line
    assert "remove_member" in said.getvalue()


def test_the_operator_removes_who_was_removed_before(
    admin: Membership, officer: Membership, tenant: Tenant, client_for: ClientFor
) -> None:
    """The organisation reads it; nobody is left without an administrator."""
    browser = client_for(officer)
    call_command("remove_member", tenant.slug, officer.user.email.upper(), stdout=StringIO())
    assert browser.get("/audit/").status_code in (302, 403)
    entry = AuditEntry.objects.latest("sequence")
    assert (entry.action, entry.actor_label) == (Action.MEMBER_REMOVED, OPERATOR.label)
    for email, why in ((officer.user.email, "Nobody"), (admin.user.email, "administrator")):
        with pytest.raises(CommandError, match=why):
            call_command("remove_member", tenant.slug, email)
    join(tenant, Role.ADMIN, "second")
    call_command("remove_member", tenant.slug, admin.user.email, stdout=StringIO())
    assert not Membership.objects.filter(pk=admin.pk).exists()
