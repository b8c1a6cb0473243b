"""Schemas, plans and small random tables for the tests of the privacy room."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from hypothesis import strategies as st

from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.answer.blueprint import Blueprint, prepare
from dpgov.privacy.answer.release import draw
from dpgov.privacy.mechanisms.draw import Draw
from dpgov.privacy.mechanisms.mechanism import Mechanism
from dpgov.privacy.mechanisms.table import Measured
from dpgov.privacy.plan.calendar import span_of
from dpgov.privacy.plan.domains import category_domain, column_spec, date_domain, numeric_domain
from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.privacy.plan.request import ExactAnswer, ExactRequest
from dpgov.privacy.plan.schema import (
    CategoryDomain,
    ColumnSpec,
    DatasetSchema,
    MissingRule,
    Neighbouring,
    PrivacyUnit,
)
from dpgov.privacy.plan.statistics import StatisticKind
from tests.reference import Owned, Row, exact_answer

AGE = column_spec("age", numeric_domain("17", "90", "1"), MissingRule.DROP, "")
HOURS = column_spec("hours", numeric_domain("1", "99", "1"), MissingRule.IMPUTE, "40")
CHANGE = column_spec("change", numeric_domain("-2.5", "1.5", "0.25"), MissingRule.DROP, "")
SEX = column_spec("sex", category_domain(["Female", "Male"]), MissingRule.DROP, "")
# Ten days from a Monday on, across the end of a leap February.
VISIT = column_spec("visit", date_domain("2024-02-26", "2024-03-06", "day"), MissingRule.DROP, "")
COLUMNS = (AGE, HOURS, CHANGE, SEX, VISIT)


def schema_of(
    *columns: ColumnSpec,
    neighbouring: Neighbouring = Neighbouring.ADD_REMOVE,
    group_size: int = 1,
    public_rows: int | None = None,
    unit: PrivacyUnit | None = None,
    mode: Mode = Mode.PURE,
) -> DatasetSchema:
    return DatasetSchema(
        columns=columns or COLUMNS,
        unit=unit or PrivacyUnit(),
        neighbouring=neighbouring,
        group_size=group_size,
        max_rows=1_000_000,
        public_rows=public_rows,
        mode=mode,
    )


def question(*statistics: dict[str, Any], epsilon: Any = 1, **more: Any) -> dict[str, Any]:
    return {"statistics": list(statistics), "epsilon": epsilon, **more}


def of_kind(kind: StatisticKind, column: str = "age") -> dict[str, Any]:
    """One statistic of this kind, of a column where it takes one, with what else it needs."""
    asked: dict[str, Any] = {"statistic": kind.value}
    if kind.facts.takes_column:
        asked["column"] = column
    if kind is StatisticKind.QUANTILES:
        asked["quantiles"] = [0.25]
    if kind.facts.takes_two_values:
        return asked | {"column": "sex", "predictors": ["age"]}
    return asked | ({"predictors": ["sex"]} if kind.facts.takes_predictors else {})


def blueprint_of(raw: dict[str, Any], schema: DatasetSchema) -> Blueprint:
    return prepare(parse_plan(raw, schema, dataset="people"), schema)


def release_of(blueprint: Blueprint, rows: Sequence[Row | Owned]) -> dict[str, Any]:
    """The release of these rows, read by the slow reference."""

    def engine(request: ExactRequest) -> ExactAnswer:
        return exact_answer(rows, request)

    return draw(blueprint, [engine(request) for request in blueprint.requests], engine)


def measured(blueprint: Blueprint, place: int, rows: Sequence[Row | Owned]) -> list[Measured]:
    """What mechanism number `place` reads of these rows: each cell's exact integers."""
    request = blueprint.requests[blueprint.reads[place]]
    cells = exact_answer(rows, request)
    return [dict(zip(request.measures, cell, strict=True)) for cell in cells]


def exact_vector(blueprint: Blueprint, place: int, rows: Sequence[Row | Owned]) -> list[int]:
    """The exact lattice integers of one draw, every reading of every cell."""
    taken = draw_of(blueprint.mechanisms[place])
    assert taken is not None
    cells = measured(blueprint, place, rows)
    return [reading.exact(cell) for cell in cells for reading in taken.readings]


