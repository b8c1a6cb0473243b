"""An arrangement of an answer's groups, and how an address says it.

It is made of released numbers alone, so it costs nothing and belongs to no question: two readers
of one answer may arrange it differently, and equal questions stay equal whatever order was wanted.
An address says `sort=-1,g2&first=10&having=1>=100&ratio=1/2`: statistics and groupings are counted
from 1 in the order of the question, ratios (`r1`) in that of the address; `-` puts the largest
first.
"""

import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum
from typing import Any, Protocol
from urllib.parse import urlencode

from django.utils.translation import gettext as _

from dpgov.privacy.answer.body import is_alike

MOST_PARTS = 20
MOST_GROUPS = 1_000_000
COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "=": operator.eq,
    "!=": operator.ne,
}
_KEY = re.compile(r"(-?)([gr]?)([1-9][0-9]{0,3})")
MOST_DECIMALS = 9
_NUMBER = re.compile(rf"-?[0-9]{{1,18}}(?:\.[0-9]{{1,{MOST_DECIMALS}}})?")
_CONDITION = re.compile(rf"([gr]?)([1-9][0-9]{{0,3}})({'|'.join(COMPARISONS)})({_NUMBER.pattern})")
_RATIO = re.compile(r"([1-9][0-9]{0,3})/([1-9][0-9]{0,3})")


class InvalidArrangement(ValueError):
    """The address asks for an arrangement that this answer does not have."""


class KeyKind(StrEnum):
    """What a key counts: statistics, groupings or ratios."""

    STATISTIC = ""
    GROUPING = "g"
    RATIO = "r"


@dataclass(frozen=True, slots=True)
class ColumnKey:
    """One column of the arranged table, counted from 1."""

    part: KeyKind
    place: int

    def __str__(self) -> str:
        return f"{self.part.value}{self.place}"


@dataclass(frozen=True, slots=True)
class Order:
    """One column to sort by."""

    key: ColumnKey
    descending: bool = False

    def __str__(self) -> str:
        return f"{'-' if self.descending else ''}{self.key}"


@dataclass(frozen=True, slots=True)
class GroupCondition:
    """Groups are shown whose number compares so; `number` is a plain decimal."""

    key: ColumnKey
    op: str
    number: Decimal

    def __str__(self) -> str:
        return f"{self.key}{self.op}{self.number:f}"


@dataclass(frozen=True, slots=True)
class Arrangement:
    """What a reader wants to see; nothing of it is the answer as it was released."""

    sort: tuple[Order, ...] = ()
    first: int | None = None
    having: tuple[GroupCondition, ...] = ()
    ratios: tuple[tuple[int, int], ...] = ()

    def __bool__(self) -> bool:
        return self != NONE

    def as_query(self) -> str:
        """The address's own words for it, without the question mark."""
        parts = [("sort", ",".join(map(str, self.sort)))] if self.sort else []
        if self.first is not None:
            parts.append(("first", str(self.first)))
        parts += [("having", str(condition)) for condition in self.having]
        parts += [("ratio", f"{above}/{below}") for above, below in self.ratios]
        return in_address(parts)


def in_address(parts: Iterable[tuple[str, str]]) -> str:
    """Names and what they say, as an address has them; its signs stay readable."""
    return urlencode(list(parts), safe=",/<>=!")


NONE = Arrangement()


def is_sayable(number: Decimal) -> bool:
    """Whether an address can say it after a comparison: 18 digits and nine decimals at most."""
    return _NUMBER.fullmatch(f"{number:f}") is not None


class Given(Protocol):
    """What an address or a form says; the same name may stand there several times."""

    def getlist(self, key: str) -> Sequence[str]:
        """All values of a name."""


def arrangement_of(body: dict[str, Any], given: Given) -> Arrangement:
    """What an address says of this release. Raises InvalidArrangement."""
    heads = body["statistics"]
    wanted = read_arrangement(given, statistics=len(heads), groupings=len(body["groups"]))
    for above, below in wanted.ratios:
        if not (can_be_divided(heads[above - 1]) and can_be_divided(heads[below - 1])):
            raise unknown_wish("ratio", f"{above}/{below}")
    return wanted


