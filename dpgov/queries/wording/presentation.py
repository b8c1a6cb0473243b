"""A release as a person reads it: numbers, intervals, tables, the guarantee in plain words.

Works from the stored body of a release alone, so that page, CSV and JSON hold the same numbers.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR
from itertools import groupby, product
from math import prod
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dpgov.language.translation import percent
from dpgov.privacy.plan.levels import USUAL_STATED
from dpgov.privacy.plan.ranges import clipped
from dpgov.privacy.plan.statistics import StatisticKind
from dpgov.queries.models import Query
from dpgov.queries.selectors import PublicState, ended_after_restore, public_state
from dpgov.queries.wording.bins import shown_bins, shown_number, within, written
from dpgov.queries.wording.dates import moved_by
from dpgov.queries.wording.drawings import Drawing, drawings_of, sharing_in_words, shown
from dpgov.queries.wording.findings import AnswerFinding, findings
from dpgov.queries.wording.guarantee import guarantee_in_words
from dpgov.queries.wording.margins import (
    aim_in_words,
    left_out_in_words,
    margin,
    not_counted_in_words,
)
from dpgov.queries.wording.numbers import (
    LEVELS,
    NOTHING,
    accuracy_at,
    rank_error_at,
    readable,
    rows_in_words,
)
from dpgov.queries.wording.useful import empty_in_words, too_noisy
from dpgov.queries.wording.words import statistic_in_words

# One wording for each ending, whatever went wrong: the text must not depend on the data.
ENDINGS = {
    PublicState.FAILED: gettext_lazy(
        "This question could not be answered. Its price was charged, because the data had been "
        "opened."
    ),
    PublicState.VOIDED: gettext_lazy("This question was not run. Nothing was charged."),
    PublicState.EXPIRED: gettext_lazy("This question was not run. Nothing was charged."),
}
_RESTORED = gettext_lazy(
    "This question waited when the installation was restored from a backup, and may have been "
    "answered in what the backup does not have. So it was ended, and its price was charged."
)
_PLAN_KEYS = [
    *("dataset", "statistics", "where", "group_by", "per_unit", "adaptive", "epsilon", "rho"),
    *("rounds", "tables"),
    *("and", "or", "not", "statistic", "column", "predictors", "quantiles", "share", "clip"),
    *("from", "to", "op", "value", "edges", "categories", "by", "groups", "rows_per_group"),
]
_LEVEL = 95


def ending_of(query: Query) -> str:
    """How it ended without an answer; nothing for one that waits or was answered."""
    if ended_after_restore(query):
        return str(_RESTORED)
    return str(ENDINGS.get(public_state(query), ""))


@dataclass(frozen=True, slots=True)
class Cell:
    """One released number and its error bounds at 90, 95 and 99%, as text.

    `within` is the one at 95% as it follows the number: " ± 12.5", ", within 75 rows".
    `adjusted` is the same number made plausible beside its neighbours, where that was done;
    `noisy`: it would only hide the other groups.
    """

    value: str
    errors: tuple[str, ...]
    interval: str
    within: str = ""
    adjusted: str = ""
    noisy: bool = False

    @property
    def beside(self) -> str:
        """The same error on a line of its own."""
        return self.within.lstrip(", ") or NOTHING


@dataclass(frozen=True, slots=True)
class StatisticAnswer:
    """One statistic of the answer and its cells in order.

    `aim` is a sentence on what was looked for, where that is not plain; `adjusted` says how the
    second number of each cell was made, and `left_out` which rows its errors do not count.
    """

    label: str
    kind: str
    column: str
    aim: str
    cells: list[Cell]
    drawing: Drawing | None = None
    adjusted: str = ""
    warning: str = ""
    left_out: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """A release: group columns, row labels (one a cell), statistics, draws.

    Of `groups` in all it has those at `places`, in this order; all of them where that is None.
    `findings` say for each statistic of groups how the clearest two of them differ.
    """

    groups: int
    places: Sequence[int] | None
    columns: list[str]
    labels: list[tuple[str, ...]]
    statistics: list[StatisticAnswer]
    drawings: list[Drawing]
    sharing: list[str]
    guarantee: list[str]
    findings: list[AnswerFinding]

    @property
    def left_out(self) -> int:
        """How many groups it does not have because nobody is shown so many."""
        return 0 if self.places is None else self.groups - len(self.places)

    @property
    def grouped(self) -> bool:
        """Whether there is a table of groups rather than single numbers."""
        return bool(self.columns)

    @property
    def rows(self) -> list[tuple[tuple[str, ...], list[Cell]]]:
        """The table: group labels and one cell for each statistic."""
        return [
            (label, [s.cells[place] for s in self.statistics])
            for place, label in enumerate(self.labels)
        ]

    @property
    def singles(self) -> list[StatisticAnswer]:
        """The statistics that are shown one by one."""
        return [s for s in self.statistics if not _is_listed(StatisticKind(s.kind))]

    @property
    def lists(self) -> list[list[StatisticAnswer]]:
        """Quantiles, which are shown as one table for each column."""
        many = [s for s in self.statistics if s.kind == StatisticKind.QUANTILES]
        return [list(of_one) for _, of_one in groupby(many, key=lambda s: s.column)]

    @property
    def aims(self) -> list[str]:
        """What was looked for, and what errors do not count where no interval says so."""
        alone = () if self.grouped else self.singles
        told = [s.aim for s in self.statistics]
        told += [s.left_out for s in self.statistics if s not in alone]
        return list(dict.fromkeys(filter(None, told)))


def _is_listed(kind: StatisticKind) -> bool:
    """Whether its columns are shown together, as one table."""
    return kind is StatisticKind.QUANTILES or kind.facts.takes_predictors


def read_answer(body: dict[str, Any], places: Sequence[int] | None = None) -> Answer:
    """The page's view of a release body, or of the cells at some places of it alone."""
    drawings, bins = drawings_of(body), shown_bins(body)
    return Answer(
        groups=prod(map(len, bins)),
        places=places,
        columns=[group["column"] for group in body["groups"]],
        labels=list(product(*bins)) if places is None else labels_at(bins, places),
        statistics=[_statistic(s, drawings, places) for s in body["statistics"]],
        drawings=drawings,
        sharing=sharing_in_words(drawings),
        guarantee=guarantee_in_words(body["guarantee"]),
        findings=findings(body) if body["groups"] else [],
    )


