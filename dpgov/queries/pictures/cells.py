"""Questions as sums: how many and how much by day, dataset and colour.

Sums of the very questions that the list beside a picture may show; grouped by the public state,
never by how far a worker is. One statement, whatever the range.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from operator import itemgetter
from typing import Any, NamedTuple
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import Case, Count, F, Min, QuerySet, Sum, When
from django.db.models.functions import TruncDate, TruncMonth, TruncWeek

from dpgov.language.translation import others
from dpgov.queries.kinds import is_kind, kind_in_words
from dpgov.queries.models import Query
from dpgov.queries.selectors import STATE_WORDS, PublicState, committed_in_epsilon

COLOURS = {
    "state": "state",
    "dataset": "dataset_id",
    "analyst": "analyst_id",
    "statistic": "kind",
}
_MOST = 7
MOST_DATASETS = 12
_TRUNC: dict[str, Any] = {"day": TruncDate, "week": TruncWeek, "month": TruncMonth}


class DayCount(NamedTuple):
    """Questions of one day (week, month), one dataset and one colour; ε of pure budgets alone.

    `dataset` is None, and `name` of no meaning, for those of all but the busiest datasets.
    """

    day: date
    dataset: UUID | None
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


def cells_of(queries: QuerySet[Query], period: str, colour: str) -> list[DayCount]:
    """The sums, oldest first."""
    pure = Sum("cost_nano", filter=committed_in_epsilon(), default=0)
    names = ("analyst__name", "analyst__email") if colour == "analyst" else ()
    by = _TRUNC[period]("submitted_at", tzinfo=UTC)
    of = F("dataset_id") if colour == "dataset" else busiest(queries)
    rows = queries.order_by().values_list(by, of, COLOURS[colour], *names)
    counted = rows.annotate(name=Min("dataset__name"), number=Count("pk"), nano=pure)
    # Said once, and not once a cell: a busy year has thousands of cells and a handful of words.
    sums = list(counted)
    words = {key: _coloured(colour, row) for key, row in {row[2]: row for row in sums}.items()}
    days = {at: at.date() if isinstance(at, datetime) else at for at in {row[0] for row in sums}}
    found = [
        DayCount(days[row[0]], row[1], row[-3], *words[row[2]], row[-2], row[-1]) for row in sums
    ]
    return sorted(found, key=itemgetter(0))


def busiest(queries: QuerySet[Query]) -> Case:
    """Each question's dataset; None for all but those that are drawn one by one.

    So of hundreds of datasets a dozen rows come for each day and colour.
    """
    number = queries.order_by().values("dataset_id").annotate(number=Count("pk"))
    ordered = number.order_by("-number", "dataset_id").values("dataset_id")
    return Case(When(dataset__in=ordered[:MOST_DATASETS], then=F("dataset_id")))


def _coloured(colour: str, row: Sequence[Any]) -> tuple[str, str]:
    """What is stored of a row's colour as filters name it, and what it is called."""
    _at, _dataset, key, *names, name, _number, _nano = row
    return said(colour, key, name if colour == "dataset" else next(filter(None, names), ""))


def said(colour: str, key: Any, name: str = "") -> tuple[str, str]:
    """What is stored of a colour as filters name it, and in words; `name` is that of a row."""
    if colour == "state":
        key = key if key in Query.ENDED else PublicState.WAITING
        return str(key), str(STATE_WORDS[PublicState(key)])
    return str(key), kind_in_words(key) if colour == "statistic" else name


def bands_of(cells: Sequence[DayCount], colour: str) -> list[Band]:
    """A band for each colour, the busiest first; beyond the first few they are one."""
    found: defaultdict[tuple[str, str], list[DayCount]] = defaultdict(list)
    for cell in cells:
        found[cell.key, cell.word].append(cell)
    totals = {key: sum(cell.number for cell in own) for key, own in found.items()}
    ordered = sorted(totals, key=lambda key: (-totals[key], key[1]))
    shown, rest = ordered[:_MOST], ordered[_MOST:]
    bands = [_band(key[1], _query(colour, key[0]), found[key]) for key in shown]
    if rest:
        bands.append(_band(others(len(rest)), "", [cell for key in rest for cell in found[key]]))
    return bands


def _band(word: str, query: str, cells: Sequence[DayCount]) -> Band:
    band = Band(word, query, Counter(), Counter())
    for cell in cells:
        band.number[cell.day] += cell.number
        band.nano[cell.day] += cell.nano
    return band


def _query(colour: str, key: str) -> str:
    """Nothing for a kind that is no code, which no filter knows."""
    return "" if colour == "statistic" and not is_kind(key) else urlencode({colour: key})


@dataclass(frozen=True, slots=True)
class Map:
    """Datasets by days, the busiest dataset first: numbers of questions, and what was committed."""

    datasets: list[tuple[UUID, str]]
    days: list[date]
    number: dict[UUID, Counter[date]]
    nano: dict[UUID, int]


def map_of(cells: Sequence[DayCount]) -> Map:
    """The busiest datasets."""
    found: defaultdict[UUID, list[DayCount]] = defaultdict(list)
    for cell in cells:
        if cell.dataset is not None:
            found[cell.dataset].append(cell)
    totals = {key: sum(cell.number for cell in own) for key, own in found.items()}
    shown = sorted(totals, key=lambda key: -totals[key])[:MOST_DATASETS]
    bands = {key: _band(found[key][0].name, "", found[key]) for key in shown}
    return Map(
        datasets=[(key, band.word) for key, band in bands.items()],
        days=sorted({cell.day for cell in cells}),
        number={key: band.number for key, band in bands.items()},
        nano={key: band.nano.total() for key, band in bands.items()},
    )
