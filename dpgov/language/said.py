"""A sentence that can be said in another language later: its pattern and what goes into it.

This module knows no framework and no languages. It is written in English; whoever shows the
sentence to a person looks the pattern up and fills it in again (`dpgov.language.translation`).
What is stored of it is `as_values`: the pattern stands for the sentence, whatever the language.
"""

from collections.abc import Mapping
from typing import Any

from dpgov.language.reworded import of_today


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


def as_values(text: str) -> dict[str, Any]:
    """What is stored of a sentence, as JSON: its pattern and values, or a person's own words."""
    if not isinstance(text, Said):
        return {"text": text}
    values = {
        name: as_values(value) if isinstance(value, Said) else {"value": _plain(value)}
        for name, value in text.values.items()
    }
    return {"pattern": text.pattern, "values": values}


def _plain(value: Any) -> Any:
    return value if isinstance(value, int | str) else str(value)


def from_values(kept: Mapping[str, Any]) -> str:
    """The sentence again; "" of nothing."""
    if "pattern" not in kept:
        return str(kept.get("text", ""))
    values = {
        name: value["value"] if "value" in value else from_values(value)
        for name, value in kept["values"].items()
    }
    return said(of_today(kept["pattern"]), **values)
