"""H5: tokens are shown once, stored as a hash, act as one membership and end at once."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from knox.crypto import hash_token
from rest_framework.test import APIClient

from dpgov.audit.actions import Action
from dpgov.audit.models import AuditEntry
from dpgov.tenants import services, tokens
from dpgov.tenants.accounts import password_path, set_password
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


def test_a_value_that_only_begins_like_a_token_is_none(analyst: Membership) -> None:
    """H5: its beginning finds the row, and the hash of all of it decides."""
    token, value = make_token(analyst)
    other = "0" if value[-1] != "0" else "1"
    for guess in (value[:-1] + other, value[:-1], value + "0", token.token_key, value.upper()):
        assert get(QUESTIONS, guess) == 401
    assert get(QUESTIONS, value) == 200


def test_of_two_persons_whose_tokens_begin_alike_each_is_known(
    analyst: Membership, officer: Membership
) -> None:
    """H5: chance makes no such pair, and neither person would be shut out by the other."""
    _, mine = make_token(analyst)
    theirs, value = make_token(officer)
    ApiToken.objects.filter(pk=theirs.pk).update(token_key=mine[: len(theirs.token_key)])
    alike = mine[: len(theirs.token_key)] + value[len(theirs.token_key) :]
    ApiToken.objects.filter(pk=theirs.pk).update(digest=hash_token(alike))
    assert (get("/api/v1/datasets/", mine), get(QUESTIONS, mine)) == (200, 200)
    assert get("/api/v1/datasets/", alike) == 200


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


@pytest.mark.parametrize("how", ["changed", "reset", "taken away"])
def test_a_token_ends_with_the_password_of_its_person(how: str, analyst: Membership) -> None:
    """H5, S14: whoever had the password may have made it."""
    password, new = "a quiet harbour at dawn", "another harbour at dusk"
    set_password(user=analyst.user, password=password)
    _, value = make_token(Membership.objects.get(pk=analyst.pk))
    assert get(QUESTIONS, value) == 200
    browser = Client()
    if how == "changed":
        browser.post("/account/login/", {"login": analyst.user.email, "password": password})
        typed = {"oldpassword": password, "password1": new, "password2": new}
        assert browser.post("/account/password/change/", typed).status_code == 302
    if how == "reset":
        door = browser.get(password_path(analyst.user), follow=True).redirect_chain[-1][0]
        assert browser.post(door, {"password1": new, "password2": new}).status_code == 302
    if how == "taken away":
        analyst.user.set_unusable_password()
        analyst.user.save(update_fields=["password"])
    assert get(QUESTIONS, value) == 401


def test_a_token_ends_by_itself_and_its_person_reads_so(
    analyst: Membership, client_for: ClientFor
) -> None:
    """H5, S14"""
    token, value = make_token(analyst)
    kept = token.expiry - timezone.now()
    assert timedelta(days=89, hours=23) < kept <= timedelta(days=90)
    ApiToken.objects.update(expiry=timezone.now() - timedelta(seconds=1))
    assert get(QUESTIONS, value) == 401
    assert "Ended" in client_for(analyst).get("/tokens/").text
    ApiToken.objects.update(expiry=None)
    assert get(QUESTIONS, value) == 401


@pytest.mark.parametrize(("asked", "given"), [("7", 7), ("365", 365), ("", 90), ("366", None)])
def test_how_long_a_token_works_is_chosen_within_bounds(
    asked: str, given: int | None, analyst: Membership, client_for: ClientFor
) -> None:
    """H5, S14"""
    page = client_for(analyst).post("/tokens/", {"name": "nightly", "days": asked})
    assert page.status_code == (200 if given else 422)
    days = [round((t.expiry - t.created) / timedelta(days=1)) for t in ApiToken.objects.all()]
    assert days == ([given] if given else [])


def test_an_installation_may_allow_less(
    analyst: Membership, client_for: ClientFor, settings: Any
) -> None:
    """H5, S14"""
    settings.DPGOV_TOKEN_DAYS = 10
    browser = client_for(analyst)
    assert browser.post("/tokens/", {"name": "nightly", "days": "30"}).status_code == 422
    browser.post("/tokens/", {"name": "nightly"})
    (token,) = ApiToken.objects.all()
    assert round((token.expiry - token.created) / timedelta(days=1)) == 10


def test_an_administrator_sees_and_ends_everybody_s_tokens_but_no_value(
    admin: Membership, analyst: Membership, stranger: Membership, client_for: ClientFor
) -> None:
    """H5, S14"""
    token, value = make_token(analyst, "nightly report")
    foreign, _ = make_token(stranger, "elsewhere")
    get(QUESTIONS, value)
    browser = client_for(admin)
    page = browser.get(reverse("people:member_tokens")).text
    assert "nightly report" in page
    assert "elsewhere" not in page
    token.refresh_from_db()
    assert token.used_at is not None
    assert not [secret for secret in (value, token.digest, token.token_key) if secret in page]
    missing = browser.post(reverse("people:member_token_end", args=[foreign.reference]))
    assert missing.status_code == 404
    assert (
        browser.post(reverse("people:member_token_end", args=[token.reference])).status_code == 302
    )
    assert get(QUESTIONS, value) == 401
    assert AuditEntry.objects.latest("sequence").actor_label == admin.user.email


def test_the_use_of_a_token_is_noted_once_an_hour(analyst: Membership) -> None:
    """H5: a call writes nothing more."""
    token, value = make_token(analyst)
    get(QUESTIONS, value)
    token.refresh_from_db()
    first = token.used_at
    get(QUESTIONS, value)
    token.refresh_from_db()
    assert token.used_at == first
