"""What threads ask of Redis goes over connections that they share."""

from pathlib import Path
from threading import Thread
from typing import Any

from django.core.cache import cache
from redis import Redis

from tests.servers.redis import throw_away_redis


def _connected(redis: Redis) -> int:
    """Connections that were ever made, with that of who asks."""
    return int(redis.info("stats")["total_connections_received"])


def test_threads_that_end_leave_no_connection_behind(tmp_path: Path, settings: Any) -> None:
    """One for a process's threads, not one each that is open until it is collected."""
    steady = "dpgov.operation.steady_cache.SteadyRedisCache"
    with throw_away_redis(tmp_path) as url, Redis.from_url(url) as redis:
        settings.CACHES = {
            each: {"BACKEND": steady, "LOCATION": f"{url}/0"} for each in settings.CACHES
        }
        before, found = _connected(redis), []
        for number in range(6):
            thread = Thread(target=lambda n=number: found.append(_counted(n)))
            thread.start()
            thread.join()
        assert found == [1, 2, 3, 4, 5, 6]
        assert _connected(redis) == before + 1


def _counted(number: int) -> int:
    if not number:
        cache.set("threads", 0, 60)
    return int(cache.incr("threads"))
