"""Keeps what strangers typed from harming whoever reads the log (catalogue G9)."""

from typing import Any


def bounded(value: Any, longest: int) -> Any:
    """The same value with control and direction marks escaped and long texts cut, recursively."""
    if isinstance(value, str):
        return _plain(value[:longest])[:longest]
    if isinstance(value, dict):
        return {bounded(str(key), longest): bounded(item, longest) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [bounded(item, longest) for item in value]
    return value


def _plain(text: str) -> str:
    return "".join(
        character if character.isprintable() else f"\\u{ord(character):04x}" for character in text
    )
