"""The table of an arranged answer in words: what a page shows, and the names of its columns."""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dpgov.language.translation import percent
from dpgov.queries.arranging.arrange import CONFIDENCE_OF_RATIOS, Arranged, Ratio, arrange
from dpgov.queries.arranging.arrangement import Arrangement, ColumnKey, KeyKind, Order
from dpgov.queries.wording.numbers import NOTHING, outwards, readable
from dpgov.queries.wording.presentation import Answer, Cell
from dpgov.queries.wording.words import joined, statistic_in_words

_OPS = {">=": "≥", "<=": "≤", "!=": "≠"}


@dataclass(frozen=True, slots=True)
class ShownRatio:
    """One ratio as text, between which ends the true one lies, and the same as a sentence."""

    label: str
    value: str
    ends: str
    interval: str


@dataclass(frozen=True, slots=True)
class GroupRow:
    """One group: its names, a cell for each statistic, and its ratios."""

    labels: tuple[str, ...]
    cells: list[Cell]
    ratios: list[ShownRatio]


@dataclass(frozen=True, slots=True)
class ArrangedTable:
    """Rows in the wanted order; `said` is the arrangement in words, empty where there is none."""

    rows: list[GroupRow]
    ratio_labels: list[str]
    level: str
    said: list[str]


def arranged_table(
    body: dict[str, Any], answer: Answer, wanted: Arrangement, found: Arranged | None = None
) -> ArrangedTable:
    """The table of a release as its reader wants it; `found` where it was arranged before."""
    found = arrange(body, wanted) if found is None else found
    at = found.places if answer.places is None else range(len(found.places))
    names = names_of(body, wanted)
    labels = [names[ColumnKey(KeyKind.RATIO, place)] for place in range(1, len(wanted.ratios) + 1)]
    rows = [
        GroupRow(
            answer.labels[row],
            [statistic.cells[row] for statistic in answer.statistics],
            [
                _shown(label, column[place])
                for label, column in zip(labels, found.ratios, strict=True)
            ],
        )
        for row, place in zip(at, found.places, strict=True)
    ]
    said = _said(wanted, names, found.left_out)
    if answer.left_out:
        pattern = _("This answer has {groups} groups, more than a page holds: its files have all.")
        said.insert(0, pattern.format(groups=readable(answer.groups)))
    return ArrangedTable(rows, labels, percent(CONFIDENCE_OF_RATIOS), said)


def names_of(body: dict[str, Any], wanted: Arrangement) -> dict[ColumnKey, str]:
    """What each column is called that a table of this answer can be arranged by."""
    statistics = [statistic_in_words(one) for one in body["statistics"]]
    names = {ColumnKey(KeyKind.STATISTIC, n): text for n, text in enumerate(statistics, 1)}
    for n, group in enumerate(body["groups"], 1):
        names[ColumnKey(KeyKind.GROUPING, n)] = group["column"]
    for n, (above, below) in enumerate(wanted.ratios, 1):
        pattern = _("{above} divided by {below}")
        label = pattern.format(above=statistics[above - 1], below=statistics[below - 1])
        names[ColumnKey(KeyKind.RATIO, n)] = label
    return names


def _shown(label: str, ratio: Ratio) -> ShownRatio:
    if ratio.value is None:
        return ShownRatio(label, NOTHING, NOTHING, _("The true ratio may be anything."))
    if ratio.low is None or ratio.high is None:
        return ShownRatio(
            label, readable(ratio.value), NOTHING, _("The true ratio may be anything.")
        )
    error = (ratio.high - ratio.low) / 2
    low, high = outwards(ratio.low, ratio.high, error)
    pattern = _("The true ratio lies between {low} and {high} with at least {level} confidence.")
    words = pattern.format(low=low, high=high, level=percent(CONFIDENCE_OF_RATIOS))
    ends = _("{low} to {high}").format(low=low, high=high)
    return ShownRatio(label, readable(ratio.value, error), ends, words)


def _said(wanted: Arrangement, names: dict[ColumnKey, str], left_out: int) -> list[str]:
    said = []
    if wanted.sort:
        orders = joined([order_in_words(order, names) for order in wanted.sort])
        said.append(_("Sorted by {orders}.").format(orders=orders))
    if wanted.having:
        conditions = joined(
            [
                f"{names[one.key]} {_OPS.get(one.op, one.op)} {readable(float(one.number))}"
                for one in wanted.having
            ]
        )
        said.append(_("Only groups with {conditions}.").format(conditions=conditions))
    if left_out:
        pattern = ngettext(
            "{number} group is not shown.", "{number} groups are not shown.", left_out
        )
        said.append(pattern.format(number=readable(left_out)))
    if wanted.having or wanted.sort:
        said.append(_("Released numbers decide, so which groups come first or stay may be noise."))
    return said


def order_in_words(order: Order, names: dict[ColumnKey, str]) -> str:
    """By what is sorted, and which way: "Sum of age, largest first"."""
    name = names[order.key]
    if order.key.part is KeyKind.GROUPING:
        pattern = _("{name}, last first") if order.descending else _("{name}, as declared")
    else:
        pattern = _("{name}, largest first") if order.descending else _("{name}, smallest first")
    return pattern.format(name=name)
