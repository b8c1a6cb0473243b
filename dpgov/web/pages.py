"""How a page is shown: with 422 and the messages at its fields where what was sent is refused."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

REFUSED = 422


def show_page(
    request: HttpRequest, template: str, context: Mapping[str, Any], *, refused: object
) -> HttpResponse:
    """The page; `refused` is whatever refuses what was sent: errors, a sentence, or nothing."""
    return render(request, template, dict(context), status=REFUSED if refused else 200)