def can_be_divided(head: dict[str, Any]) -> bool:
    """Whether a statistic may stand in a ratio, whose interval is stated without a condition.

    A coefficient may not: its error may hold under one alone, or be unknown.
    """
    first: dict[str, Any] = next(iter(head["cells"]), {})
    told = any("provided" in stated for stated in first.get("accuracy") or ())
    return "predictors" not in head and not told


def cut_to(body: dict[str, Any], wanted: Arrangement, most: int) -> Arrangement:
    """The same, with at most so many groups of an answer that has more than anybody is shown.

    The largest first, where no order was wanted. Raises InvalidArrangement for ratios of it, which
    would take as long as its file.
    """
    if not is_alike(body):
        return wanted
    if wanted.ratios:
        raise InvalidArrangement(_("An answer of so many groups has no ratios here."))
    largest = Order(ColumnKey(KeyKind.STATISTIC, 1), descending=True)
    return replace(wanted, sort=wanted.sort or (largest,), first=min(wanted.first or most, most))


def read_arrangement(given: Given, *, statistics: int, groupings: int) -> Arrangement:
    """What an address says of an answer of so many columns. Raises InvalidArrangement."""
    read = _Reader(statistics, groupings)
    ratios = tuple(map(read.ratio, _texts(given, "ratio")))
    read.ratios = len(ratios)
    sort = [text for line in _texts(given, "sort") for text in line.split(",") if text.strip()]
    first = [read.first(text) for text in _texts(given, "first")]
    return Arrangement(
        tuple(map(read.order, sort)),
        min(first, default=None),
        tuple(map(read.condition, _texts(given, "having"))),
        ratios,
    )


def _texts(given: Given, name: str) -> list[str]:
    texts = [text.strip() for text in given.getlist(name) if text.strip()]
    if len(texts) > MOST_PARTS:
        raise InvalidArrangement(_("That is more than an address may say at once."))
    return texts


@dataclass
class _Reader:
    statistics: int
    groupings: int
    ratios: int = 0

    def order(self, text: str) -> Order:
        found = _KEY.fullmatch(text.strip())
        if found is None:
            raise unknown_wish("sort", text)
        return Order(self._key("sort", text, found[2], found[3]), bool(found[1]))

    def condition(self, text: str) -> GroupCondition:
        found = _CONDITION.fullmatch(text.replace(" ", ""))
        if found is None or found[1] == KeyKind.GROUPING:
            raise unknown_wish("having", text)
        return GroupCondition(
            self._key("having", text, found[1], found[2]), found[3], Decimal(found[4])
        )

    def ratio(self, text: str) -> tuple[int, int]:
        found = _RATIO.fullmatch(text.replace(" ", ""))
        if found is None:
            raise unknown_wish("ratio", text)
        above, below = (self._key("ratio", text, "", place).place for place in found.groups())
        if above == below:
            raise InvalidArrangement(_("A ratio is of two different statistics."))
        return above, below

    def first(self, text: str) -> int:
        if not (text.isascii() and text.isdigit() and 0 < int(text[:9]) <= MOST_GROUPS):
            raise unknown_wish("first", text)
        return int(text[:9])

    def _key(self, name: str, text: str, part: str, place: str) -> ColumnKey:
        most = {"": self.statistics, "g": self.groupings, "r": self.ratios}[part]
        if int(place) > most:
            raise unknown_wish(name, text)
        return ColumnKey(KeyKind(part), int(place))


def unknown_wish(name: str, text: str) -> InvalidArrangement:
    """The refusal of what an address or a form says under a name."""
    pattern = _("This answer cannot be arranged by {name}={text}.")
    return InvalidArrangement(pattern.format(name=name, text=text[:60]))
