"""A word of the glossary, and what it is called where another one leads to it."""

from dataclasses import dataclass

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _


@dataclass(frozen=True, slots=True)
class GlossaryTerm:
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
    terms: tuple[GlossaryTerm, ...]

    @property
    def name(self) -> str:
        """The title in the reader's language."""
        return gettext(self.title)


LINKS = {
    "epsilon": "ε",
    "delta": "δ",
    "rho": "ρ",
    "accuracy": _("accuracy"),
    "allocation": _("allocation"),
    "attacker": _("attacker"),
    "averaging-attack": _("averaging attack"),
    "bounds": _("bounds"),
    "budget": _("budget"),
    "categories": _("categories"),
    "charge": _("charge"),
    "composition": _("composition"),
    "differencing": _("differencing"),
    "domain": _("domain"),
    "group-size": _("group size"),
    "limit": _("limit"),
    "mechanism": _("mechanism"),
    "neighbouring-relation": _("neighbouring relation"),
    "noise": _("noise"),
    "noise-scale": _("noise scale"),
    "odds": _("odds"),
    "post-processing": _("post processing"),
    "privacy-unit": _("privacy unit"),
    "release": _("release"),
    "remaining": _("remaining"),
    "reservation": _("reservation"),
    "sensitivity": _("sensitivity"),
    "step": _("step"),
}
