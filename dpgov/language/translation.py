"""A sentence in the reader's language, or in English where it is kept.

Must never let the reader's language into what is stored or exported.
"""

from collections.abc import Collection, Mapping
from string import Formatter
from typing import Any

from django.conf import settings
from django.utils import translation
from django.utils.formats import number_format

from dpgov.language.said import Said, from_values


class _AsTheReaderWrites(Formatter):
    """Parts the thousands of `{rows:,}` as the reader's language does."""

    def format_field(self, value: Any, format_spec: str) -> str:
        if format_spec == ",":
            return str(number_format(value, force_grouping=True))
        return str(super().format_field(value, format_spec))


_FILLED_IN = _AsTheReaderWrites()


def english() -> Any:
    """A context in which everything is said in English: for what is stored or exported."""
    return translation.override(settings.LANGUAGE_CODE)


def translated(text: str) -> str:
    """A sentence of the pure rooms in the reader's language; other text as it is."""
    if not isinstance(text, Said):
        return text
    values = {name: translated(value) for name, value in text.values.items()}
    return _FILLED_IN.vformat(translation.gettext(text.pattern), (), values)


def retold(kept: Mapping[str, Any]) -> str:
    """A stored sentence in the reader's language, a person's own words as they are."""
    text = translated(from_values(kept))
    return text[:1].upper() + text[1:] if "pattern" in kept else text


def percent(number: object) -> str:
    """A number of percent as the language writes it: "95%", in German "95 %"."""
    return translation.gettext("{number}%").format(number=number)


def others(number: int) -> str:
    """What is drawn as one beside the few that are shown: "1 other", "12 others"."""
    words = translation.ngettext("%(number)s other", "%(number)s others", number)
    return words % {"number": number}


def in_a_row(names: Collection[str]) -> str:
    """“a, b and c”."""
    *first, last = names or [""]
    if not first:
        return last
    return translation.gettext("%(names)s and %(last)s") % {
        "names": ", ".join(first),
        "last": last,
    }
