"""Names that stored answers hold in English, said in the reader's language.

A release is never written anew: its words are looked up when they are shown. A name that is not
known here stays as it stands.
"""

import re

from django.utils.translation import gettext, gettext_noop

_KNOWN = frozenset(
    {
        gettext_noop("discrete Laplace"),
        gettext_noop("discrete Gaussian"),
        gettext_noop("report noisy max"),
        gettext_noop("count"),
        gettext_noop("count of units"),
        gettext_noop("sum"),
        gettext_noop("rows"),
        gettext_noop("rows by candidate"),
        gettext_noop("rows of bins"),
        gettext_noop("rows towards the lower bound"),
        gettext_noop("rows towards the upper bound"),
        gettext_noop("rows near the lower bound"),
        gettext_noop("rows in between"),
        gettext_noop("rows near the upper bound"),
        gettext_noop("never negative, adding up to the same total"),
        gettext_noop("never negative and never falling"),
    }
)
_TREE = re.compile(r"rows of tree of ([0-9]+)")


def shown(name: str) -> str:
    """A mechanism, what it was added to, or how numbers were adjusted."""
    if tree := _TREE.fullmatch(name):
        return gettext("rows of tree of {branches}").format(branches=tree[1])
    return gettext(name) if name in _KNOWN else name
