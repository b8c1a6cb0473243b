"""A plan says what is counted: its conditions name values that their columns have."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpgov.privacy.plan.calendar import DateStep, period_text, span_of
from dpgov.privacy.plan.domains import column_spec, date_domain, numeric_domain
from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.privacy.plan.parsing.where import MAX_DEPTH
from dpgov.privacy.plan.plan import Condition
from dpgov.privacy.plan.predicates import code_filter, never_holds, row_filter
from dpgov.privacy.plan.request import AllOf, CodeFilter, RowFilter
from dpgov.privacy.plan.schema import ColumnSpec, DatasetSchema
from dpgov.queries.wording.words import in_words
from tests.examples import examples
from tests.unit.privacy.tables import COUNT, question, schema_of

MONTHS = date_domain("2020-01", "2024-12", "month")
WEEKS = date_domain("2020-W01", "2024-W52", "week")
OPERATORS = ["<", "<=", ">", ">=", "=", "!=", "in", "between"]


def on(domain: Any) -> DatasetSchema:
    return schema_of(column_spec("on", domain, "drop", ""))


def asked(domain: Any, op: str, value: Any) -> Any:
    raw = question(COUNT, where=[{"column": "on", "op": op, "value": value}])
    plan = parse_plan(raw, on(domain), dataset="people")
    assert parse_plan(plan.as_json(), on(domain), dataset="people") == plan
    return plan


def said(domain: Any, op: str, value: Any) -> str:
    return in_words(asked(domain, op, value).as_json()).removeprefix("Count of rows, where ")


@pytest.mark.parametrize(
    ("op", "value", "words"),
    [
        (">=", "2022-01-15", "on is at least 2022-02"),
        (">", "2022-01-15", "on is more than 2022-01"),
        ("<", "2022-01-15", "on is less than 2022-02"),
        ("<=", "2022-01-15", "on is at most 2022-01"),
        (">=", "2022-01-15T08:30", "on is at least 2022-02"),
        ("between", ["2022-01-15", "2022-06-15"], "on is between 2022-02 and 2022-06"),
        ("between", ["2022-01-15", "2022-06"], "on is between 2022-02 and 2022-06"),
        # All of January has the date of its first day.
        ("=", "2022-01-01", "on is 2022-01"),
        ("!=", "2022-01-01", "on is not 2022-01"),
        ("in", ["2022-01-01", "2022-01", "2022-03-09"], "on is 2022-01"),
        # No month is 15 January: nothing is counted, or everything.
        ("=", "2022-01-15", "on is more than 2022-01 and on is less than 2022-02"),
        ("in", ["2022-01-15"], "on is more than 2022-01 and on is less than 2022-02"),
        (
            "between",
            ["2022-01-15", "2022-01-20"],
            "on is more than 2022-01 and on is less than 2022-02",
        ),
        ("!=", "2022-01-15", "not (on is more than 2022-01 and on is less than 2022-02)"),
    ],
)
def test_a_date_within_a_month_is_said_as_the_months_that_are_counted(
    op: str, value: Any, words: str
) -> None:
    assert said(MONTHS, op, value) == words


@pytest.mark.parametrize(
    ("step", "words"),
    [
        ("hour", "on is at least 2022-02-10T15"),
        ("day", "on is at least 2022-02-11"),
        ("week", "on is at least 2022-W07"),
        ("month", "on is at least 2022-03"),
        ("quarter", "on is at least 2022-Q2"),
        ("year", "on is at least 2023"),
    ],
)
def test_a_moment_is_said_as_the_first_date_of_every_step_that_is_counted(
    step: str, words: str
) -> None:
    assert said(date_domain("2020", "2024-12-31", step), ">=", "2022-02-10T14:30") == words


@pytest.mark.parametrize(
    ("op", "value"),
    [
        (">=", "2022-01-01"),
        ("<=", "2022-01-31"),
        ("<", "2022"),
        ("=", "2022"),
        ("in", ["2022-Q1", "2023"]),
        ("between", ["2022-01-01", "2022-12-31"]),
        # Outside the declared dates a month says no more than its day.
        (">=", "1990-05-05"),
        ("<", "9999-12-15"),
    ],
)
def test_a_date_that_says_what_is_counted_stays_as_it_was_written(op: str, value: Any) -> None:
    assert asked(MONTHS, op, value).as_json()["where"] == [
        {"column": "on", "op": op, "value": value}
    ]


@pytest.mark.parametrize(
    ("op", "words"),
    [
        ("=", "on is between 2024-W01 and 2024-W05"),
        ("!=", "not (on is between 2024-W01 and 2024-W05)"),
        (">", "on is more than 2024-W05"),
    ],
)
def test_a_month_of_weeks_is_said_as_the_weeks_that_begin_in_it(op: str, words: str) -> None:
    assert said(WEEKS, op, "2024-01") == words


@pytest.mark.parametrize(
    ("op", "value", "words"),
    [
        (">=", "30.2", "on is at least 35"),
        (">", "30.2", "on is more than 30"),
        ("<", 32, "on is less than 35"),
        ("<=", 32, "on is at most 30"),
        ("between", [31, 44], "on is between 35 and 40"),
        ("in", [30, 32], "on is 30"),
        ("=", 32, "on is more than 30 and on is less than 35"),
        ("=", 30, "on is 30"),
    ],
)
def test_a_number_between_two_steps_is_said_as_the_steps_that_are_counted(
    op: str, value: Any, words: str
) -> None:
    assert said(numeric_domain("0", "100", "5"), op, value) == words


def test_a_date_that_no_row_has_is_still_known_to_pass_no_row() -> None:
    for value, never in (("2022-01-15", True), ("2022-01-01", False)):
        (item,) = asked(MONTHS, "=", value).where
        assert never_holds(row_filter(item, on(MONTHS))) is never


def test_where_no_joint_fits_any_more_a_date_stays_as_it_was_written() -> None:
    deepest: dict[str, Any] = {"column": "on", "op": "!=", "value": "2022-01-15"}
    raw = deepest
    for _ in range(MAX_DEPTH):
        raw = {"not": raw}
    plan = parse_plan(question(COUNT, where=[raw]), on(MONTHS), dataset="people")
    assert plan.conditions == (Condition("on", "!=", ("2022-01-15",)),)


def passing(item: RowFilter, top: int) -> set[int]:
    if isinstance(item, CodeFilter):
        return {code for low, high in item.ranges for code in range(low, high + 1)}
    found = [passing(member, top) for member in item.members]
    return set.intersection(*found) if isinstance(item, AllOf) else set.union(*found)


@examples(150)
@given(data=st.data(), step=st.sampled_from(list(DateStep)), op=st.sampled_from(OPERATORS))
def test_the_same_rows_pass_however_a_date_was_written(
    data: st.DataObject, step: DateStep, op: str
) -> None:
    domain = date_domain("2023-11", "2024-03", step.value)
    # From October 2023 to May 2024.
    finer = st.integers(17_731_000, 17_736_500).map(lambda at: period_text(DateStep.HOUR, at))
    coarse = st.sampled_from(["2023", "2024", "2023-Q4", "2024-02", "2024-W05", "2023-12-31"])
    values = data.draw(st.lists(finer | coarse, min_size=2, max_size=2, unique=True))
    values.sort(key=lambda text: span_of(text).start)
    value: Any = values if op in ("in", "between") else values[0]
    spec: ColumnSpec = on(domain).columns[0]
    texts = tuple(value) if isinstance(value, list) else (value,)
    written = code_filter(Condition("on", op, texts), 0, spec)
    (item,) = asked(domain, op, value).where
    assert passing(row_filter(item, on(domain)), domain.top) == passing(written, domain.top)
