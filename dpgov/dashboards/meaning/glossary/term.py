"""A word of the glossary."""

from dataclasses import dataclass

_SIGNS = {"epsilon": "ε", "delta": "δ", "rho": "ρ"}


@dataclass(frozen=True, slots=True)
class Term:
    """A word, its address on the page and what it means; `see` are anchors of others."""

    anchor: str
    word: str
    text: str
    see: tuple[str, ...] = ()

    @property
    def links(self) -> list[tuple[str, str]]:
        """The others' anchors and what to call them."""
        return [(anchor, _SIGNS.get(anchor, anchor.replace("-", " "))) for anchor in self.see]


@dataclass(frozen=True, slots=True)
class Theme:
    """Terms that belong together."""

    title: str
    terms: tuple[Term, ...]
