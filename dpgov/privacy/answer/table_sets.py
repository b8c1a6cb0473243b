"""A set of tables for one amount, read into the counts that are drawn for it.

{"columns": [...], "tables": 2} stands for all tables of two of the columns. What is drawn is chosen
by expected error (`covers`) out of the plan, the declarations and the amount alone; each drawn
table is a count by its columns like any other. Every asked table is a marginal of a drawn one, and
so free once that is released.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from dpgov.language.said import said
from dpgov.privacy.accounting.decimals import MAX_NANO
from dpgov.privacy.answer.batch import Batch
from dpgov.privacy.answer.covers import IN_ROUNDS, Method, Table
from dpgov.privacy.answer.drawn_sets import TableSet, adaptive, fixed
from dpgov.privacy.plan.grouping import means_sizes
from dpgov.privacy.plan.parsing.choosing import MAX_CANDIDATES, read_rounds
from dpgov.privacy.plan.parsing.groups import read_grouping
from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.privacy.plan.parsing.where import read_column, read_filters
from dpgov.privacy.plan.plan import Grouping, InvalidPlan, Plan
from dpgov.privacy.plan.problems import Problems, listed, shortened, suggesting
from dpgov.privacy.plan.schema import DatasetSchema

MAX_COLUMNS = 12
MAX_TABLES = MAX_CANDIDATES
_KEYS = ("dataset", "columns", "tables", "where", "method", "rounds", "epsilon", "rho")
_COUNT = [{"statistic": "count"}]


def is_table_set(raw: object) -> bool:
    """Whether a body asks for a set of tables, and not for plans one by one."""
    return isinstance(raw, Mapping) and ("columns" in raw or "tables" in raw)


def parse_table_set(
    raw: object, schema: DatasetSchema, *, dataset: str, each: tuple[int, int] = (0, MAX_NANO)
) -> Batch:
    """The tables that are drawn, as a batch of counts with equal parts of the amount; of "adaptive"
    and "mwem", which name their "rounds" and have to be named, one question that chooses them.

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
    rounds = _rounds(body.get("rounds"), method, problems)
    asked: tuple[Table, ...] = ()
    if columns:
        asked = _tables(body.get("tables"), names, problems)
    problems.raise_if_any()
    if whole is None:
        raise AssertionError("a price that could not be read was let through")
    read = TableSet(columns, asked, replace(whole, where=where), schema, each)
    if method is None or rounds is None:
        return fixed(read, method)
    return adaptive(read, method, rounds)


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


def _rounds(raw: object, method: Method | None, problems: Problems) -> int | None:
    """How many, where tables are chosen adaptively; None for every other method."""
    if method in IN_ROUNDS:
        return read_rounds(raw, problems)
    if raw is not None:
        problems.add("rounds", said("Only the methods “adaptive” and “mwem” have rounds."))
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
