"""H5: tokens are shown once, stored as a hash, act as one membership and end at once."""

from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from rest_framework.test import APIClient

from dpgov.audit.actions import Action
from dpgov.audit.models import AuditEntry
from dpgov.tenants import services, tokens
from dpgov.tenants.models import ApiToken, Membership, Role
from dpgov.tenants.selectors import actor_of

pytestmark = pytest.mark.django_db
ClientFor = Callable[[Membership], Client]
QUESTIONS = "/api/v1/queries/"


def make_token(membership: Membership, name: str = "report") -> tuple[ApiToken, str]:
    return tokens.create_token(membership=membership, name=name, actor=actor_of(membership.user))


def get(path: str, value: str) -> int:
    return APIClient().get(path, headers={"Authorization": f"Token {value}"}).status_code


def dump() -> str:
    """Everything that the database holds, as text."""
    with connection.cursor() as cursor:
        texts = []
        for table in connection.introspection.table_names():
            cursor.execute(f'SELECT * FROM "{table}"')
            texts.append(repr(cursor.fetchall()))
    return "".join(texts)


def test_a_dump_of_the_database_holds_no_usable_token(analyst: Membership) -> None:
    """H5"""
    _, value = make_token(analyst)
    assert get(QUESTIONS, value) == 200
    assert value not in dump()
    assert ApiToken.objects.get().digest not in AuditEntry.objects.get().detail


def test_the_stored_hash_is_not_itself_a_token(analyst: Membership) -> None:
    """H5"""
    token, _ = make_token(analyst)
    assert get(QUESTIONS, token.digest) == 401


def test_creating_and_revoking_each_make_exactly_one_entry(analyst: Membership) -> None:
    """G1"""
    token, _ = make_token(analyst)
    tokens.revoke_token(token=token, actor=actor_of(analyst.user))
    actions = AuditEntry.objects.order_by("sequence").values_list("action", flat=True)
    assert list(actions) == [Action.TOKEN_CREATED, Action.TOKEN_REVOKED]


def test_a_revoked_token_ends_at_once(analyst: Membership) -> None:
    """H5"""
    token, value = make_token(analyst)
    assert get(QUESTIONS, value) == 200
    tokens.revoke_token(token=token, actor=actor_of(analyst.user))
    assert get(QUESTIONS, value) == 401


def test_a_removed_member_s_tokens_end_at_once(admin: Membership, analyst: Membership) -> None:
    """H5"""
    _, value = make_token(analyst)
    services.remove_member(membership=analyst, actor=actor_of(admin.user))
    assert get(QUESTIONS, value) == 401


def test_a_closed_account_s_tokens_end_at_once(analyst: Membership) -> None:
    """H5"""
    _, value = make_token(analyst)
    analyst.user.is_active = False
    analyst.user.save(update_fields=["is_active"])
    assert get(QUESTIONS, value) == 401


def test_a_token_has_the_role_of_its_membership_now(admin: Membership, officer: Membership) -> None:
    _, value = make_token(officer)
    assert get("/api/v1/audit/entries/", value) == 200
    services.change_role(membership=officer, role="analyst", actor=actor_of(admin.user))
    assert get("/api/v1/audit/entries/", value) == 403


def test_a_token_acts_in_its_own_tenant_whatever_else_the_person_is(
    analyst: Membership, stranger: Membership
) -> None:
    Membership.objects.create(tenant=stranger.tenant, user=analyst.user, role=Role.OFFICER)
    _, value = make_token(analyst)
    assert get("/api/v1/audit/entries/", value) == 403


def test_the_page_shows_the_value_once_and_a_repeated_click_makes_no_second(
    analyst: Membership, client_for: ClientFor
) -> None:
    browser = client_for(analyst)
    page = browser.post("/tokens/", {"name": "report"})
    value = page.context["value"]
    assert value in page.text
    assert get(QUESTIONS, value) == 200
    assert value not in browser.get("/tokens/").text
    again = browser.post("/tokens/", {"name": "report"})
    assert again.status_code == 422
    assert "already" in again.text
    assert ApiToken.objects.count() == 1


def test_the_page_revokes_a_token(analyst: Membership, client_for: ClientFor) -> None:
    token, value = make_token(analyst)
    client_for(analyst).post(f"/tokens/{token.reference}/revoke/")
    assert get(QUESTIONS, value) == 401


def test_a_colleague_s_token_looks_missing_and_stays(
    analyst: Membership, owner: Membership, client_for: ClientFor
) -> None:
    """H1"""
    token, _ = make_token(owner)
    answer = client_for(analyst).post(f"/tokens/{token.reference}/revoke/")
    assert answer.status_code == 404
    assert ApiToken.objects.count() == 1


def test_there_is_an_end_to_the_number_of_tokens(analyst: Membership) -> None:
    for number in range(tokens.MOST_TOKENS):
        make_token(analyst, f"token {number}")
    with pytest.raises(tokens.TooManyTokens):
        make_token(analyst, "one more")
    assert ApiToken.objects.count() == tokens.MOST_TOKENS


@pytest.mark.parametrize(
    "header", ["", "Token", "Token a b", "Token \xff\xfe", "Token '--", "Token " + "x" * 9000]
)
def test_a_header_that_is_no_token_is_refused_in_the_standard_form(header: str) -> None:
    answer = APIClient().get(QUESTIONS, headers={"Authorization": header} if header else {})
    assert answer.status_code == 401
    assert answer.json()["type"] == "client_error"
    assert answer["WWW-Authenticate"] == "Token"


@pytest.mark.parametrize("method", ["get", "post"])
def test_a_browser_session_does_not_open_the_api(
    officer: Membership, client_for: ClientFor, method: str
) -> None:
    """H6: API routes have no CSRF check, so a cookie must not speak there."""
    path = {"get": "/api/v1/audit/entries/", "post": "/api/v1/audit/verify/"}[method]
    answer = getattr(client_for(officer), method)(path, content_type="application/json")
    assert answer.status_code == 401
    assert not AuditEntry.objects.exists()


def test_a_role_without_the_permission_gets_the_standard_403(
    analyst: Membership, api_for: Callable[[Membership], APIClient]
) -> None:
    answer = api_for(analyst).get("/api/v1/audit/entries/")
    assert answer.status_code == 403
    assert answer.json()["errors"][0]["code"] == "permission_denied"
