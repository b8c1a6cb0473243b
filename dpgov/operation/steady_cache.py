"""A Redis cache that does not take the site down with it, and believes nothing but its own values.

Only limits of tries live in the cache. While Redis is away, or refuses to write (it is full, its
disk is, its replicas are gone), each process counts by itself, so that people can still sign in
and nobody can try passwords without end.
"""

import time
from collections.abc import Callable
from threading import Lock
from typing import Any

from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache, RedisCacheClient
from redis.exceptions import RedisError

from dpgov.operation.sealed import NotAValue, seal, unseal

_PATIENCE_SECONDS = 1.0
# Reading and writing go to one place: a Redis that only reads would forget every try.
_AWAY_SECONDS = 10.0
_PROBE, _PROBE_SECONDS = "dpgov:takes-writes", 1
_OPERATIONS = (
    *("add", "get", "set", "touch", "delete", "has_key", "incr", "clear"),
    *("get_many", "set_many", "delete_many"),
)
_away_until: dict[str, float] = {}
_asking = Lock()
# By place and options, each by the number of its server.
_pools: dict[str, dict[int, Any]] = {}


class SealedClient(RedisCacheClient):
    """Keeps signed values; what somebody else wrote under a key is not there.

    Django makes a client for each thread. Here they share a process's connections: those of a
    thread that ends would stay open until somebody collects them.
    """

    def __init__(self, servers: Any, **options: Any) -> None:
        super().__init__(servers, **options)
        known: Any = self
        place = repr((servers, sorted(known._pool_options.items(), key=str)))
        known._pools = _pools.get(place) or _pools.setdefault(
            place,
            {
                number: known._pool_class.from_url(server, **known._pool_options)
                for number, server in enumerate(servers)
            },
        )

    def add(self, key: Any, value: Any, timeout: Any) -> bool:
        """Whether there was no value, in one step; what is not one of ours gives way."""

        def put(pipeline: Any) -> bool:
            free = self._read(key, pipeline.get(key)) is _MISSING
            pipeline.multi()
            if free and timeout != 0:
                pipeline.set(key, seal(key, value), ex=timeout)
            return free

        client: Any = self.get_client(key, write=True)
        return bool(client.transaction(put, key, value_from_callable=True))

    def get(self, key: Any, default: Any) -> Any:
        """The value, or the default."""
        found = self._read(key, self.get_client(key).get(key))
        return default if found is _MISSING else found

    def set(self, key: Any, value: Any, timeout: Any) -> None:
        """Keep it."""
        super().set(key, seal(key, value), timeout)

    def has_key(self, key: Any) -> bool:
        """Whether there is a value."""
        return self.get(key, _MISSING) is not _MISSING

    def get_many(self, keys: Any) -> dict[Any, Any]:
        """Those that there are."""
        names = list(keys)
        stored = self.get_client(None).mget(names)
        found = {name: self._read(name, text) for name, text in zip(names, stored, strict=True)}
        return {name: value for name, value in found.items() if value is not _MISSING}

    def set_many(self, data: Any, timeout: Any) -> None:
        """Keep all of them."""
        super().set_many({key: seal(key, value) for key, value in data.items()}, timeout)

    def incr(self, key: Any, delta: int) -> int:
        """The number after adding, in one step; ValueError where no number is kept."""

        def add(pipeline: Any) -> int:
            before = self._read(key, pipeline.get(key))
            if type(before) is not int:
                raise ValueError(f"Key '{key}' not found.")
            pipeline.multi()
            pipeline.set(key, seal(key, before + delta), keepttl=True)
            return before + delta

        client: Any = self.get_client(key, write=True)
        return int(client.transaction(add, key, value_from_callable=True))

    def _read(self, key: Any, stored: Any) -> Any:
        try:
            return _MISSING if stored is None else unseal(key, stored)
        except NotAValue:
            return _MISSING


_MISSING = object()


class _AsTheyAre:
    """Values are bytes already when they reach Django's own client."""

    def dumps(self, value: bytes) -> bytes:
        return value


class SteadyRedisCache(RedisCache):
    """Django's cache in Redis, with this process's memory in its place while Redis does not serve.

    After a refusal memory serves for ten seconds; then Redis does again, once it takes a write.
    """

    def __init__(self, server: Any, params: dict[str, Any]) -> None:
        patience = {
            "socket_timeout": _PATIENCE_SECONDS,
            "socket_connect_timeout": _PATIENCE_SECONDS,
        }
        options = {**patience, **params.get("OPTIONS", {}), "serializer": _AsTheyAre}
        super().__init__(server, {**params, "OPTIONS": options})
        self._class = SealedClient
        self._place = str(server)
        self._meanwhile = LocMemCache("steady", {**params, "OPTIONS": {}})

    def _serves(self) -> bool:
        """Whether to ask Redis; finds out by a write when it did not serve before."""
        until = _away_until.get(self._place)
        if until is None:
            return True
        with _asking:
            if time.monotonic() < _away_until.get(self._place, 0.0):
                return False
            # Others go on with their memory while this thread finds out.
            self._is_away()
        self._cache.get_client(write=True).set(_PROBE, b"", ex=_PROBE_SECONDS)
        _away_until.pop(self._place, None)
        return True

    def _is_away(self) -> None:
        _away_until[self._place] = time.monotonic() + _AWAY_SECONDS


def _steady(name: str) -> Callable[..., Any]:
    really = getattr(RedisCache, name)

    def operation(self: SteadyRedisCache, *args: Any, **kwargs: Any) -> Any:
        try:
            if self._serves():
                return really(self, *args, **kwargs)
        except RedisError:
            self._is_away()
        return getattr(self._meanwhile, name)(*args, **kwargs)

    return operation


for _name in _OPERATIONS:
    setattr(SteadyRedisCache, _name, _steady(_name))
