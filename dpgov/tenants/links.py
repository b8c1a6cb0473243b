"""Whole addresses for letters: they begin with DPGOV_BASE_URL, never with what a browser sent.

Only where that is not set, as in a demonstration, the address of the request counts;
`manage.py check` refuses a mail server without it.
"""

from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest


def whole_link(path: str, request: HttpRequest | None = None) -> str:
    """The path with this installation's address before it; the bare path where none is known."""
    if settings.DPGOV_BASE_URL:
        return f"{settings.DPGOV_BASE_URL}{path}"
    return request.build_absolute_uri(path or "/") if request is not None else path


def at_our_address(url: str, request: HttpRequest | None) -> str:
    """The same page at this installation's address, whatever host the address given names."""
    parts = urlsplit(url)
    return whole_link(parts.path + (f"?{parts.query}" if parts.query else ""), request)
