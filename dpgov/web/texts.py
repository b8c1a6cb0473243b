"""Texts from outside, as every database takes them and every page can show them."""

import re

_UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")


def storable(text: str) -> str:
    """Without NUL, which PostgreSQL refuses, and without halves of characters."""
    return _UNSTORABLE.sub("", text)
