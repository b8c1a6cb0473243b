"""How doors answer: pages, with 422 where what was sent is refused, and files to keep."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

REFUSED = 422
CSV = "text/csv; charset=utf-8"


def show_page(
    request: HttpRequest, template: str, context: Mapping[str, Any], *, refused: object
) -> HttpResponse:
    """The page; `refused` is whatever refuses what was sent: errors, a sentence, or nothing."""
    return render(request, template, dict(context), status=REFUSED if refused else 200)


def as_file(content: bytes | str, name: str, content_type: str) -> HttpResponse:
    """A download of this name, which no browser opens as anything else."""
    return HttpResponse(
        content,
        content_type=content_type,
        headers={
            "Content-Disposition": f'attachment; filename="{name}"',
            "X-Content-Type-Options": "nosniff",
        },
    )
