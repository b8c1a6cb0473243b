"""How many requests a person, a token and an organisation may make in a minute.

Counted in the cache `rates`, in one step each, so that parallel requests exceed nothing. While
Redis is away each process counts by itself. Whoever is refused is told when to come back, and never
what colleagues do: of the organisation's number only its end is shown.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.core.cache import caches
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import render
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from dpgov.operation.middleware import is_api
from dpgov.tenants.models import ApiToken, Membership

WINDOW = 60


@dataclass(frozen=True, slots=True)
class CountedLimit:
    """One limit after this request was counted; `most` requests in each window."""

    name: str
    most: int
    number: int
    is_own: bool

    @property
    def is_exceeded(self) -> bool:
        """Whether this request is one too many."""
        return self.number > self.most


@dataclass(frozen=True, slots=True)
class RequestRate:
    """What this request was counted against, and the seconds until all of it begins anew."""

    limits: tuple[CountedLimit, ...]
    seconds_left: int

    @property
    def is_exceeded(self) -> bool:
        """Whether any limit is exceeded."""
        return any(limit.is_exceeded for limit in self.limits)

    def headers(self) -> dict[str, str]:
        """The fields of draft-ietf-httpapi-ratelimit-headers-10."""
        policy = ", ".join(f'"{each.name}";q={each.most};w={WINDOW}' for each in self.limits)
        shown = [each for each in self.limits if each.is_own or each.is_exceeded]
        left = ", ".join(
            f'"{each.name}";r={max(0, each.most - each.number)};t={self.seconds_left}'
            for each in shown
        )
        again = {"Retry-After": str(self.seconds_left)} if self.is_exceeded else {}
        return {"RateLimit-Policy": policy, "RateLimit": left, **again}


def count(membership: Membership, token: ApiToken | None = None) -> RequestRate:
    """Count one request of this person, of this token, and of this organisation."""
    now = int(time.time())
    window = now // WINDOW
    person, organisation = (settings.DPGOV_RATE_PERSON, settings.DPGOV_RATE_ORGANISATION)
    limits = [("person", membership.user_id, person, True)]
    if token is not None:
        limits.append(("token", token.pk, person, True))
    limits.append(("organisation", membership.tenant_id, organisation, False))
    counted = tuple(
        CountedLimit(name, most, _number(f"{name}:{who}:{window}"), is_own)
        for name, who, most, is_own in limits
    )
    return RequestRate(counted, WINDOW - now % WINDOW)


def seconds_until_free(limits: Mapping[str, int]) -> int | None:
    """Count a request of nobody in particular under each name; how long to wait if one is over."""
    now = int(time.time())
    over = [_number(f"{name}:{now // WINDOW}") > most for name, most in limits.items()]
    return WINDOW - now % WINDOW if any(over) else None


def _number(key: str) -> int:
    cache = caches["rates"]
    cache.add(key, 0, timeout=2 * WINDOW)
    try:
        return cache.incr(key)
    except ValueError:  # it was thrown out between the two steps
        cache.set(key, 1, timeout=2 * WINDOW)
        return 1


class RateThrottle(BaseThrottle):
    """The API's door: a request beyond a rate is answered 429 in the standard form."""

    def allow_request(self, request: Request, view: Any) -> bool:
        """Whether it still fits; it was counted where its token was known."""
        self._rate: RequestRate | None = getattr(request._request, "rate", None)
        return self._rate is None or not self._rate.is_exceeded

    def wait(self) -> float | None:
        """Seconds until the next window."""
        return None if self._rate is None else self._rate.seconds_left


class RateMiddleware:
    """The pages' door, and the headers of both. Stands behind TenantMiddleware."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self._answer(request)
        rate: RequestRate | None = getattr(request, "rate", None)
        if rate is not None:
            for name, value in rate.headers().items():
                response.headers[name] = value
        return response

    def _answer(self, request: HttpRequest) -> HttpResponseBase:
        membership: Membership | None = getattr(request, "membership", None)
        if membership is None or is_api(request):
            return self.get_response(request)
        rate = request.rate = count(membership)  # type: ignore[attr-defined]
        if not rate.is_exceeded:
            return self.get_response(request)
        return render(request, "429.html", {"seconds": rate.seconds_left}, status=429)
