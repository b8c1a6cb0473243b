"""Threads that leave nothing open: what they held is garbage in some later test otherwise."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from django.db import connection

_A = TypeVar("_A")
_R = TypeVar("_R")


def at_once(threads: int, step: Callable[[_A], _R], of: Iterable[_A]) -> list[_R]:
    """The step for each of these, so many at a time; what came of it, in their order."""

    def alone(one: _A) -> _R:
        try:
            return step(one)
        finally:
            connection.close()

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(alone, of))
