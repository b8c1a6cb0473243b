"""What surrounds every request: its door, the bound of its body, its id, its line in the log.

Must never write a path's parameters, a body or a person: the route's name says enough. How long a
request took is in the operator's log alone; no header tells it.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import structlog
from django.conf import settings
from django.http import (
    HttpRequest,
    HttpResponseBase,
    JsonResponse,
    QueryDict,
    UnreadablePostError,
)
from django.middleware.common import CommonMiddleware
from django.shortcuts import render
from django.urls import Resolver404, resolve

from dpgov.operation import request_ids
from dpgov.operation.tallies import count_request

View = TypeVar("View", bound=Callable[..., HttpResponseBase])
_API = "/api/"
_METRICS = "/metrics"
READING = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})


def is_api(request: HttpRequest) -> bool:
    """Whether a program asks through the REST API."""
    return request.path_info.startswith(_API)


def is_metrics(request: HttpRequest) -> bool:
    """Whether a collector reads the metrics."""
    return request.path_info.startswith(_METRICS)


@dataclass(frozen=True, slots=True)
class _Refusal:
    """Why a body is not read: in the one form of the API, or as a page."""

    status: int
    code: str
    detail: str
    page: str

    def answer(self, request: HttpRequest) -> HttpResponseBase:
        """In the form that whoever asks can read."""
        if not is_api(request):
            return render(request, self.page, status=self.status)
        error = {"code": self.code, "detail": self.detail, "attr": None}
        body = {"type": "client_error", "errors": [error]}
        return JsonResponse(body, status=self.status)


_TOO_LARGE = _Refusal(
    413, "request_too_large", "The body is larger than this site reads.", "413.html"
)
_NO_LENGTH = _Refusal(
    411,
    "length_required",
    "Send the length of the body as Content-Length: in chunks it is not read.",
    "400.html",
)
_CUT_OFF = _Refusal(400, "body_cut_off", "The body did not arrive.", "400.html")


class BodyLimitMiddleware:
    """Answers 413 to a body over the limit, and 411 to one that does not say how long it is.

    Django reads as much as Content-Length says and would take a body in chunks for an empty one:
    whatever it asked for, nothing would be done, and the answer would say that it was.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        refusal = _refusal_of(request)
        return self.get_response(request) if refusal is None else refusal.answer(request)


def _refusal_of(request: HttpRequest) -> _Refusal | None:
    """Uploads have a bound of their own; the length of theirs has to be told all the same."""
    length = request.META.get("CONTENT_LENGTH") or ""
    if not length and "HTTP_TRANSFER_ENCODING" in request.META:
        return _NO_LENGTH
    if request.content_type == "multipart/form-data":
        return None
    most = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    within = (length or "0").isdecimal() and int(length or "0") <= most
    return None if within else _TOO_LARGE


class WholeBodyMiddleware:
    """Has the whole body before anybody asks who sends it. Stands before the session is read.

    Whoever holds a body back, and is removed meanwhile, would else act as what they were when its
    first byte was sent. Doors that stream a file read it themselves, and ask again after its last
    byte (`permissions.requires_still`): those that check the token themselves.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        try:
            _read(request)
        except UnreadablePostError:
            return _CUT_OFF.answer(request)
        return self.get_response(request)


def _read(request: HttpRequest) -> None:
    """What the body says is kept with the request; a form with files is read as one."""
    if request.method in READING:
        return
    if request.content_type != "multipart/form-data":
        _ = request.body
    elif not _streams(request):
        _ = request.POST


def _streams(request: HttpRequest) -> bool:
    """Whether its door takes the body by itself, or there is none."""
    try:
        return getattr(resolve(request.path_info).func, "csrf_exempt", False)
    except Resolver404:
        return True


class NulMiddleware:
    """Answers 400 to an address or a form of a page that holds NUL, before anybody looks for it.

    No keyboard has it and PostgreSQL takes it in no text, so that it would be a fault of ours
    wherever a text is looked for. The API refuses it at the name of its field. A form that is kept
    without it is let through (`drops_nul`), and doors that stream a file read theirs themselves.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], *__: Any
    ) -> HttpResponseBase | None:
        """The refusal, or nothing; its page knows by now who reads it."""
        if is_api(request) or not (_address_holds_nul(request) or _form_holds_nul(request, view)):
            return None
        return render(request, "400.html", status=400)


def drops_nul(view: View) -> View:
    """Of a door that keeps what a form says without NUL: nothing else that was typed is lost."""
    view.drops_nul = True  # type: ignore[attr-defined]
    return view


def _address_holds_nul(request: HttpRequest) -> bool:
    return "\0" in request.path_info or _hold_nul(request.GET)


def _form_holds_nul(request: HttpRequest, view: Callable[..., Any]) -> bool:
    by_itself = getattr(view, "csrf_exempt", False) or getattr(view, "drops_nul", False)
    return request.method not in READING and not by_itself and _hold_nul(request.POST)


def _hold_nul(sent: QueryDict) -> bool:
    return any("\0" in text for name, texts in sent.lists() for text in (name, *texts))


class AddressMiddleware(CommonMiddleware):
    """Django's own, which leads to the address with the slash; but never what would write.

    A client that is led elsewhere sends GET there: what it wrote is lost, and it reads a success.
    """

    def should_redirect_with_slash(self, request: HttpRequest) -> bool:
        """Only for methods that read."""
        reads = request.method in ("GET", "HEAD")
        return reads and super().should_redirect_with_slash(request)


_log = structlog.get_logger("dpgov.request")
_HEADER = "X-Request-ID"
_KNOCKS = {"/healthz", "/readyz", "/metrics"}


class RequestLogMiddleware:
    """The outermost one: what others answer by themselves is seen as well."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        trusted = settings.DPGOV_BEHIND_PROXY
        request_id = request_ids.begin(request.headers.get(_HEADER) if trusted else None)
        began = time.monotonic()
        try:
            response = self.get_response(request)
            _tell(request, response, time.monotonic() - began)
        finally:
            request_ids.end()
        response.headers[_HEADER] = request_id
        return response


def _tell(request: HttpRequest, response: HttpResponseBase, seconds: float) -> None:
    match = request.resolver_match
    route = match.view_name if match else "none"
    count_request(method=request.method or "", route=route, status=response.status_code)
    say = _log.debug if request.path_info in _KNOCKS else _log.info
    say(
        "request",
        method=request.method,
        route=route,
        status=response.status_code,
        milliseconds=round(seconds * 1000),
    )


class ProbesMiddleware:
    """Answers machines that look after this one, before anybody asks the database who they are.

    A process that lives must be able to say so while the database is away.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path_info not in _KNOCKS:
            return self.get_response(request)
        match = request.resolver_match = resolve(request.path_info)
        answer: HttpResponseBase = match.func(request, *match.args, **match.kwargs)
        return answer
