"""What is asked, as a value with one JSON form, used by forms, API, engine, audit and history."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from dpgov.privacy.budget import as_number

NUMERIC_OPERATORS = ("=", "!=", "<", "<=", ">", ">=", "between", "in")
CATEGORY_OPERATORS = ("=", "!=", "in")
MISSING_OPERATORS = ("is_missing", "is_present")


class StatisticKind(StrEnum):
    """The statistics that can be asked. A histogram is a count with a grouping."""

    COUNT = "count"
    SUM = "sum"
    MEAN = "mean"


@dataclass(frozen=True, slots=True)
class PlanProblem:
    """One refusal: the path of the offending key ("where.0.column") and what to do about it."""

    path: str
    message: str


class InvalidPlan(ValueError):
    """The plan asks for something that is not there or not allowed; every problem is named."""

    def __init__(self, problems: tuple[PlanProblem, ...]) -> None:
        super().__init__("; ".join(f"{p.path}: {p.message}" for p in problems))
        self.problems = problems


@dataclass(frozen=True, slots=True)
class Statistic:
    """A statistic of a column; a count needs none."""

    kind: StatisticKind
    column: str | None = None

    def as_json(self) -> dict[str, Any]:
        """The plan's form of it."""
        body: dict[str, Any] = {"statistic": self.kind.value}
        return body | ({"column": self.column} if self.column is not None else {})


@dataclass(frozen=True, slots=True)
class Condition:
    """A filter. `values` are exact decimal texts or categories; one, two (between) or many (in)."""

    column: str
    op: str
    values: tuple[str, ...] = ()
    numeric: bool = False

    def as_json(self) -> dict[str, Any]:
        """The plan's form: `value` is one value, or a list for `in` and `between`, or left out."""
        body: dict[str, Any] = {"column": self.column, "op": self.op}
        if self.op in MISSING_OPERATORS:
            return body
        values = [_json_number(v) if self.numeric else v for v in self.values]
        return body | {"value": values if self.op in ("in", "between") else values[0]}


@dataclass(frozen=True, slots=True)
class Grouping:
    """Bins by numeric edges ([e0,e1), ... [e(n-1), en]) or by declared categories, in order."""

    column: str
    edges: tuple[str, ...] | None = None
    categories: tuple[str, ...] | None = None

    def as_json(self) -> dict[str, Any]:
        """The plan's form; all categories are written out."""
        if self.edges is not None:
            return {"column": self.column, "edges": [_json_number(e) for e in self.edges]}
        return {"column": self.column, "categories": list(self.categories or ())}


@dataclass(frozen=True, slots=True)
class Plan:
    """A question: ε is the total for all its statistics, in nano-ε."""

    dataset: str
    statistics: tuple[Statistic, ...]
    where: tuple[Condition, ...]
    group_by: tuple[Grouping, ...]
    epsilon_nano: int

    def as_json(self) -> dict[str, Any]:
        """The one JSON form; parsing it again gives an equal plan."""
        return {
            "dataset": self.dataset,
            "statistics": [s.as_json() for s in self.statistics],
            "where": [c.as_json() for c in self.where],
            "group_by": [g.as_json() for g in self.group_by],
            "epsilon": as_number(self.epsilon_nano),
        }


def _json_number(text: str) -> int | float:
    return int(text) if text.lstrip("-").isdigit() else float(text)