def draw_of(mechanism: Mechanism) -> Draw | None:
    """The mechanism's draw; None for a noisy choice."""
    taken = getattr(mechanism, "taken", None)
    return taken if isinstance(taken, Draw) else None


def hash_of(unit: int) -> int:
    """Some key of a unit, with both halves of its bits in use."""
    return (unit + 1) * 0x9E3779B97F4A7C15 % 2**62


def owned(units: Sequence[Sequence[Row]]) -> list[Owned]:
    """A table of units, each with its rows in an order of their own."""
    return [
        Owned(codes, number, hash_of(number), rank, len(rows))
        for number, rows in enumerate(units)
        for rank, codes in enumerate(rows)
    ]


COUNT = {"statistic": "count"}
MEAN_AGE = {"statistic": "mean", "column": "age"}
SUM_AGE = {"statistic": "sum", "column": "age"}


def codes_of(column: ColumnSpec) -> st.SearchStrategy[int | None]:
    """Any stored code of a column; its ends often, since influence is largest there."""
    top = column.domain.other if isinstance(column.domain, CategoryDomain) else column.domain.top
    codes = st.one_of(st.sampled_from([0, top]), st.integers(0, top))
    return st.one_of(st.none(), codes) if column.may_be_missing else codes


def rows_of(*columns: ColumnSpec) -> st.SearchStrategy[Row]:
    return st.tuples(*(codes_of(column) for column in columns or COLUMNS))


DATES = ("2024-02-26", "2024-02-29", "2024-02", "2024-03", "2024", "2024-W09", "2024-03-05T12")


def conditions() -> st.SearchStrategy[dict[str, Any]]:
    """Any filter over COLUMNS."""
    numbers = st.one_of(st.integers(-5, 100), st.sampled_from([17.5, 0.25, -2.5, 1.49]))
    numeric = st.sampled_from(["age", "hours", "change"])
    compared = st.builds(
        lambda column, op, value: {"column": column, "op": op, "value": value},
        numeric,
        st.sampled_from(["=", "!=", "<", "<=", ">", ">="]),
        numbers,
    )
    between = st.builds(
        lambda column, pair: {"column": column, "op": "between", "value": sorted(pair)},
        numeric,
        st.tuples(numbers, numbers),
    )
    sexes = st.sampled_from(["=", "!="]).map(
        lambda op: {"column": "sex", "op": op, "value": "Male"}
    )
    days = st.sampled_from(DATES)
    dated = st.builds(
        lambda op, value: {"column": "visit", "op": op, "value": value},
        st.sampled_from(["=", "!=", "<", "<=", ">", ">="]),
        days,
    )
    dates_between = st.tuples(days, days).map(
        lambda pair: {"column": "visit", "op": "between", "value": sorted(pair, key=span_of)}
    )
    missing = st.builds(
        lambda column, op: {"column": column, "op": op},
        st.sampled_from(["age", "change", "sex", "visit"]),
        st.sampled_from(["is_missing", "is_present"]),
    )
    return st.one_of(compared, between, sexes, dated, dates_between, missing)


def filters() -> st.SearchStrategy[dict[str, Any]]:
    """Any filter over COLUMNS, joined and negated too."""
    return st.recursive(
        conditions(),
        lambda inner: st.one_of(
            st.builds(
                lambda joint, members: {joint: members},
                st.sampled_from(["and", "or"]),
                st.lists(inner, min_size=1, max_size=3),
            ),
            inner.map(lambda member: {"not": member}),
        ),
        max_leaves=4,
    )


def groupings() -> st.SearchStrategy[dict[str, Any]]:
    """Any grouping over COLUMNS, bins off the lattice and outside the bounds included."""
    edges = st.lists(
        st.one_of(st.integers(-10, 110), st.sampled_from([17.5, 40.25, -0.1])),
        min_size=2,
        max_size=5,
        unique=True,
    ).map(sorted)
    by_edges = st.builds(
        lambda column, e: {"column": column, "edges": e},
        st.sampled_from(["age", "hours", "change"]),
        edges,
    )
    by_sex = st.sampled_from([{"column": "sex"}, {"column": "sex", "categories": ["Male"]}])
    by_dates = st.sampled_from(
        [
            {"column": "visit", "by": "day"},
            {"column": "visit", "by": "month"},
            {"column": "visit", "by": "weekday"},
            {"column": "visit", "edges": ["2024-02-20", "2024-02-28", "2024-03"]},
        ]
    )
    return st.one_of(by_edges, by_sex, by_dates)


