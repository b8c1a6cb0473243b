"""A sentence that can be said in another language later: its pattern and what goes into it.

This module knows no framework and no languages. It is written in English; whoever shows the
sentence to a person looks the pattern up and fills it in again (`dpgov.language.translation`).
"""

from typing import Any


class Said(str):
    """English text that remembers how it was made; a plain string for everybody else."""

    __slots__ = ("pattern", "values")
    pattern: str
    values: dict[str, Any]

    def __str__(self) -> str:
        """Itself, so that an exception's text keeps its pattern on the way to a page."""
        return self


def said(pattern: str, /, **values: Any) -> Said:
    """`pattern` with its `{names}` filled in; a value may itself be Said."""
    text = Said(pattern.format(**values))
    text.pattern = pattern
    text.values = values
    return text


def pattern(text: str, /) -> str:
    """Marks words for translators that are filled in and said when they are shown."""
    return text


def sentences(*parts: str) -> Said:
    """Whole sentences one after the other; empty ones are left out."""
    named = {f"sentence{place}": part for place, part in enumerate(filter(None, parts))}
    pattern = " ".join(f"{{{name}}}" for name in named)
    return said(pattern, **named)
