"""What is asked, as a value with one JSON form, used by forms, API, engine, audit and history.

And which parts of a declared partition column a plan can touch (parallel composition): only what
the plan itself says in declared values counts, a positive condition on the column; everything else
touches every part.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from dpgov.privacy.accounting.decimals import as_number
from dpgov.privacy.accounting.loss import Loss, Mode
from dpgov.privacy.plan.formula import Formula
from dpgov.privacy.plan.schema import Neighbouring, PerUnit
from dpgov.privacy.plan.statistics import StatisticKind

Clip = tuple[str, str]
"""What values are clipped to: exact decimal texts, on the column's steps, inside its bounds."""
NUMERIC_OPERATORS = ("=", "!=", "<", "<=", ">", ">=", "between", "in")
CATEGORY_OPERATORS = ("=", "!=", "in")
MISSING_OPERATORS = ("is_missing", "is_present")


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
    """A statistic of a column; counts need none.

    `quantiles` are exact decimal texts between 0 and 1, rising. `share` is the part of the plan's
    ε that is locked for it, an exact decimal text; None leaves it to be shared out. `clip` is
    narrower than the declared bounds; None leaves those. `predictors` are the columns that a
    regression explains its column by, in the order in which they were given.
    """

    kind: StatisticKind
    column: str | None = None
    quantiles: tuple[str, ...] = ()
    share: str | None = None
    clip: Clip | None = None
    predictors: tuple[str, ...] = ()

    @property
    def source(self) -> tuple[str | None, Clip | None]:
        """What it is of: statistics share numbers only where this is the same."""
        return self.column, self.clip

    def as_json(self) -> dict[str, Any]:
        """The plan's form of it."""
        body: dict[str, Any] = {"statistic": self.kind.value}
        if self.column is not None:
            body["column"] = self.column
        if self.quantiles:
            body["quantiles"] = [_json_number(text) for text in self.quantiles]
        if self.predictors:
            body["predictors"] = list(self.predictors)
        body |= clip_as_json(self.clip)
        return body | ({"share": _json_number(self.share)} if self.share is not None else {})


def clip_as_json(clip: Clip | None) -> dict[str, Any]:
    """{"clip": {"from": 20, "to": 60}} in plans and answers; nothing without one."""
    if clip is None:
        return {}
    return {"clip": {"from": _json_number(clip[0]), "to": _json_number(clip[1])}}


@dataclass(frozen=True, slots=True)
class Condition:
    """A filter. `values` are exact decimal texts, dates or categories; `numeric` are the first.

    One, two (between) or many (in).
    """

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


class Connective(StrEnum):
    """How the members of a Compound are put together."""

    AND = "and"
    OR = "or"
    NOT = "not"


@dataclass(frozen=True, slots=True)
class Compound:
    """Filters joined: all of them (and), at least one (or), or the one member not (not).

    A missing value passes no comparison and no negated one, as in SQL.
    """

    joint: Connective
    members: tuple["Filter", ...]

    def as_json(self) -> dict[str, Any]:
        """{"and": [...]}, {"or": [...]} or {"not": {...}}."""
        members = [member.as_json() for member in self.members]
        return {self.joint.value: members[0] if self.joint is Connective.NOT else members}


Filter = Condition | Compound


@dataclass(frozen=True, slots=True)
class Grouping:
    """Bins by edges ([e0,e1), ... [e(n-1), en]) or by declared categories, in order.

    `by` groups dates by a part of the calendar, whose names are in `categories` then. Edges of
    dates are texts in ISO 8601, and not `numeric`.
    """

    column: str
    edges: tuple[str, ...] | None = None
    categories: tuple[str, ...] | None = None
    by: str | None = None
    numeric: bool = True

    def as_json(self) -> dict[str, Any]:
        """The plan's form; all categories are written out."""
        if self.by is not None:
            return {"column": self.column, "by": self.by}
        if self.edges is not None:
            edges = [_json_number(e) if self.numeric else e for e in self.edges]
            return {"column": self.column, "edges": edges}
        return {"column": self.column, "categories": list(self.categories or ())}

    @property
    def bins(self) -> int:
        """How many it has, the one for everything else included."""
        return len(self.categories or ()) + 1 if self.edges is None else len(self.edges)