NUMBERS = ("age", "hours", "change")
CLIPS: list[dict[str, Any]] = [
    {"column": "age", "clip": {"from": 20, "to": 60}},
    {"column": "hours", "clip": {"to": 41}},
    {"column": "change", "clip": {"from": -0.5, "to": 0.25}},
]
OF_DATES = ("mean", "median", "min", "max")
OF_NUMBERS = ("sum", "mean", "variance", "standard_deviation", "median", "min", "max")
QUANTILES = ([0.5], [0.1, 0.9], [0.25, 0.5, 0.75], [0.05, 0.2, 0.5, 0.9, 0.99])


def statistics() -> st.SearchStrategy[dict[str, Any]]:
    """Any statistic of COLUMNS, with or without a share of its own."""
    of_rows = st.sampled_from([COUNT, {"statistic": "count_distinct"}])
    of_numbers = st.builds(
        lambda name, column: {"statistic": name, "column": column},
        st.sampled_from(OF_NUMBERS),
        st.sampled_from(NUMBERS),
    )
    clipped = st.builds(
        lambda name, clip: {"statistic": name} | clip,
        st.sampled_from(OF_NUMBERS[:4]),
        st.sampled_from(CLIPS),
    )
    of_dates = st.sampled_from(OF_DATES).map(lambda name: {"statistic": name, "column": "visit"})
    values = st.sampled_from(("sex", "change", "visit")).map(
        lambda column: {"statistic": "distinct_values", "column": column}
    )
    quantiles = st.builds(
        lambda orders, column: {"statistic": "quantiles", "column": column, "quantiles": orders},
        st.sampled_from(QUANTILES),
        st.sampled_from((*NUMBERS, "visit")),
    )
    locked: list[dict[str, Any]] = [{}, {}, {"share": 0.1}, {"share": 0.2}]
    shares = st.sampled_from(locked)
    every = st.one_of(of_rows, values, of_numbers, clipped, of_dates, quantiles)
    return st.builds(lambda statistic, share: statistic | share, every, shares)


def _asked(statistic: dict[str, Any]) -> str:
    return str({key: value for key, value in statistic.items() if key != "share"})


COMPUTED: list[dict[str, Any]] = [
    {"formula": "sum", "of": ["age", "change"]},
    {"formula": "difference", "of": ["hours", "age"]},
    {"formula": "product", "of": ["change", "hours"]},
]
INSTEAD = {"age": "age + change", "hours": "hours - age", "change": "hours * change"}


def computing(raw: dict[str, Any], instead: Iterable[str]) -> dict[str, Any]:
    """The same question with some columns of two in place of these columns."""
    names = {f'"{name}"': f'"{INSTEAD[name]}"' for name in instead}
    text = json.dumps(raw)
    for name, computed in names.items():
        text = text.replace(f'"column": {name}', f'"column": {computed}')
    found: dict[str, Any] = json.loads(text)
    return found | ({"computed": COMPUTED} if names else {})


def questions() -> st.SearchStrategy[dict[str, Any]]:
    """Any valid plan over COLUMNS, and over what a question computes of them."""
    instead: st.SearchStrategy[set[str]] = st.sets(st.sampled_from(NUMBERS)) | st.just(set())
    return st.builds(computing, plain_questions(), instead)


def plain_questions() -> st.SearchStrategy[dict[str, Any]]:
    """Any valid plan over COLUMNS alone."""
    return st.fixed_dictionaries(
        {
            "statistics": st.lists(statistics(), min_size=1, max_size=3, unique_by=_asked),
            "where": st.lists(filters(), max_size=2),
            "group_by": st.lists(groupings(), max_size=2, unique_by=lambda g: g["column"]),
            "epsilon": st.sampled_from([0.1, 1, "2.5"]),
        }
    )
