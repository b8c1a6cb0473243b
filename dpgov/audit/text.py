"""Keeps what strangers typed from harming whoever reads the log (catalogue G9)."""

import hashlib
from typing import Any

from dpgov.audit.entry import canonical_json

LONGEST_TEXT = 2_000
LONGEST_DETAIL = 100_000


def bounded(value: Any, longest: int) -> Any:
    """The same value with control and direction marks escaped and long texts cut, recursively."""
    if isinstance(value, str):
        return _plain(value[:longest])[:longest]
    if isinstance(value, dict):
        return {bounded(str(key), longest): bounded(item, longest) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [bounded(item, longest) for item in value]
    return value


def bounded_json(detail: dict[str, Any]) -> str:
    """Canonical JSON of at most LONGEST_DETAIL characters.

    A longer detail is replaced by its length, its SHA-256 and its beginning, so that a step is
    recorded whatever its size and its full text, kept elsewhere, can still be compared.
    """
    text = canonical_json(bounded(detail, LONGEST_TEXT))
    if len(text) <= LONGEST_DETAIL:
        return text
    return canonical_json(
        {
            "cut_from_characters": len(text),
            "sha256": hashlib.sha256(text.encode()).hexdigest(),
            "beginning": text[:LONGEST_TEXT],
        }
    )


def _plain(text: str) -> str:
    return "".join(
        character if character.isprintable() else f"\\u{ord(character):04x}" for character in text
    )
