"""A lesson as a value: its words, what can be moved, and what is seen for each place of it.

Everything that can be chosen is a list of places, so that a lesson is a function of few values and
nothing that somebody types ever reaches a formula. Written in English; the properties and the
scenes say it in the reader's language.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext

from dpgov.queries.wording.plotting import Figure

Chosen = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Control:
    """What the reader moves: a slider over `places`, or as many radio buttons as there are.

    A place is a number as it is written, or English words for it in `words`. `again`: a button
    takes the next place, and after the last one the first.
    """

    name: str
    label: str
    places: tuple[str, ...]
    start: str
    words: tuple[str, ...] = ()
    slides: bool = True
    again: str = ""

    def place(self, typed: str) -> int:
        """The place that an address names by its number, else the one to start from."""
        known = typed.isascii() and typed.isdigit() and len(typed) < 4
        at = int(typed) if known else -1
        return at if 0 <= at < len(self.places) else self.places.index(self.start)

    @property
    def shown(self) -> list[str]:
        """Every place, as it is written beside the control."""
        if self.words:
            return [gettext(one) for one in self.words]
        return [_written(one) for one in self.places]


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure and the sentence that says what to see in it."""

    figure: Figure
    caption: str


@dataclass(frozen=True, slots=True)
class LessonTable:
    """The numbers of the figure; each row begins with its name, `marked` is the chosen one."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    marked: int | None = None


@dataclass(frozen=True, slots=True)
class Scene:
    """What is seen at the chosen places: what to read off first, figures, and their table."""

    said: str
    pictures: tuple[Picture, ...]
    table: LessonTable


@dataclass(frozen=True, slots=True)
class LessonSource:
    """Where words and numbers come from."""

    text: str

    @property
    def name(self) -> str:
        """As it is cited."""
        return gettext(self.text)


@dataclass(frozen=True, slots=True)
class Lesson:
    """One screen: what is asked, what can be moved, and what to keep of it.

    `leads` names pages of the product where the same stands for real datasets: address and words.
    """

    slug: str
    title: str
    question: str
    sentence: str
    controls: tuple[Control, ...]
    scene: Callable[[Chosen], Scene]
    sources: tuple[LessonSource, ...]
    leads: tuple[tuple[str, str], ...] = ()

    @property
    def name(self) -> str:
        """The title in the reader's language."""
        return gettext(self.title)

    @property
    def lead(self) -> str:
        """The question that it answers."""
        return gettext(self.question)

    @property
    def takeaway(self) -> str:
        """The one sentence to keep."""
        return gettext(self.sentence)

    @property
    def ways(self) -> list[tuple[str, str]]:
        """Names of addresses, and what their links say."""
        return [(name, gettext(words)) for name, words in self.leads]

    def chosen(self, typed: Mapping[str, str]) -> dict[str, int]:
        """The number of the place of each control, by what an address says."""
        return {one.name: one.place(typed.get(one.name, "")) for one in self.controls}

    def at(self, places: Mapping[str, int]) -> Scene:
        """What is seen there."""
        return self.scene({one.name: one.places[places[one.name]] for one in self.controls})

    def moved(self, places: Mapping[str, int]) -> list[dict[str, Any]]:
        """The controls as a page shows them."""
        return [_moved(one, places[one.name]) for one in self.controls]


@dataclass(frozen=True, slots=True)
class Chapter:
    """Lessons that belong together."""

    title: str
    lessons: tuple[Lesson, ...]

    @property
    def name(self) -> str:
        """The title in the reader's language."""
        return gettext(self.title)


def _written(place: str) -> str:
    """A whole number with its thousands apart, anything else as it is."""
    return number_format(place, force_grouping=True) if place.isdigit() else place


def _moved(control: Control, place: int) -> dict[str, Any]:
    shown = control.shown
    return {
        "name": control.name,
        "label": gettext(control.label),
        "slides": control.slides,
        "shown": shown,
        "place": place,
        "last": len(shown) - 1,
        "now": shown[place],
        "again": gettext(control.again) if control.again else "",
        "next": (place + 1) % len(shown),
    }
