"""What is said while the installation cannot serve: 503, when to come back, and nothing else.

To programs in the API's one form, to people as a page that needs no database. Must never say what
is away or where: that is for the log.
"""

import sys
from typing import Any

import structlog
from django.http import HttpRequest, HttpResponse, HttpResponseServerError, JsonResponse
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from drf_standardized_errors.handler import ExceptionHandler
from rest_framework.exceptions import APIException

from dpgov.operation.away import FULL, ServerAway, is_conflict, is_outage
from dpgov.operation.middleware import is_api, is_metrics

RETRY_AFTER_SECONDS = 5
_log = structlog.get_logger("dpgov.outage")


class Unavailable(APIException):
    """The installation cannot answer now; the same request will do later."""

    status_code = 503
    default_code = "unavailable"
    wait = RETRY_AFTER_SECONDS

    def __init__(self) -> None:
        super().__init__(
            _(
                "The installation cannot answer at present. Send the same request again in a few "
                "seconds; with the same idempotency key there will be one question."
            )
        )


class OutageHandler(ExceptionHandler):
    """The API's handler of exceptions, which tells an outage from a fault of ours."""

    def convert_known_exceptions(self, exc: Exception) -> Exception:
        """As before, and an outage becomes Unavailable."""
        if is_outage(exc):
            _tell(exc)
            return Unavailable()
        return super().convert_known_exceptions(exc)


def server_error(request: HttpRequest) -> HttpResponse:
    """The answer to what nobody handled: Django's `handler500`."""
    error = sys.exc_info()[1]
    if not is_outage(error):
        if is_api(request):
            return JsonResponse(_body("server_error", "error", _("Server Error (500)")), status=500)
        return HttpResponseServerError(render_to_string("500.html"))
    _tell(error)
    return unavailable(request)


def unavailable(request: HttpRequest) -> HttpResponse:
    """503 in the form that whoever asks can read."""
    if is_api(request):
        refusal = Unavailable()
        body = _body("server_error", refusal.default_code, str(refusal.detail))
        answer: HttpResponse = JsonResponse(body, status=503)
    elif is_metrics(request):
        answer = HttpResponse("not available", content_type="text/plain", status=503)
    else:
        answer = HttpResponse(render_to_string("503.html"), status=503)
    answer.headers["Retry-After"] = str(RETRY_AFTER_SECONDS)
    answer.headers["Cache-Control"] = "no-store"
    return answer


def _body(kind: str, code: str, detail: str) -> dict[str, Any]:
    return {"type": kind, "errors": [{"code": code, "detail": detail, "attr": None}]}


def _tell(error: BaseException | None) -> None:
    what = "the database is away, full, too slow or only reads"
    if is_conflict(error):
        what = "the database ended one of several steps that waited for each other"
    elif isinstance(error, ServerAway):
        what = "the storage of data files is away"
    elif isinstance(error, OSError) and error.errno in FULL:
        what = "a disk is full"
    _log.error(what, kind=type(error).__name__)
