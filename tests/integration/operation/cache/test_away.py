"""Sign-in while Redis is away: possible, and still limited."""

from typing import Any

import pytest
from django.core.cache import cache
from django.core.cache.backends.locmem import LocMemCache

from tests.integration.operation.cache.conftest import PASSWORD, sign_in

NOBODY_LISTENS = "redis://127.0.0.1:1/0"


@pytest.fixture(autouse=True)
def _redis_is_away(settings: Any) -> None:
    steady = "dpgov.operation.steady_cache.SteadyRedisCache"
    away = {"BACKEND": steady, "LOCATION": NOBODY_LISTENS}
    settings.CACHES = dict.fromkeys(settings.CACHES, away)
    LocMemCache("steady", {}).clear()


@pytest.mark.django_db
def test_people_can_still_sign_in(person: str) -> None:
    """B8"""
    assert sign_in(person, PASSWORD) == 302


@pytest.mark.django_db
def test_passwords_can_still_not_be_tried_without_end(person: str) -> None:
    """B8: each process counts by itself meanwhile."""
    statuses = [sign_in(person, f"wrong {number}") for number in range(12)]
    assert statuses[0] == 200
    assert statuses[-1] in (200, 429)
    assert sign_in(person, PASSWORD) != 302


def test_what_is_kept_meanwhile_is_found_again() -> None:
    """B8"""
    cache.set("steady", 7, timeout=60)
    cache.incr("steady")
    assert cache.get_many(["steady", "other"]) == {"steady": 8}
    cache.delete("steady")
    assert cache.get("steady") is None
