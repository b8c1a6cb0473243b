"""A Redis that answers and refuses to write: nobody is locked out, and tries are still limited."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from celery import current_app
from django.core.cache import cache
from django.core.cache.backends.locmem import LocMemCache
from redis import Redis
from redis.exceptions import ResponseError

from dpgov.operation import steady_cache
from dpgov.queries.answering.tasks import messages, wake
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from tests.integration.operation.cache.conftest import PASSWORD, sign_in
from tests.servers.redis import throw_away_redis

REFUSALS = {
    "full": ("maxmemory", "1"),
    "its replicas are gone": ("min-replicas-to-write", "1"),
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with throw_away_redis(tmp_path_factory.mktemp("redis")) as url:
        yield url


@pytest.fixture(params=REFUSALS)
def refusing(
    server: str, request: pytest.FixtureRequest, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Redis]:
    """Cache of this test; it refuses from now on."""
    monkeypatch.setattr(steady_cache, "_away_until", {})
    steady = "dpgov.operation.steady_cache.SteadyRedisCache"
    settings.CACHES = {
        name: {"BACKEND": steady, "LOCATION": f"{server}/0"} for name in settings.CACHES
    }
    name, value = REFUSALS[request.param]
    memory = LocMemCache("steady", {})
    memory.clear()
    with Redis.from_url(server) as redis:
        before = redis.config_get(name)[name]
        redis.config_set(name, value)
        with pytest.raises(ResponseError):
            redis.set("control", "x")
        yield redis
        redis.config_set(name, before)
    memory.clear()


@pytest.mark.django_db
@pytest.mark.usefixtures("refusing")
def test_people_sign_in_and_passwords_cannot_be_tried_without_end(person: str) -> None:
    """L7, B8, R2: each process counts by itself meanwhile."""
    assert sign_in(person, PASSWORD) == 302
    tries = [sign_in(person, f"wrong {number}") for number in range(40)]
    assert tries[0] == 200
    assert 500 not in tries
    assert tries[-1] == 429 or sign_in(person, PASSWORD) != 302


def test_what_is_counted_meanwhile_is_not_forgotten_at_the_next_look(refusing: Redis) -> None:
    """R2: a Redis that still reads would answer that nothing was counted."""
    cache.set("tries", [1.5], 60)
    assert cache.get("tries") == [1.5]
    # Ten seconds later Redis is tried again, by a write, and refuses again.
    steady_cache._away_until.update(dict.fromkeys(steady_cache._away_until, 0.0))
    assert cache.get("tries") == [1.5]
    assert refusing.get(":1:tries") is None


def test_redis_serves_again_once_it_takes_a_write(refusing: Redis) -> None:
    """B8, R2: without a restart of ours."""
    cache.set("kept", 1, 60)
    refusing.config_set("maxmemory", "0")
    refusing.config_set("min-replicas-to-write", "0")
    steady_cache._away_until.update(dict.fromkeys(steady_cache._away_until, 0.0))
    cache.set("kept", 2, 60)
    assert refusing.get(":1:kept") is not None
    assert cache.get("kept") == 2


@pytest.fixture
def url(server: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Where messages go: to this server, as workers of others start meanwhile on a run's own."""
    connect = current_app.connection_for_write
    monkeypatch.setattr(current_app, "connection_for_write", lambda *_: connect(f"{server}/0"))
    monkeypatch.setattr(current_app, "_pool", None)
    monkeypatch.setattr(current_app.amqp, "_producer_pool", None)
    return f"{server}/0"


@pytest.mark.production
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("why", REFUSALS)
def test_questions_are_accepted_while_the_broker_refuses(
    why: str, url: str, analyst: Membership, ask: Callable[..., Query]
) -> None:
    """B8, L7, R2: the message is lost, the question is not; no restart of ours afterwards."""
    current_app.control.purge()
    name, value = REFUSALS[why]
    with Redis.from_url(url) as broker:
        before = broker.config_get(name)[name]
        broker.config_set(name, value)
        try:
            assert ask(analyst).state == Query.State.QUEUED
            assert wake() is None
        finally:
            broker.config_set(name, before)
    assert wake() == messages() == 1
    current_app.control.purge()
