"""How pages write amounts of privacy loss. The words are those of `budgets.words`.

The second argument of a filter says in which currency: a budget, whatever has one, or a currency.
"""

import re
from functools import lru_cache
from typing import Any

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from dpgov.budgets import words
from dpgov.privacy.accounting.decimals import as_text
from dpgov.privacy.accounting.loss import Currency

register = template.Library()
_DASH = "–"
_SIGNS = re.compile("([ερδ]) ")


@register.filter
def epsilon(nano: int | None) -> str:
    """The exact decimal text of an amount: 500000000 becomes 0.5; None a dash."""
    return _DASH if nano is None else as_text(nano)


@register.filter
def symbol(holder: Any) -> str:
    """What amounts are counted in, for the head of a column: ε or ρ."""
    return _currency(holder).symbol


@register.filter
def amount(nano: int | None, holder: Any) -> str | SafeString:
    """The exact amount with its sign: ε 0.5, ρ 0.00005."""
    return _DASH if nano is None else _written(words.amount(nano, _currency(holder)))


@register.filter
def question(nano: int | None, holder: Any) -> str | SafeString:
    """What one question costs, or may cost: ε 0.5, ρ 0.005 (ε 0.4786 at δ 1e-6 by itself)."""
    return _DASH if nano is None else _written(words.question(nano, _currency(holder)))


@register.filter
def together(nano: int | None, holder: Any) -> str | SafeString:
    """What everything so far amounts to: ε 0.5, ε 1.204 at δ 1e-6 (ρ 0.03)."""
    return _DASH if nano is None else _written(words.together(nano, _currency(holder)))


@register.filter
def pure(epsilon_nano: int | None, holder: Any) -> str | SafeString:
    """The ε of one question as it was typed: ε 0.5, pure ε 0.1."""
    return _DASH if epsilon_nano is None else _written(words.pure(epsilon_nano, _currency(holder)))


@register.filter
def paid_by(nano: int, holder: Any) -> int:
    """The ε, in nano, of the largest single question that an amount pays for."""
    return _currency(holder).question(nano)


@register.filter
def target(epsilon_nano: int | None, holder: Any) -> str | SafeString:
    """A limit as somebody typed it: ε 3, ε 3 at δ 1e-6."""
    return (
        _DASH if epsilon_nano is None else _written(words.target(epsilon_nano, _currency(holder)))
    )


@register.filter
def limit(budget: words.Limited) -> str | SafeString:
    """A budget's limit as its owner set it: ε 10, ε 3 at δ 1e-6 (ρ 0.18506984)."""
    return _written(words.limit_text(budget))


def _written(text: str) -> SafeString:
    """Signs stay with their numbers; the same in other terms is small print."""
    if isinstance(text, words.InTwo):
        return _small_print(text.first, text.second)
    return _kept(text)


@lru_cache(maxsize=4096)
def _small_print(first: str, second: str) -> SafeString:
    small = format_html(' <small class="text-body-secondary">({})</small>', _kept(second))
    return format_html("{}{}", _kept(first), small)


@lru_cache(maxsize=4096)
def _kept(text: str) -> SafeString:
    """Remembered, because a page of budgets says the same few amounts many times."""
    first, *rest = _SIGNS.split(text)
    pairs = zip(rest[::2], rest[1::2], strict=True)
    return format_html("{}{}", first, format_html_join("", "{}&nbsp;{}", pairs))


def _currency(holder: Any) -> Currency:
    if isinstance(holder, Currency):
        return holder
    for name in ("currency", "budget", "dataset"):
        inner = getattr(holder, name, None)
        if inner is not None:
            return _currency(inner)
    raise TypeError(f"{type(holder).__name__} has no currency")
