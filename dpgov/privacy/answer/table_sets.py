"""A set of tables for one amount, read into the counts that are drawn for it.

{"columns": [...], "tables": 2} stands for all tables of two of the columns. What is drawn is chosen
by expected error (`covers`) out of the plan, the declarations and the amount alone; each drawn
table is a count by its columns like any other. Every asked table is a marginal of a drawn one, and
so free once that is released.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Any

from dpgov.language.said import said
from dpgov.privacy.accounting.decimals import MAX_NANO
from dpgov.privacy.accounting.loss import Loss, Mode
from dpgov.privacy.answer.batch import MAX_PLANS, Batch
from dpgov.privacy.answer.blueprint import MAX_CELLS, loss_of, prepare
from dpgov.privacy.answer.covers import (
    Bounds,
    Cover,
    Method,
    Table,
    Variance,
    Way,
    best_of,
    ways_of,
)
from dpgov.privacy.mechanisms.mechanism import Summed
from dpgov.privacy.plan.grouping import means_sizes
from dpgov.privacy.plan.parsing.groups import read_grouping
from dpgov.privacy.plan.parsing.plans import MAX_GROUPINGS, parse_plan
from dpgov.privacy.plan.parsing.where import read_column, read_filters
from dpgov.privacy.plan.plan import Grouping, InvalidPlan, Plan, Statistic
from dpgov.privacy.plan.problems import Problems, listed, shortened, suggesting
from dpgov.privacy.plan.schema import DatasetSchema
from dpgov.privacy.plan.statistics import StatisticKind

MAX_COLUMNS = 12
MAX_TABLES = 66
_KEYS = ("dataset", "columns", "tables", "where", "method", "epsilon", "rho")
_COUNT = [{"statistic": "count"}]
_BOUNDS = Bounds(cells=MAX_CELLS, columns=MAX_GROUPINGS, tables=MAX_PLANS)


def is_table_set(raw: object) -> bool:
    """Whether a body asks for a set of tables, and not for plans one by one."""
    return isinstance(raw, Mapping) and ("columns" in raw or "tables" in raw)


def parse_table_set(
    raw: object, schema: DatasetSchema, *, dataset: str, each: tuple[int, int] = (0, MAX_NANO)
) -> Batch:
    """The tables that are drawn, as a batch of counts with equal parts of the amount.

    "columns" are groupings as plans have them; "tables" are lists of their names, or how many
    columns each table has. "method" may be left out: then the one with the least expected error is
    taken, if there is one at which each question costs what it may: `each` is the least and the
    most, in nano. Raises InvalidPlan with every problem found, and where no way of drawing is open.
    """
    problems = Problems()
    body = problems.mapping("plan", raw, _KEYS) or {}
    whole = _price(body, schema, dataset, problems)
    columns = _columns(body.get("columns", []), schema, problems)
    where = read_filters("where", body.get("where", []), schema, problems)
    names = [grouping.column for grouping in columns]
    method = _method(body.get("method"), problems)
    asked: tuple[Table, ...] = ()
    if columns:
        asked = _tables(body.get("tables"), names, problems)
    problems.raise_if_any()
    if whole is None:
        raise AssertionError("a price that could not be read was let through")
    return _batch(columns, asked, replace(whole, where=where), method, schema, each)


def _price(
    body: Mapping[str, Any], schema: DatasetSchema, dataset: str, problems: Problems
) -> Plan | None:
    """Read like any plan's price, with a statistic that always can be asked."""
    price = {name: body[name] for name in ("dataset", "epsilon", "rho") if name in body}
    try:
        return parse_plan(price | {"statistics": _COUNT}, schema, dataset=dataset)
    except InvalidPlan as found:
        for problem in found.problems:
            problems.add(problem.path, problem.message)
        return None


def _columns(raw: object, schema: DatasetSchema, problems: Problems) -> tuple[Grouping, ...]:
    found: list[Grouping] = []
    for place, entry in enumerate(problems.items("columns", raw, least=1, most=MAX_COLUMNS)):
        path = f"columns.{place}"
        if isinstance(entry, Mapping) and means_sizes(entry.get("column"), schema):
            # Sizes of units are no column that rows are counted by.
            read_column(f"{path}.column", entry.get("column"), schema, problems)
            continue
        grouping = read_grouping(path, entry, schema, problems)
        if grouping is None:
            continue
        if grouping.column in (earlier.column for earlier in found):
            message = said("“{column}” is there twice.", column=shortened(grouping.column))
            problems.add(f"{path}.column", message)
        found.append(grouping)
    return tuple(found)


def _method(raw: object, problems: Problems) -> Method | None:
    if raw is None:
        return None
    known = [method.value for method in Method]
    if isinstance(raw, str) and raw in known:
        return Method(raw)
    refusal = said("Unknown method “{name}”.", name=shortened(raw))
    problems.add("method", suggesting(refusal, raw, known))
    return None


