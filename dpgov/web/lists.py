"""A list that may be long, on a page: fifty lines at a time, and found by words.

Templates include `_find.html` above it and `_pagination.html` below; both keep what the other set.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_, or_
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Q, QuerySet
from django.http import HttpRequest

PER_PAGE = 50
_LONGEST, _MOST_WORDS = 100, 6


@dataclass(frozen=True, slots=True)
class Listed:
    """A page of a list, and the words by which it was narrowed; `rows` are those of the page."""

    page: Page[Any]
    words: str

    @property
    def rows(self) -> Sequence[Any]:
        """What stands on this page."""
        return list(self.page)

    @property
    def number(self) -> int:
        """How many there are on all pages."""
        return self.page.paginator.count

    @property
    def can_be_searched(self) -> bool:
        """Whether it is too long to be read at once, or was narrowed already."""
        return bool(self.words) or self.page.paginator.num_pages > 1


def listed(
    request: HttpRequest, rows: QuerySet[Any, Any], *, by: Sequence[str] | Callable[[str], Q]
) -> Listed:
    """The page `?page=` of those of the rows that hold every word of `?q=` in one of these fields.

    Or of those that `by` finds by the words. Two statements: how many there are, and the page.
    `rows` must be in an order.
    """
    words = typed_words(request.GET.get("q", ""))
    which = by(words) if callable(by) else holding(words.split(), by)
    found = rows.filter(which) if words else rows
    return Listed(Paginator(found, PER_PAGE).get_page(request.GET.get("page")), words)


def typed_words(text: str) -> str:
    """What somebody typed to find something, as far as it is looked for."""
    return " ".join(text.split()[:_MOST_WORDS])[:_LONGEST]


def holding(words: Sequence[str], by: Sequence[str]) -> Q:
    """Rows that hold each of the words, in whatever case, in one of the fields."""
    return reduce(and_, (reduce(or_, _in_any(word, by)) for word in words), Q())


def _in_any(word: str, by: Sequence[str]) -> list[Q]:
    """SQLite knows no capitals but those of English: others are looked for as they may stand."""
    held = [Q(**{f"{name}__icontains": word}) for name in by]
    spellings = set() if word.isascii() else {word.lower(), word.upper(), word.capitalize()}
    return held + [Q(**{f"{name}__contains": one}) for name in by for one in spellings]
