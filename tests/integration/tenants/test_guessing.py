"""H6: guessing is slow, for one and for many, and nobody can lock another out."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core.cache import caches
from django.core.cache.backends.redis import RedisCache
from django.test import Client

from dpgov.tenants.accounts import set_password
from dpgov.tenants.models import Membership
from dpgov.tenants.sign_in import guessing
from tests.threads import at_once

pytestmark = pytest.mark.django_db
PASSWORD = "a quiet harbour at dawn"  # noqa: S105 - of invented people
HOME, ELSEWHERE = "192.0.2.1", "198.51.100.7"
SignIn = Callable[..., bool]


@pytest.fixture
def person(analyst: Membership) -> Membership:
    set_password(user=analyst.user, password=PASSWORD)
    return analyst


@pytest.fixture
def sign_in(person: Membership) -> SignIn:
    """Whether this browser, from this address, is let in with the password."""

    def once(
        password: str = PASSWORD, *, origin: str = HOME, browser: Client | None = None
    ) -> bool:
        posted = {"login": person.user.email, "password": password}
        page = (browser or Client()).post("/account/login/", posted, REMOTE_ADDR=origin)
        return page.status_code == 302

    return once


def let_pass(seconds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Time passes: what the cache keeps becomes so much older."""
    import time

    later = time.time() + seconds
    monkeypatch.setattr("time.time", lambda: later)
    if isinstance(caches["rates"], RedisCache):
        _grow_older(caches["rates"]._cache.get_client(write=True), seconds * 1000)


def _grow_older(redis: Any, milliseconds: int) -> None:
    """Redis has a clock of its own."""
    for key in redis.scan_iter():
        left = redis.pttl(key)
        if 0 <= left <= milliseconds:
            redis.delete(key)
        elif left > 0:
            redis.pexpire(key, left - milliseconds)


def begin(origin: str = HOME, login: str = "anna@example.org", browser: str = "") -> bool:
    return guessing.begin(login=login, origin=origin, browser=browser) is not None


def test_wrong_passwords_from_elsewhere_lock_nobody_out(sign_in: SignIn) -> None:
    """H6, S11: five addresses, ten tries each; the right password from a sixth opens at once."""
    for last in range(5):
        for _ in range(10):
            assert not sign_in("wrong", origin=f"203.0.113.{last}")
    assert sign_in(origin=HOME)


def test_the_same_origin_is_slowed_even_with_the_right_password(sign_in: SignIn) -> None:
    """H6: five tries, then a pause."""
    for _ in range(guessing.FREE):
        assert not sign_in("wrong", origin=ELSEWHERE)
    assert not sign_in(origin=ELSEWHERE)


def test_a_browser_that_was_signed_in_before_is_not_shut_out_from_its_own_address(
    sign_in: SignIn,
) -> None:
    """H6, S11: not even by somebody behind the same address."""
    mine = Client()
    assert sign_in(browser=mine)
    mine.post("/account/logout/")
    for _ in range(10):
        sign_in("wrong")
    assert not sign_in()
    assert sign_in(browser=mine)


def test_a_known_browser_is_slowed_too_and_known_to_its_account_alone(
    person: Membership, officer: Membership, sign_in: SignIn
) -> None:
    """H6: a stolen cookie opens no second way of guessing."""
    set_password(user=officer.user, password=PASSWORD)
    mine = Client()
    sign_in(browser=mine)
    mine.post("/account/logout/")
    for _ in range(guessing.FREE):
        assert not sign_in("wrong", browser=mine)
    assert not sign_in(browser=mine)
    for _ in range(guessing.FREE):
        posted = {"login": officer.user.email, "password": "wrong"}
        mine.post("/account/login/", posted, REMOTE_ADDR=HOME)
    posted = {"login": officer.user.email, "password": PASSWORD}
    assert mine.post("/account/login/", posted, REMOTE_ADDR=HOME).status_code == 200
    mine.cookies["known_browser"] = "forged"
    assert mine.post("/account/login/", posted, REMOTE_ADDR=HOME).status_code == 200


def test_pauses_double_up_to_an_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    """H6"""
    asked: list[int] = []
    cache = caches["rates"]
    add = cache.add

    def noted(key: str, value: object, timeout: int = 0) -> bool:
        if key.endswith(":pause"):
            asked.append(timeout)
            return True
        return bool(add(key, value, timeout))

    monkeypatch.setattr(cache, "add", noted)
    assert all(begin() for _ in range(guessing.FREE + 9))
    assert asked[:4] == [30, 60, 120, 240]
    assert max(asked) == guessing.LONGEST_PAUSE


def test_a_refused_try_does_not_make_the_pause_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    """H6: knocking on does not keep anybody out."""
    assert sum(begin() for _ in range(50)) == guessing.FREE
    let_pass(guessing.FIRST_PAUSE + 1, monkeypatch)
    assert begin()


def test_an_origin_that_tries_many_accounts_is_slowed() -> None:
    """H6: one password for a thousand accounts; a whole IPv6 network is one origin."""
    let_in = [begin(f"2001:db8:1:2::{n:x}", f"p{n}@example.org") for n in range(80)]
    assert sum(let_in) == guessing.FREE_OF_ORIGIN
    assert begin("2001:db8:1:3::1", "anna@example.org")


def test_a_botnet_has_one_try_from_each_address_and_the_person_still_comes_in(
    sign_in: SignIn, person: Membership
) -> None:
    """H6: guessing stays slow for everybody together, and no account is shut."""
    email = person.user.email
    for number in range(guessing.ATTACKED // 5):
        for _ in range(5):
            begin(f"10.0.{number}.1", email)
    assert [begin("10.9.9.9", email) for _ in range(3)] == [True, False, False]
    assert sign_in(origin="10.8.8.8")


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
    ],
)
def test_what_counts_as_one_origin(address: str, network: str) -> None:
    """H6"""
    assert guessing.network_of(address) == network


def test_many_tries_at_once_are_no_way_around() -> None:
    """H6, J5: counted before the password is looked at."""
    assert sum(at_once(16, lambda _: begin(), range(32))) <= guessing.FREE + 1


def test_keys_of_the_cache_name_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """H5"""
    seen: list[str] = []
    cache = caches["rates"]
    add = cache.add

    def noted(key: str, *rest: Any) -> bool:
        seen.append(key)
        return add(key, *rest)

    monkeypatch.setattr(cache, "add", noted)
    begin()
    assert seen
    assert not [key for key in seen if "anna" in key or HOME in key]
