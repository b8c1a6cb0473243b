"""Pages that anybody may read, without an account: with nobody's data, for so many in a minute.

Who is signed in reads them in their own frame, and is counted as everywhere. Who is not is counted
by where they come from, and shown no organisation: the wall lets such a request see none. What such
a page says is the same for every stranger, so that their own browser may keep it for a while; it
depends on the language and on whether htmx asks for a part, and a sign-in changes the cookie.
"""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers

from dpgov.tenants.rates import seconds_until_free
from dpgov.tenants.sign_in.guessing import origin_of

A_MINUTE = 600
_KEPT_SECONDS = 300
_VARIES = ("Cookie", "Accept-Language", "HX-Request")
P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]


def open_to_strangers(view: View[P]) -> View[P]:
    """Guard a page that shows nothing of anybody: 429 for an origin that asks too often."""

    @wraps(view)
    def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        if request.user.is_authenticated:
            return view(request, *args, **kwargs)
        wait = seconds_until_free({f"stranger:{origin_of(request)}": A_MINUTE})
        if wait is not None:
            refusal = render(request, "429.html", status=429)
            refusal.headers["Retry-After"] = str(wait)
            return refusal
        response = view(request, *args, **kwargs)
        patch_vary_headers(response, _VARIES)
        response.kept_seconds = _KEPT_SECONDS  # type: ignore[attr-defined]
        return response

    return guarded