@dataclass(frozen=True, slots=True)
class Choosing:
    """Tables of some of a plan's groups, of which so many are chosen adaptively, in rounds.

    A table is the places of its groupings in the plan, rising. A table may be chosen again. By
    `mwem` half of the price chooses, by the error alone.
    """

    tables: tuple[tuple[int, ...], ...]
    rounds: int
    mwem: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """A question: ε, in nano-ε, is the total for all its statistics; under zCDP it may be ρ.

    Exactly one of the two amounts is given. Filters all hold at once. With `choosing` it is no
    table of all its groups, but some smaller ones that are chosen while it is answered. `computed`
    are columns of this question alone (`plan.computed.asked`), named as declared ones are.
    """

    dataset: str
    statistics: tuple[Statistic, ...]
    where: tuple[Filter, ...]
    group_by: tuple[Grouping, ...]
    epsilon_nano: int | None
    rho_nano: int | None = None
    per_unit: PerUnit | None = None
    choosing: Choosing | None = None
    computed: tuple[Formula, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The one JSON form; parsing it again gives an equal plan."""
        kept: dict[str, Any] = {}
        if self.computed:
            kept["computed"] = [one.as_asked() for one in self.computed]
        if self.per_unit is not None:
            kept["per_unit"] = self.per_unit.as_json()
        if self.choosing is not None:
            tables = [list(self.columns_of(table)) for table in self.choosing.tables]
            kept["adaptive"] = {"rounds": self.choosing.rounds, "tables": tables}
            if self.choosing.mwem:
                kept["adaptive"]["mwem"] = True
        price = {"epsilon": self.epsilon_nano, "rho": self.rho_nano}
        return {
            "dataset": self.dataset,
            "statistics": [s.as_json() for s in self.statistics],
            "where": [c.as_json() for c in self.where],
            "group_by": [g.as_json() for g in self.group_by],
            **kept,
            **{name: as_number(nano) for name, nano in price.items() if nano is not None},
        }

    def at(self, loss: Loss) -> "Plan":
        """The same for so much of what the dataset counts in."""
        pure = loss.mode is Mode.PURE
        nano = loss.nano
        return replace(self, epsilon_nano=nano if pure else None, rho_nano=None if pure else nano)

    def columns_of(self, table: Iterable[int]) -> tuple[str, ...]:
        """The names of the columns that it groups by at these places."""
        return tuple(self.group_by[place].column for place in table)

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """Every single condition, however deep it stands."""
        return tuple(_conditions(self.where))


def _conditions(filters: Iterable[Filter]) -> Iterator[Condition]:
    for item in filters:
        if isinstance(item, Condition):
            yield item
        else:
            yield from _conditions(item.members)


def _json_number(text: str) -> int | float:
    return int(text) if text.lstrip("-").isdigit() else float(text)


_POSITIVE = ("=", "in")


def parts_touched(plan: Plan, column: str) -> frozenset[str] | None:
    """The declared categories that the plan is restricted to; None when it is not restricted.

    Of conditions that all hold, the smallest positive one is bound enough; of alternatives, each
    must have one. A row whose value is missing passes none of them.
    """
    return _all_of(plan.where, column)


def _restriction(item: Filter, column: str) -> frozenset[str] | None:
    if isinstance(item, Condition):
        named = item.column == column and item.op in _POSITIVE
        return frozenset(item.values) if named else None
    if item.joint is Connective.AND:
        return _all_of(item.members, column)
    if item.joint is Connective.OR:
        found = [_restriction(member, column) for member in item.members]
        return None if None in found else frozenset().union(*(f for f in found if f is not None))
    return None


def _all_of(items: Sequence[Filter], column: str) -> frozenset[str] | None:
    found = [_restriction(item, column) for item in items]
    return min((f for f in found if f is not None), key=len, default=None)


def factor_of_parts(neighbouring: Neighbouring, *, restricted: bool) -> int:
    """How many times its cost a query books on each part that it touches.

    Under change_one a unit may move from one part to another and then shows in both: what is
    booked twice on each part covers the two together. A query over all parts is one query.
    """
    return 2 if restricted and neighbouring is Neighbouring.CHANGE_ONE else 1
