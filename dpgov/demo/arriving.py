"""In front of the demonstration's site while its past arrives: everybody may look, nobody may act.

What somebody did today would stand in the log before what happened weeks ago. So every request that
could write is answered with a page that says how far the past has come; signing in is not, because
it is in no log. Every page says so too.
"""

from collections.abc import Callable, Iterable
from typing import Any

from django.conf import settings
from django.template.loader import render_to_string
from django.utils.translation import override

from dpgov.demo.past import DAYS, day_reached, turn

_LOOKING = ("GET", "HEAD", "OPTIONS")
_SIGNING_IN = ("/account/login/", "/account/logout/", "/language/")
_HEADERS = [("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store")]
_BEFORE = b'<main id="main"'

Start = Callable[..., Any]
Application = Callable[[dict[str, Any], Start], Iterable[bytes]]


class Arriving:
    """The site itself, once the past is there."""

    def __init__(self, site: Application) -> None:
        self._site = site

    def __call__(self, environ: dict[str, Any], start: Start) -> Iterable[bytes]:
        """Answer one request."""
        day = day_reached()
        if day is None:
            return self._site(environ, start)
        if environ["REQUEST_METHOD"] not in _LOOKING and environ["PATH_INFO"] not in _SIGNING_IN:
            return _not_yet(day, start)
        try:
            with turn(alone=False):
                return _Look(self._site, day).at(environ, start)
        except FileNotFoundError:  # it ended this very moment
            return self._site(environ, start)


class _Look:
    """One page, with a line about the past above what it shows."""

    def __init__(self, site: Application, day: int) -> None:
        self._site, self._day = site, day
        self._started: tuple[str, list[tuple[str, str]]] = ("", [])

    def at(self, environ: dict[str, Any], start: Start) -> Iterable[bytes]:
        """The whole answer, whoever waits for it: steps of the past wait for the end of this."""
        answer = self._site(environ, self._keep)
        try:
            body = b"".join(answer)
        finally:
            getattr(answer, "close", lambda: None)()
        status, headers = self._started
        named = {name.lower(): value for name, value in headers}
        if named.get("content-type", "").startswith("text/html") and _BEFORE in body:
            language = named.get("content-language", settings.LANGUAGE_CODE)
            line = _said("demo/_arriving.html", self._day, language)
            body = body.replace(_BEFORE, line + _BEFORE, 1)
            headers = [(name, v) for name, v in headers if name.lower() != "content-length"]
            headers.append(("Content-Length", str(len(body))))
        start(status, headers)
        return [body]

    def _keep(self, status: str, headers: list[tuple[str, str]], *_: object) -> None:
        self._started = (status, headers)


def _not_yet(day: int, start: Start) -> Iterable[bytes]:
    body = _said("demo/arriving.html", day, settings.LANGUAGE_CODE)
    length = ("Content-Length", str(len(body)))
    start("503 Service Unavailable", [*_HEADERS, ("Retry-After", "30"), length])
    return [body]


def _said(template: str, day: int, language: str) -> bytes:
    with override(language):
        return render_to_string(template, {"day": day, "days": DAYS}).encode()
