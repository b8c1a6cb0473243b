"""Questions as a picture: how many and how much by day, by dataset, and what was refused.

Sums of the very questions that the list beside it may show; grouped by the public state, never by
how far a worker is. One statement for questions and one for refusals, whatever the range.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date
from typing import Any, NamedTuple
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import Count, Q, QuerySet, Sum
from django.db.models.functions import TruncDate, TruncMonth, TruncWeek
from django.utils.translation import gettext as _

from dpgov.dashboards.history.table import STATE_WORDS
from dpgov.privacy.accounting.loss import Mode
from dpgov.queries.kinds import kind_in_words
from dpgov.queries.models import Query, Refusal
from dpgov.queries.selectors import PublicState

COLOURS = {
    "state": "state",
    "dataset": "dataset_id",
    "analyst": "analyst_id",
    "statistic": "kind",
}
_MOST = 7
_COMMITTED = (*Query.HOLDING, *Query.CHARGED)
_TRUNC: dict[str, Any] = {"day": TruncDate, "week": TruncWeek, "month": TruncMonth}


class Cell(NamedTuple):
    """Questions of one day (week, month), one dataset and one colour; ε of pure budgets alone."""

    day: date
    dataset: UUID
    name: str
    key: str
    word: str
    number: int
    nano: int


@dataclass(frozen=True, slots=True)
class Band:
    """One colour: what it is called, where all of it leads, and its sums by day."""

    word: str
    query: str
    number: Counter[date]
    nano: Counter[date]


def cells_of(queries: QuerySet[Query], period: str, colour: str) -> list[Cell]:
    """The sums, oldest first."""
    committed = Q(state__in=_COMMITTED, dataset__budget__mode=Mode.PURE.value)
    names = ("analyst__name", "analyst__email") if colour == "analyst" else ()
    by = _TRUNC[period]("submitted_at", tzinfo=UTC)
    rows = queries.order_by().values_list(
        by, "dataset_id", "dataset__name", COLOURS[colour], *names
    )
    counted = rows.annotate(number=Count("pk"), nano=Sum("cost_nano", filter=committed, default=0))
    # Said once, and not once a cell: a busy year has thousands of cells and a handful of words.
    sums = list(counted)
    words = {row[3]: _coloured(colour, row) for row in sums}
    found = [_cell(row, *words[row[3]]) for row in sums]
    return sorted(found, key=lambda cell: cell.day)


def _coloured(colour: str, row: Sequence[Any]) -> tuple[str, str]:
    """What is stored of a row's colour as filters name it, and what it is called."""
    _at, _dataset, name, key, *names, _number, _nano = row
    if colour == "state":
        key = key if key in Query.ENDED else PublicState.WAITING
        return str(key), str(STATE_WORDS[PublicState(key)])
    if colour == "statistic":
        return str(key), kind_in_words(key)
    return str(key), str(name if colour == "dataset" else names[0] or names[1])


def _cell(row: Sequence[Any], key: str, word: str) -> Cell:
    at, dataset, name, *_names, number, nano = row
    day = at.date() if hasattr(at, "date") else at
    return Cell(day, dataset, name, key, word, int(number), int(nano))


def bands_of(cells: Sequence[Cell], colour: str) -> list[Band]:
    """A band for each colour, the busiest first; beyond the first few they are one."""
    totals: Counter[tuple[str, str]] = Counter()
    for cell in cells:
        totals[cell.key, cell.word] += cell.number
    shown = [key for key, _number in totals.most_common()][:_MOST]
    rest = len(totals) - len(shown)
    bands = {key: Band(key[1], _query(colour, key[0]), Counter(), Counter()) for key in shown}
    other = Band(_("%(number)s others") % {"number": rest}, "", Counter(), Counter())
    for cell in cells:
        band = bands.get((cell.key, cell.word), other)
        band.number[cell.day] += cell.number
        band.nano[cell.day] += cell.nano
    return [*bands.values(), *([other] if rest else [])]


def _query(colour: str, key: str) -> str:
    """A kind is several statistics at times, which no filter names."""
    return "" if colour == "statistic" else urlencode({colour: key})


@dataclass(frozen=True, slots=True)
class Map:
    """Datasets by days, the busiest dataset first: numbers of questions, and what was committed."""

    datasets: list[tuple[UUID, str]]
    days: list[date]
    number: Counter[tuple[UUID, date]]
    nano: Counter[UUID]


def map_of(cells: Sequence[Cell], most: int = 12) -> Map:
    """The busiest datasets."""
    totals: Counter[tuple[UUID, str]] = Counter()
    number: Counter[tuple[UUID, date]] = Counter()
    nano: Counter[UUID] = Counter()
    for cell in cells:
        totals[cell.dataset, cell.name] += cell.number
        number[cell.dataset, cell.day] += cell.number
        nano[cell.dataset] += cell.nano
    shown = [key for key, _number in totals.most_common(most)]
    return Map(shown, sorted({cell.day for cell in cells}), number, nano)


def refusals_of(refused: QuerySet[Refusal]) -> dict[str, Counter[date]]:
    """How many by reason and day."""
    found: defaultdict[str, Counter[date]] = defaultdict(Counter)
    for day, reason, number in (
        refused.order_by("day").values_list("day", "reason").annotate(sum=Sum("number"))
    ):
        found[str(Refusal.Reason(reason).label)][day] += int(number)
    return dict(found)
