"""L7: whatever a stranger puts where the product keeps what it counts and what it is told."""

import base64
import json
import os
import pickle
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from celery import current_app
from django.conf import settings as live
from django.core.cache import cache, caches
from django.db import connection
from redis import Redis

from dpgov.operation.sealed import NotAValue, NotPlain, seal, unseal
from dpgov.queries.answering.sweep import sweep
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from tests.cast import publish_now
from tests.integration.operation.cache.conftest import PASSWORD, sign_in
from tests.integration.queries.answering.workers import prefork_fleet, solo_fleet
from tests.servers.waiting import end_of, until

QUEUE = "celery"


class Deed:
    """Unpickled, it writes a file."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return (os.mkdir, (str(self.place),))


@pytest.fixture
def done(tmp_path: Path) -> Path:
    return tmp_path / "a stranger's code ran"


@pytest.fixture(params=["pickle", "list", "text", "deep"])
def planted(request: pytest.FixtureRequest, done: Path) -> bytes:
    """What the stranger writes: code, JSON of other shapes, JSON that breaks parsers."""
    return {
        "pickle": pickle.dumps(Deed(done)),
        "list": b'{"history":[1e400]}',
        "text": b'"nonsense"',
        "deep": b"[" * 90_000,
    }[request.param]


def _replace_every_value(text: bytes) -> int:
    """In the cache of the installation, wherever that is; how many there were."""
    url = os.environ.get("DPGOV_CACHE_URL", "").replace("rediscache:", "redis:")
    if url:
        with Redis.from_url(url) as server:
            keys = list(server.scan_iter())
            for key in keys:
                server.set(key, text)
            return len(keys)
    files = list((Path(live.DPGOV_HOME) / "cache").glob("*"))
    for file in files:
        # Django's own format: when it expires, and the value.
        file.write_bytes(text)
    return len(files)


@pytest.mark.django_db
def test_a_value_that_a_stranger_wrote_into_the_cache_is_no_value(
    person: str, planted: bytes, done: Path
) -> None:
    """L7, S2: nothing runs, and nobody is locked out of signing in."""
    for number in range(3):
        assert sign_in(person, f"wrong {number}") == 200
    assert _replace_every_value(planted) > 0
    assert sign_in(person, "wrong again") == 200
    assert sign_in(person, PASSWORD) == 302
    assert not done.exists()


@pytest.mark.django_db
def test_the_planted_code_would_run_if_it_were_unpickled(done: Path) -> None:
    """L7: the control."""
    pickle.loads(pickle.dumps(Deed(done)))  # noqa: S301 - that is the point
    assert done.exists()


def test_a_value_is_one_under_its_own_key_and_with_our_signature_only() -> None:
    """L7: a full history of somebody else's tries is not believed under another name."""
    kept = seal("one", [1, 2.5, "x", None, {"a": True}])
    assert unseal("one", kept) == [1, 2.5, "x", None, {"a": True}]
    forged = base64.b64encode(kept)
    for key, text in [("two", kept), ("one", kept + b" "), ("one", forged), ("one", b"\xff:1")]:
        with pytest.raises(NotAValue):
            unseal(key, text)


@pytest.mark.parametrize("value", [(1, 2), {1: 2}, float("nan"), b"x", object(), True + 0j])
def test_what_json_would_change_is_refused(value: object) -> None:
    """L7"""
    with pytest.raises(NotPlain):
        seal("key", [value])


@pytest.mark.django_db
def test_every_cache_keeps_signed_values_only() -> None:
    """L7: and those behave as Django's caches do."""
    kinds = {type(each).__name__ for each in caches.all(initialized_only=False)}
    # The third is the memory of the process itself, which nobody else writes to.
    assert kinds <= {"SteadyRedisCache", "SealedFileCache", "LocMemCache"}
    assert type(caches["default"]).__name__ != "LocMemCache"
    cache.set_many({"a": 1, "b": [2.5]}, 60)
    assert cache.get_many(["a", "b", "c"]) == {"a": 1, "b": [2.5]}
    assert (cache.add("a", 5), cache.incr("a", 4), cache.get("a")) == (False, 5, 5)
    assert (cache.add("c", "first"), cache.touch("c", 60), cache.has_key("c")) == (True,) * 3
    assert (cache.delete("c"), cache.has_key("c"), cache.get("c", 7)) == (True, False, 7)
    with pytest.raises(ValueError, match="not found"):
        cache.incr("nowhere")
    with pytest.raises(NotPlain):
        cache.set("tuple", (1, 2))


def test_celery_takes_and_gives_nothing_but_json() -> None:
    """L7: tasks, results, events, and answers to commands."""
    conf = current_app.conf
    assert set(conf.accept_content) == set(conf.result_accept_content) == {"json"}
    assert {conf.task_serializer, conf.result_serializer, conf.event_serializer} == {"json"}
    assert conf.task_ignore_result
    assert conf.result_backend is None
    assert set(current_app.control.mailbox.accept) == {"json"}


def _envelope(body: bytes, content_type: str, encoding: str) -> bytes:
    return json.dumps(
        {
            "body": base64.b64encode(body).decode(),
            "content-encoding": encoding,
            "content-type": content_type,
            "headers": {"task": "dpgov.queries.look", "id": str(uuid4()), "lang": "py"},
            "properties": {
                "body_encoding": "base64",
                "delivery_tag": str(uuid4()),
                "delivery_info": {"exchange": "", "routing_key": QUEUE},
                "delivery_mode": 2,
                "priority": 0,
                "correlation_id": str(uuid4()),
            },
        }
    ).encode()


def _messages(done: Path) -> Iterator[bytes]:
    code = pickle.dumps(Deed(done))
    yield _envelope(code, "application/x-python-serialize", "binary")
    yield _envelope(code, "application/json", "utf-8")
    yield _envelope(b"[" * 90_000, "application/json", "utf-8")
    yield _envelope(b'[["x"], {"x": 1}, {"callbacks": [1]}]', "application/json", "utf-8")


def _plant_messages(done: Path) -> None:
    """Into the queue, and where messages stay until a worker is done with them."""
    broker: str = current_app.conf.broker_url
    if broker.startswith("redis"):
        with Redis.from_url(broker) as server:
            for number, message in enumerate(_messages(done)):
                server.lpush(QUEUE, message)
                tag = f"planted-{number}"
                server.hset("unacked", tag, json.dumps([json.loads(message), "", QUEUE]))
                server.zadd("unacked_index", {tag: 0})
            server.hset("unacked", "code", pickle.dumps(Deed(done)))
        return
    folder = Path(live.DPGOV_HOME) / "broker"
    for message in _messages(done):
        (folder / f"{time.time_ns()}_{uuid4()}.{QUEUE}.msg").write_bytes(message)


@pytest.mark.django_db(transaction=True)
def test_messages_that_a_stranger_wrote_run_nothing_and_stop_nobody(
    analyst: Membership, ask: Callable[..., Query], done: Path, tmp_path: Path
) -> None:
    """L7: a real worker reads all of them and answers the question behind them."""
    _plant_messages(done)
    query = ask(analyst)
    log = tmp_path / "worker.log"
    fleet = prefork_fleet if connection.vendor == "postgresql" else solo_fleet
    with fleet(log) as pids:

        def is_answered() -> bool:
            pids()
            sweep()
            publish_now()
            return not Query.objects.exclude(state__in=Query.ENDED).exists()

        until(is_answered, end_of(log), every=0.5)
    query.refresh_from_db()
    assert query.state == Query.State.RELEASED
    assert not done.exists()