def ordered(plan: Any) -> Any:
    """A stored plan with its keys in the order of its JSON form; PostgreSQL keeps its own."""
    if isinstance(plan, dict):
        return {key: ordered(plan[key]) for key in sorted(plan, key=_place)}
    return [ordered(item) for item in plan] if isinstance(plan, list) else plan


def _place(key: str) -> tuple[int, str]:
    return (_PLAN_KEYS.index(key) if key in _PLAN_KEYS else len(_PLAN_KEYS)), key


def cell_labels(body: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    """The group of each cell, row-major: the first grouping changes slowest."""
    return product(*named_bins(body))


def named_bins(body: dict[str, Any]) -> list[list[str]]:
    """The names of the bins of each grouping, as released."""
    return [[str(name) for name in group["bins"]] for group in body["groups"]]


def labels_at(bins: Sequence[Sequence[str]], places: Iterable[int]) -> list[tuple[str, ...]]:
    """The groups of these cells alone."""
    found = []
    for place in places:
        label: list[str] = []
        for names in reversed(bins):
            place, at = divmod(place, len(names))
            label.append(names[at])
        found.append(tuple(reversed(label)))
    return found


def adjusted_values(statistic: dict[str, Any]) -> list[int | None]:
    """The adjusted number of each cell of a column, or None for each where none was made."""
    made = statistic.get("adjusted")
    values: list[int | None] = made["values"] if made else [None] * len(statistic["cells"])
    return values


def _statistic(
    statistic: dict[str, Any], drawings: list[Drawing], places: Sequence[int] | None
) -> StatisticAnswer:
    columns: list[Sequence[Any]] = [statistic["cells"], adjusted_values(statistic)]
    columns.append(too_noisy(statistic))
    if places is not None:
        columns = [[column[place] for place in places] for column in columns]
    return StatisticAnswer(
        label=statistic_in_words(statistic),
        kind=statistic["statistic"],
        column=statistic.get("column") or "",
        aim=aim_in_words(statistic),
        cells=[
            _cell(cell, adjusted, statistic, noisy=noisy)
            for cell, adjusted, noisy in zip(*columns, strict=True)
        ],
        drawing=drawings[statistic["draw"]] if "draw" in statistic else None,
        adjusted=shown(statistic.get("adjusted", {}).get("method", "")),
        warning=empty_in_words(statistic),
        left_out=not_counted_in_words(statistic["cells"][0]["accuracy"], statistic),
    )


def _cell(
    cell: dict[str, Any], plausible: int | None, head: dict[str, Any], *, noisy: bool
) -> Cell:
    value, accuracy = cell["value"], cell["accuracy"]
    if value is None:
        return Cell(NOTHING, (NOTHING,) * len(LEVELS), _("The true number may be anything."))
    texts = tuple(margin(accuracy, level, head, moved_by(cell)) for level in LEVELS)
    return Cell(
        shown_number(cell, head),
        texts,
        _interval(value, accuracy, head),
        within(cell, head),
        "" if plausible is None else readable(plausible),
        noisy,
    )


def _interval(value: float, accuracy: list[dict[str, Any]], head: dict[str, Any]) -> str:
    usual = USUAL_STATED
    error, rows = accuracy_at(accuracy, usual), rank_error_at(accuracy, usual)
    if rows is not None:
        pattern = _(
            "At most {rows} lie between this value and the true one, with {level} confidence."
        )
        left_out = left_out_in_words(accuracy, head)
        if left_out:
            pattern = _(
                "At most {rows} lie between this value and the true one, with {level} confidence, "
                "not counting {left_out}."
            )
        return pattern.format(rows=rows_in_words(rows), level=percent(_LEVEL), left_out=left_out)
    if error is None:
        return _("The true number may be anything.")
    ends = zip(clipped(value, error, head), (ROUND_FLOOR, ROUND_CEILING), strict=True)
    low, high = (written(end, error, head, rounding) for end, rounding in ends)
    pattern = _("The true number lies between {low} and {high} with {level} confidence.")
    return pattern.format(low=low, high=high, level=percent(_LEVEL))
