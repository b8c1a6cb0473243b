"""The way back from an address that takes forms alone, and shows no page by itself.

A page that a form's answer has drawn stands at such an address. Whoever comes there again, by
reloading it, after signing in, or by the switch of languages, is led to what is above it.
"""

import inspect
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import render
from django.urls import Resolver404, resolve

from dpgov.operation.middleware import is_api

_HOME = "/"
# What Django's `require_http_methods`, and `require_POST` that it makes, call what they let in.
_LET_IN = "request_method_list"


class NoPageMiddleware:
    """Draws a page where an address has not the method that it was asked by: 405.

    Stands behind TenantMiddleware, since the page's frame says who reads it. Programs are told by
    the API itself.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if response.status_code != 405 or is_api(request):
            return response
        words = {"above": _steps_up(request.path_info)}
        page = render(request, "405.html", words, status=405)
        page.headers["Allow"] = response.headers["Allow"]
        return page


def way_back(path: str) -> str:
    """The address itself, unless it takes forms alone: then the nearest above it that can be seen.

    Where nothing is, that is said at the address itself.
    """
    if _can_be_seen(path) is not False:
        return path
    while path != _HOME and not _can_be_seen(path):
        path = path[: path.rstrip("/").rfind("/") + 1]
    return path


def _steps_up(path: str) -> str:
    """From there to what is above it, none below Home; whatever the address names, the same."""
    above = way_back(path)
    if above in (_HOME, path):
        return ""
    return "../" * path[len(above) : path.rfind("/") + 1].count("/") or "./"


def _can_be_seen(path: str) -> bool | None:
    """None where no address is."""
    try:
        return takes_get(resolve(unquote(path)).func)
    except Resolver404:
        return None


def takes_get(view: Any) -> bool:
    """As its class has it, or each of the decorators around it."""
    if (shaped := getattr(view, "view_class", None)) is not None:
        return hasattr(shaped, "get")
    around = view
    while around is not None:
        let_in = inspect.getclosurevars(around).nonlocals.get(_LET_IN)
        if let_in is not None and "GET" not in let_in:
            return False
        around = getattr(around, "__wrapped__", None)
    return True
