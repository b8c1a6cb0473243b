"""Why an approved change was not carried out, in the language of the reader.

The reason is stored in English, as whoever refused it said it. What is not known here is shown as
it is stored.
"""

import re

from django.utils.translation import gettext, gettext_noop

_WITH_VALUES = (
    gettext_noop("The limit of “{name}” is another one than when this was requested."),
    gettext_noop(
        "The limit was ε {before} when this was requested and is {limit} now. Nothing was raised; "
        "request it again."
    ),
    gettext_noop("This is exactly the data of “{name}”. Let it share that budget or discard it."),
    gettext_noop("There is a shared budget called “{name}” already. Choose another name."),
)


def outcome_in_words(stored: str) -> str:
    """A stored outcome in the language of the moment; nothing for nothing."""
    if not stored:
        return ""
    for pattern in _WITH_VALUES:
        found = re.fullmatch(_reader_of(pattern), stored)
        if found:
            return gettext(pattern).format(**found.groupdict())
    return gettext(stored)


def _reader_of(pattern: str) -> str:
    return re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>.+)", re.escape(pattern))
