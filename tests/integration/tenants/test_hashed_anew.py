"""H5: a password that is only hashed anew, by another rule, is the same one for its API tokens."""

import pytest
from django.test import Client

from dpgov.tenants.accounts import set_password
from dpgov.tenants.models import ApiToken, Membership, Role, User
from tests.hashers import CheapArgon2
from tests.integration.tenants.test_tokens import QUESTIONS, get, make_token

pytestmark = pytest.mark.django_db
PASSWORD, ANOTHER = "a quiet harbour at dawn", "another harbour at dusk"


@pytest.fixture
def hashed_otherwise(analyst: Membership, monkeypatch: pytest.MonkeyPatch) -> Membership:
    """Whose password was hashed before the rule changed, as with another version of Django."""
    set_password(user=analyst.user, password=PASSWORD)
    monkeypatch.setattr(CheapArgon2, "time_cost", CheapArgon2.time_cost + 1)
    return Membership.objects.get(pk=analyst.pk)


@pytest.mark.parametrize("door", ["signing in", "confirming"])
def test_a_password_that_is_only_hashed_anew_keeps_its_tokens_of_every_organisation(
    door: str,
    hashed_otherwise: Membership,
    stranger: Membership,
) -> None:
    """H5: and no token of a password before it, which stays ended."""
    person = hashed_otherwise.user
    before = person.password
    elsewhere = Membership.objects.create(tenant=stranger.tenant, user=person, role=Role.ANALYST)
    values = [make_token(one)[1] for one in (hashed_otherwise, elsewhere)]
    ended, gone = make_token(hashed_otherwise, "of another password")
    ApiToken.objects.filter(pk=ended.pk).update(password_mark="0" * 64)
    if door == "signing in":
        Client().post("/account/login/", {"login": person.email, "password": PASSWORD})
    else:
        assert User.objects.get(pk=person.pk).check_password(PASSWORD)
    person.refresh_from_db()
    assert person.password != before
    assert [get(QUESTIONS, value) for value in (*values, gone)] == [200, 200, 401]


def test_a_wrong_password_hashes_nothing_anew(hashed_otherwise: Membership) -> None:
    person = hashed_otherwise.user
    assert not person.check_password(ANOTHER)
    assert User.objects.get(pk=person.pk).password == person.password


def test_a_password_that_was_set_meanwhile_stays_and_ends_the_tokens(
    hashed_otherwise: Membership,
) -> None:
    """H5: what was read before it is not written over it."""
    _, value = make_token(hashed_otherwise)
    read_before = User.objects.get(pk=hashed_otherwise.user_id)
    set_password(user=hashed_otherwise.user, password=ANOTHER)
    assert read_before.check_password(PASSWORD)
    now = User.objects.get(pk=read_before.pk)
    assert (now.check_password(ANOTHER), now.check_password(PASSWORD)) == (True, False)
    assert get(QUESTIONS, value) == 401
