"""A Redis cache that does not take the site down with it.

Only rate limits of sign-in live in the cache. While Redis is away each process counts by itself, so
that people can still sign in and nobody can try passwords without end.
"""

from typing import Any

from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from redis.exceptions import ConnectionError as NotConnected
from redis.exceptions import TimeoutError as TooSlow

_PATIENCE_SECONDS = 1.0
_OPERATIONS = (
    *("add", "get", "set", "touch", "delete", "has_key", "incr", "clear"),
    *("get_many", "set_many", "delete_many"),
)


class SteadyRedisCache(RedisCache):
    """Django's cache in Redis, with this process's memory in its place while Redis is away."""

    def __init__(self, server: Any, params: dict[str, Any]) -> None:
        patience = {
            "socket_timeout": _PATIENCE_SECONDS,
            "socket_connect_timeout": _PATIENCE_SECONDS,
        }
        options = {**patience, **params.get("OPTIONS", {})}
        super().__init__(server, {**params, "OPTIONS": options})
        self._meanwhile = LocMemCache("steady", {**params, "OPTIONS": {}})


def _steady(name: str) -> Any:
    really = getattr(RedisCache, name)

    def operation(self: SteadyRedisCache, *args: Any, **kwargs: Any) -> Any:
        try:
            return really(self, *args, **kwargs)
        except (NotConnected, TooSlow):
            return getattr(self._meanwhile, name)(*args, **kwargs)

    return operation


for _name in _OPERATIONS:
    setattr(SteadyRedisCache, _name, _steady(_name))