def _tables(raw: object, names: Sequence[str], problems: Problems) -> tuple[Table, ...]:
    """The asked tables, each once, smaller ones first, whatever order they were written in."""
    if isinstance(raw, int) and not isinstance(raw, bool):
        return _all_of(raw, names, problems)
    found: list[Table] = []
    for place, entry in enumerate(problems.items("tables", raw, least=1, most=MAX_TABLES)):
        path = f"tables.{place}"
        table = _table(path, entry, names, problems)
        if table in found:
            problems.add(path, said("The same table is there twice."))
        elif table:
            found.append(table)
    unused = set(range(len(names))) - set().union(*found)
    if found and unused:
        missing = listed([names[place] for place in sorted(unused)])
        problems.add("columns", said("In none of the tables: {names}.", names=missing))
    return tuple(sorted(found, key=lambda table: (len(table), sorted(table))))


def _all_of(size: int, names: Sequence[str], problems: Problems) -> tuple[Table, ...]:
    if not 1 <= size <= len(names):
        problems.add(
            "tables",
            said("Tables of 1 to {most} columns can be asked of these.", most=len(names)),
        )
        return ()
    found = tuple(map(frozenset, combinations(range(len(names)), size)))
    if len(found) > MAX_TABLES:
        problems.add(
            "tables",
            said(
                "These are {number} tables; at most {most} are asked together. "
                "Leave columns out, or name the tables.",
                number=len(found),
                most=MAX_TABLES,
            ),
        )
    return found


def _table(path: str, raw: object, names: Sequence[str], problems: Problems) -> Table:
    found: set[int] = set()
    for place, name in enumerate(problems.items(path, raw, least=1, most=len(names))):
        if name in names:
            found.add(names.index(name))
            continue
        refusal = said("“{name}” is not one of the columns above.", name=shortened(name))
        problems.add(f"{path}.{place}", suggesting(refusal, name, names))
    return frozenset(found)


def _batch(
    columns: tuple[Grouping, ...],
    asked: tuple[Table, ...],
    whole: Plan,
    method: Method | None,
    schema: DatasetSchema,
    each: tuple[int, int],
) -> Batch:
    bins, loss = tuple(map(_bins, columns)), loss_of(whole, schema.mode)
    variance = _variance(whole, columns[:1], schema)
    ways = tuple(_at_its_price(way, loss, each) for way in ways_of(asked, bins, variance, _BOUNDS))
    chosen = _chosen(ways, method)
    names = tuple(grouping.column for grouping in columns)
    cover = Cover(names, bins, asked, ways, chosen, variance)
    plans = tuple(
        replace(whole, group_by=tuple(columns[place] for place in sorted(table)))
        for table in chosen.drawn
    )
    return Batch(plans, (None,) * len(plans), loss, cover)


def _at_its_price(way: Way, whole: Loss, each: tuple[int, int]) -> Way:
    """With a reason not to take it, where one of its questions would cost what none may."""
    part = whole.part(1, len(way.drawn)).nano
    if not way.is_open or each[0] <= part <= each[1]:
        return way
    if part > each[1]:
        reason = said("Each of its questions would cost more than one may on this dataset.")
    else:
        reason = said("Each of its questions would cost less than one must on this dataset.")
    return replace(way, reason=reason)


def _bins(grouping: Grouping) -> int:
    """With the one for everything else."""
    if grouping.edges is not None:
        return len(grouping.edges)
    return len(grouping.categories or ()) + 1


def _chosen(ways: Sequence[Way], method: Method | None) -> Way:
    """The named one, or the best. Raises InvalidPlan where it is shut, with what shuts each."""
    offered = [way for way in ways if method in (None, way.method)]
    # Where none costs what it may, the ledger says what would.
    chosen = best_of([way for way in offered if not way.reason]) or best_of(offered)
    if chosen is not None:
        return chosen
    problems = Problems()
    for reason in dict.fromkeys(way.reason for way in offered):
        problems.add("tables" if method is None else "method", reason)
    problems.add("tables", said("Fewer columns, fewer or wider bins, or a higher price would fit."))
    problems.raise_if_any()
    raise AssertionError("a refusal without a problem")


def _variance(plan: Plan, columns: tuple[Grouping, ...], schema: DatasetSchema) -> Variance:
    """Of a count's noise at an equal part of the amount: the same in tables of all columns."""
    whole = loss_of(plan, schema.mode)
    counted = replace(plan, statistics=(Statistic(StatisticKind.COUNT),), group_by=columns)
    known: dict[int, float | None] = {}

    def found(tables: int) -> float | None:
        part = whole.part(*Fraction(1, tables).as_integer_ratio())
        if part.nano < 1:
            return None
        try:
            (mechanism,) = prepare(_at(counted, part), schema).mechanisms
        except InvalidPlan:
            return None
        # A count is a noisy sum, whatever it is grouped by.
        return mechanism.taken.noise.variance if isinstance(mechanism, Summed) else None

    def variance(tables: int) -> float | None:
        if tables not in known:
            known[tables] = found(tables)
        return known[tables]

    return variance


def _at(plan: Plan, loss: Loss) -> Plan:
    pure = loss.mode is Mode.PURE
    return replace(
        plan,
        epsilon_nano=loss.nano if pure else None,
        rho_nano=None if pure else loss.nano,
    )
