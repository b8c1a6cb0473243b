"""A release as a person reads it: numbers, intervals, tables, the guarantee in plain words.

Works from the stored body of a release alone, so that page, CSV and JSON hold the same numbers.
"""

import math
from dataclasses import dataclass
from itertools import product
from typing import Any

from dpgov.queries.selectors import PublicState
from dpgov.queries.words import statistic_in_words

LEVELS = (0.9, 0.95, 0.99)
# One wording for each ending, whatever went wrong: the text must not depend on the data.
ENDINGS = {
    PublicState.FAILED: (
        "This question could not be answered. Its ε was charged, because the data had been opened."
    ),
    PublicState.VOIDED: "This question was not run. Nothing was charged.",
    PublicState.EXPIRED: "This question was not run. Nothing was charged.",
}
_PLAN_KEYS = [
    *("dataset", "statistics", "where", "group_by", "epsilon"),
    *("statistic", "column", "op", "value", "edges", "categories"),
]
_MOST_TELLING_FACTOR = 1_000


@dataclass(frozen=True, slots=True)
class Cell:
    """One released number and its error bounds at 90, 95 and 99 %, as text."""

    value: str
    errors: tuple[str, ...]
    interval: str


@dataclass(frozen=True, slots=True)
class StatisticAnswer:
    """One statistic of the answer: how it was made, and its cells in order."""

    label: str
    epsilon: str
    mechanism: str
    parts: list[dict[str, str]]
    cells: list[Cell]


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole release: group columns, row labels (one a cell) and statistics."""

    columns: list[str]
    labels: list[tuple[str, ...]]
    statistics: list[StatisticAnswer]
    guarantee: list[str]

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


def read_answer(body: dict[str, Any]) -> Answer:
    """The page's view of a release body."""
    return Answer(
        columns=[group["column"] for group in body["groups"]],
        labels=cell_labels(body),
        statistics=[_statistic(s) for s in body["statistics"]],
        guarantee=guarantee_in_words(body["guarantee"]),
    )


def ordered(plan: Any) -> Any:
    """A stored plan with its keys in the order of its JSON form; PostgreSQL keeps its own."""
    if isinstance(plan, dict):
        return {key: ordered(plan[key]) for key in sorted(plan, key=_PLAN_KEYS.index)}
    return [ordered(item) for item in plan] if isinstance(plan, list) else plan


def cell_labels(body: dict[str, Any]) -> list[tuple[str, ...]]:
    """The group of each cell, row-major: the first grouping changes slowest."""
    return list(product(*([str(b) for b in group["bins"]] for group in body["groups"])))


def accuracy_at(accuracy: list[dict[str, Any]], level: float) -> float | None:
    """The error bound at a confidence level, if it is stated."""
    for item in accuracy:
        if item["confidence_level"] == level and item["value"] is not None:
            return float(item["value"])
    return None


def readable(value: float, error: float | None = None) -> str:
    """A number with about as many digits as its error leaves meaningful; thin groups by space."""
    if not math.isfinite(value):
        return "–"
    if float(value).is_integer() and abs(value) < 1e15:
        return f"{int(value):,}".replace(",", "\u202f")
    scale = abs(error) if error else abs(value)
    decimals = min(9, max(0, 2 - math.floor(math.log10(scale)))) if scale > 0 else 2
    text = f"{value:,.{decimals}f}".replace(",", "\u202f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def guarantee_in_words(guarantee: dict[str, Any]) -> list[str]:
    """What the answer reveals at most, in sentences that need no mathematics."""
    epsilon, size = guarantee["epsilon"], guarantee["group_size"]
    whom = "any one row" if size == 1 else f"any {size} rows together"
    change = (
        f"Had {whom} been missing or been added"
        if guarantee["neighbouring"] == "add_remove"
        else f"Had {whom} held other values"
    )
    return [
        f"This answer used ε {readable(epsilon)} of the dataset's budget.",
        f"{change}, every possible answer would have been {_factor(epsilon)}.",
    ]


def _factor(epsilon: float) -> str:
    if epsilon > math.log(_MOST_TELLING_FACTOR):
        return (
            "as likely as now only within a factor above 1000, which is hardly any protection "
            "from this answer alone"
        )
    return f"at most {math.exp(epsilon):.3g} times as likely, or as unlikely, as it is now"


def _statistic(statistic: dict[str, Any]) -> StatisticAnswer:
    return StatisticAnswer(
        label=statistic_in_words(statistic),
        epsilon=readable(statistic["epsilon"]),
        mechanism=statistic["mechanism"],
        parts=[
            {
                "name": part["name"],
                "epsilon": readable(part["epsilon"]),
                "sensitivity": readable(part["sensitivity"]),
                "noise_scale": readable(part["noise_scale"]),
            }
            for part in statistic["parts"]
        ],
        cells=[_cell(cell) for cell in statistic["cells"]],
    )


def _cell(cell: dict[str, Any]) -> Cell:
    value, errors = cell["value"], [accuracy_at(cell["accuracy"], level) for level in LEVELS]
    middle = errors[1]
    if value is None:
        return Cell("–", ("–",) * len(LEVELS), "anywhere")
    texts = tuple("–" if e is None else f"± {readable(e)}" for e in errors)
    interval = (
        "anywhere"
        if middle is None
        else f"between {readable(value - middle, middle)} and {readable(value + middle, middle)}"
    )
    return Cell(readable(value, middle), texts, interval)
