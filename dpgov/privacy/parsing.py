"""A plan from JSON: the one door through which questions come in, from forms and API alike.

Refuses everything it does not know, by name and with its path, and never looks at data: the
same plan is refused or accepted whatever the table holds.
"""

from dpgov.privacy.budget import InvalidAmount, parse_epsilon
from dpgov.privacy.parsing_groups import read_grouping
from dpgov.privacy.parsing_where import read_condition
from dpgov.privacy.plan import Condition, Grouping, Plan, Statistic, StatisticKind
from dpgov.privacy.problems import Problems, quoted, suggestion
from dpgov.privacy.schema import DatasetSchema, NumericDomain

MAX_STATISTICS = 10
MAX_FILTERS = 20
MAX_GROUPINGS = 3
_PLAN_KEYS = ("dataset", "statistics", "where", "group_by", "epsilon")
_STATISTIC_KEYS = ("statistic", "column")


def parse_plan(raw: object, schema: DatasetSchema, *, dataset: str) -> Plan:
    """The plan that `raw` (parsed JSON) stands for, asked of the dataset with this slug.

    "where" and "group_by" may be left out, and so may "dataset", which must match if it is there.
    Numbers may be JSON numbers or decimal text. Raises InvalidPlan with every problem found.
    """
    problems = Problems()
    body = problems.mapping("plan", raw, _PLAN_KEYS)
    if body is None:
        problems.raise_if_any()
        raise AssertionError("a plan that is no object was let through")
    if body.get("dataset", dataset) != dataset:
        problems.add("dataset", f"This question was sent to the dataset “{dataset}”.")
    plan = Plan(
        dataset=dataset,
        statistics=_statistics(body.get("statistics", []), schema, problems),
        where=_where(body.get("where", []), schema, problems),
        group_by=_group_by(body.get("group_by", []), schema, problems),
        epsilon_nano=_epsilon(body.get("epsilon"), problems),
    )
    problems.raise_if_any()
    return plan


def _epsilon(raw: object, problems: Problems) -> int:
    if raw is None:
        problems.add("epsilon", "Say how much ε to spend, like 0.5.")
        return 0
    try:
        return parse_epsilon(raw)
    except InvalidAmount as problem:
        problems.add("epsilon", str(problem))
        return 0


def _statistics(raw: object, schema: DatasetSchema, problems: Problems) -> tuple[Statistic, ...]:
    entries = problems.items("statistics", raw, least=1, most=MAX_STATISTICS)
    found: list[Statistic] = []
    for position, entry in enumerate(entries):
        path = f"statistics.{position}"
        statistic = _statistic(path, entry, schema, problems)
        if statistic in found:
            problems.add(path, "The same statistic is there twice; one answer costs less.")
        elif statistic is not None:
            found.append(statistic)
    return tuple(found)


def _statistic(
    path: str, raw: object, schema: DatasetSchema, problems: Problems
) -> Statistic | None:
    body = problems.mapping(path, raw, _STATISTIC_KEYS)
    if body is None:
        return None
    if body.get("statistic") == "histogram":
        problems.add(f"{path}.statistic", "For a histogram, ask a count and group it (group_by).")
        return None
    known = [kind.value for kind in StatisticKind]
    name = problems.choice(f"{path}.statistic", body.get("statistic"), known, "statistic")
    if name is None:
        return None
    column = body.get("column")
    if name == StatisticKind.COUNT:
        return _count(path, column, problems)
    return _of_column(path, StatisticKind(name), column, schema, problems)


def _count(path: str, column: object, problems: Problems) -> Statistic | None:
    if column is None:
        return Statistic(StatisticKind.COUNT)
    problems.add(
        f"{path}.column",
        "A count counts rows and takes no column. To count the rows where a column has a value, "
        "leave it out and filter with is_present.",
    )
    return None


def _of_column(
    path: str, kind: StatisticKind, column: object, schema: DatasetSchema, problems: Problems
) -> Statistic | None:
    numeric = [c.name for c in schema.columns if isinstance(c.domain, NumericDomain)]
    if isinstance(column, str) and column in numeric:
        return Statistic(kind, column)
    if isinstance(column, str) and schema.index_of(column) is not None:
        message = f"{quoted(column)} holds categories; a {kind} needs a column of numbers."
    elif column is None:
        message = f"Choose a column for the {kind}.{suggestion(None, numeric)}"
    else:
        message = f"Unknown column {quoted(column)}.{suggestion(column, numeric)}"
    problems.add(f"{path}.column", message)
    return None


def _where(raw: object, schema: DatasetSchema, problems: Problems) -> tuple[Condition, ...]:
    entries = problems.items("where", raw, most=MAX_FILTERS)
    read = (
        read_condition(f"where.{position}", entry, schema, problems)
        for position, entry in enumerate(entries)
    )
    return tuple(condition for condition in read if condition is not None)


def _group_by(raw: object, schema: DatasetSchema, problems: Problems) -> tuple[Grouping, ...]:
    found: list[Grouping] = []
    for position, entry in enumerate(problems.items("group_by", raw, most=MAX_GROUPINGS)):
        path = f"group_by.{position}"
        grouping = read_grouping(path, entry, schema, problems)
        if grouping is None:
            continue
        if grouping.column in (earlier.column for earlier in found):
            problems.add(f"{path}.column", f"Already grouped by {quoted(grouping.column)}.")
        found.append(grouping)
    return tuple(found)
