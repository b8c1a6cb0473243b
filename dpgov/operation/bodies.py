"""Bodies that are too large are refused by their length, before anything reads them.

Files have a bound of their own, which the upload page says; fields around them have Django's.
"""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase, JsonResponse
from django.shortcuts import render

from dpgov.operation.doors import is_api

_STATUS = 413
_API_ANSWER = {
    "type": "client_error",
    "errors": [
        {
            "code": "request_too_large",
            "detail": "The body is larger than this site reads.",
            "attr": None,
        }
    ],
}


class BodyLimitMiddleware:
    """Answers 413, in the one form of the API or as a page, to a body over the limit."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not _is_too_large(request):
            return self.get_response(request)
        if is_api(request):
            return JsonResponse(_API_ANSWER, status=_STATUS)
        return render(request, "413.html", status=_STATUS)


def _is_too_large(request: HttpRequest) -> bool:
    length = request.META.get("CONTENT_LENGTH") or "0"
    if request.content_type == "multipart/form-data":
        return False
    most = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    return not length.isdecimal() or int(length) > most
