"""Marks every sentence that goes through gettext, so that what does not can be seen."""

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

import pytest
from django.utils import translation

OPEN, CLOSE = "⟦", "⟧"
_MARKED = re.compile(f"{OPEN}[^{OPEN}{CLOSE}]*{CLOSE}")
_NOT_READ = {"script", "style", "code", "pre", "kbd", "samp", "svg"}
_VOID = {"input", "br", "img", "hr", "meta", "link", "source", "col", "wbr"}
_READ_ALOUD = {"title", "aria-label", "aria-valuetext", "placeholder", "alt", "data-label"}
_SAID_BY_CHARTS = {"text", "name", "ticktext", "hovertext"}


def mark(patch: pytest.MonkeyPatch) -> None:
    """From now on each translated sentence stands between two brackets."""
    functions = translation._trans
    for name in ("gettext", "ngettext", "pgettext", "npgettext"):
        patch.setattr(functions, name, _marked(getattr(functions, name)), raising=False)


def _marked(function: Any) -> Any:
    def said(*parts: Any) -> str:
        text = function(*parts)
        return f"{OPEN}{text}{CLOSE}" if text.strip() else text

    return said


def unmarked(text: str) -> str:
    """What is left of a text when everything translated is cut out, from the inside outwards."""
    while (less := _MARKED.sub(" ", text)) != text:
        text = less
    return text


class Texts(HTMLParser):
    """What a person reads or hears of a page, without code and what is marked as data."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._silent: list[str] = []
        self._figure: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.found += [values[name] or "" for name in _READ_ALOUD & set(values)]
        if tag == "input" and values.get("type") in ("submit", "button"):
            self.found.append(values.get("value") or "")
        if tag == "script" and values.get("type") == "application/json":
            self._figure = []
        hidden = tag in _NOT_READ or values.get("translate") == "no"
        if tag not in _VOID and (self._silent or hidden):
            self._silent.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._silent and tag in self._silent:
            while self._silent.pop() != tag:
                pass
        if tag == "script" and self._figure is not None:
            self.found += said_by_charts(json.loads("".join(self._figure) or "null"))
            self._figure = None

    def handle_data(self, data: str) -> None:
        if self._figure is not None:
            self._figure.append(data)
        elif not self._silent:
            self.found.append(data)


def said_by_charts(part: Any, key: str = "") -> Iterator[str]:
    """The titles, names and labels inside a figure."""
    if isinstance(part, dict):
        for name, value in part.items():
            yield from said_by_charts(value, name)
    elif isinstance(part, list):
        for value in part:
            yield from said_by_charts(value, key)
    elif isinstance(part, str) and key in _SAID_BY_CHARTS:
        yield part


def left_in_english(html: str, known: set[str]) -> list[str]:
    """The stretches of a page that nobody translated, without names that are data."""
    texts = Texts()
    texts.feed(html)
    left = []
    for text in texts.found:
        rest = unmarked(text)
        words = [w for w in re.findall(r"[^\W\d_]{2,}", rest) if w.casefold() not in known]
        if words:
            left.append(" ".join(rest.split())[:100])
    return left
