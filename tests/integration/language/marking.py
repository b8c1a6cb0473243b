"""Marks every sentence that goes through gettext, so that what does not can be seen."""

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

import pytest
from django.utils import translation

OPEN, CLOSE = "⟦", "⟧"
_BLOCKS = {"p", "div", "li", "td", "th", "dt", "dd", "h1", "h2", "h3", "caption", "button", "main"}
_NOT_READ = {"script", "style", "code", "pre", "kbd", "samp", "svg"}
_VOID = {"input", "br", "img", "hr", "meta", "link", "source", "col", "wbr"}
_READ_ALOUD = {"title", "aria-label", "aria-valuetext", "placeholder", "alt", "data-label"}
_SAID_BY_CHARTS = {"text", "name", "ticktext", "hovertext"}


def mark(patch: pytest.MonkeyPatch) -> None:
    """From now on everybody reads German, each translated sentence between two brackets.

    What is said in English on purpose is left alone.
    """
    functions = vars(translation)["_trans"]
    patch.setattr(functions, "get_language_from_request", lambda *_, **__: "de", raising=False)
    for name in ("gettext", "ngettext", "pgettext", "npgettext"):
        patch.setattr(functions, name, _marked(getattr(functions, name)), raising=False)


def _marked(function: Any) -> Any:
    def said(*parts: Any) -> str:
        text: str = function(*parts)
        if translation.get_language() != "de":
            return text
        return f"{OPEN}{text}{CLOSE}" if text.strip() else text

    return said


def unmarked(text: str, depth: int = 0) -> tuple[str, int]:
    """What is left of a text outside of all brackets; `depth` of them were opened before it."""
    left = []
    for sign in text:
        depth = max(depth + (sign == OPEN) - (sign == CLOSE), 0)
        left.append(" " if depth or sign == CLOSE else sign)
    return "".join(left), depth


class Texts(HTMLParser):
    """What a person reads or hears of a page and nobody translated.

    Without code and what is marked as data. A sentence goes on within its markup: what stands
    between the brackets may hold links, and ends with its block at the latest.
    """

    def __init__(self) -> None:
        super().__init__()
        self.left: list[str] = []
        self._depth = 0
        self._silent: list[str] = []
        self._figure: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self._end_block(tag)
        is_data = values.get("translate") == "no"
        hidden = tag in _NOT_READ or is_data
        if not is_data:
            self._read(*[values[name] or "" for name in _READ_ALOUD & set(values)])
        if tag == "input" and values.get("type") in ("submit", "button"):
            self._read(values.get("value") or "")
        if tag == "script" and (values.get("id") or "").endswith("-figure"):
            self._figure = []
        if tag not in _VOID and (self._silent or hidden):
            self._silent.append(tag)

    def handle_endtag(self, tag: str) -> None:
        self._end_block(tag)
        if self._silent and tag in self._silent:
            while self._silent.pop() != tag:
                pass
        if tag == "script" and self._figure is not None:
            self._read(*said_by_charts(json.loads("".join(self._figure) or "null")))
            self._figure = None

    def handle_data(self, data: str) -> None:
        if self._figure is not None:
            self._figure.append(data)
        elif not self._silent:
            rest, self._depth = unmarked(data, self._depth)
            self.left.append(rest)

    def _read(self, *texts: str) -> None:
        self.left += [unmarked(text)[0] for text in texts]

    def _end_block(self, tag: str) -> None:
        if tag in _BLOCKS:
            self._depth = 0


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
    for rest in texts.left:
        words = [w for w in re.findall(r"[^\W\d_]{2,}", rest) if w.casefold() not in known]
        if words:
            left.append(" ".join(rest.split())[:100])
    return left
