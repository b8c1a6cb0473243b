"""A word of the glossary."""

from dataclasses import dataclass

from django.utils.translation import gettext

from dpgov.explain.glossary.links import LINKS


@dataclass(frozen=True, slots=True)
class Term:
    """A word, its address on the page and what it means; `see` are anchors of others.

    Written in English; the properties say it in the reader's language.
    """

    anchor: str
    word: str
    text: str
    see: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The word."""
        return gettext(self.word)

    @property
    def meaning(self) -> str:
        """What it means."""
        return gettext(self.text)

    @property
    def links(self) -> list[tuple[str, str]]:
        """The others' anchors and what to call them."""
        return [(anchor, gettext(LINKS[anchor])) for anchor in self.see]


@dataclass(frozen=True, slots=True)
class Theme:
    """Terms that belong together."""

    title: str
    terms: tuple[Term, ...]

    @property
    def name(self) -> str:
        """The title in the reader's language."""
        return gettext(self.title)
