"""A sentence in the reader's language, or in English where it is kept.

Must never let the reader's language into what is stored or exported.
"""

from collections.abc import Collection
from typing import Any

from django.conf import settings
from django.utils import translation

from dpgov.language.said import Said


def english() -> Any:
    """A context in which everything is said in English: for what is stored or exported."""
    return translation.override(settings.LANGUAGE_CODE)


def translated(text: str) -> str:
    """A sentence of the pure rooms in the reader's language; other text as it is."""
    if not isinstance(text, Said):
        return text
    values = {name: translated(value) for name, value in text.values.items()}
    return translation.gettext(text.pattern).format(**values)


def in_a_row(names: Collection[str]) -> str:
    """“a, b and c”."""
    *first, last = names or [""]
    if not first:
        return last
    return translation.gettext("%(names)s and %(last)s") % {
        "names": ", ".join(first),
        "last": last,
    }
