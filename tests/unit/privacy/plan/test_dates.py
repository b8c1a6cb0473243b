"""Dates in plans: declared, compared as whole periods, grouped by the calendar."""

import datetime as dt
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpgov.language.translation import translated
from dpgov.privacy.answer.blueprint import prepare
from dpgov.privacy.plan.by_calendar import (
    PARTS,
    CalendarPart,
    by_calendar,
    how_many,
    how_many_ranges,
    names_of,
)
from dpgov.privacy.plan.calendar import DateStep, date_of, days_of, period_text, span_of, start_of
from dpgov.privacy.plan.domains import column_spec, date_domain
from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.privacy.plan.plan import InvalidPlan
from dpgov.privacy.plan.predicates import row_filter
from dpgov.privacy.plan.request import AllOf, CodeFilter, RowFilter
from dpgov.privacy.plan.schema import DateDomain, InvalidDomain
from tests.unit.privacy.tables import COUNT, question, schema_of

DAYS = date_domain("2023-12-30", "2025-01-02", "day")
HOURS = date_domain("2024-02-28T22", "2024-03-11T03", "hour")
MONTHS = date_domain("2023-11", "2025-02", "month")


def schema(domain: DateDomain = DAYS) -> Any:
    return schema_of(column_spec("on", domain, "drop", ""))


def passing(domain: DateDomain, op: str, value: Any) -> list[str]:
    """The dates of the domain that pass a condition."""
    raw = question(COUNT, where=[{"column": "on", "op": op, "value": value}])
    plan = parse_plan(raw, schema(domain), dataset="people")
    assert parse_plan(plan.as_json(), schema(domain), dataset="people") == plan
    (item,) = (row_filter(one, schema(domain)) for one in plan.where)
    return [domain.text(code) for code in range(int(domain.top) + 1) if passes(item, code)]


def passes(item: RowFilter, code: int) -> bool:
    if isinstance(item, CodeFilter):
        return any(low <= code <= high for low, high in item.ranges)
    return (all if isinstance(item, AllOf) else any)(passes(m, code) for m in item.members)


def refusals(raw: dict[str, Any], domain: DateDomain = DAYS) -> dict[str, str]:
    with pytest.raises(InvalidPlan) as refused:
        prepare(parse_plan(raw, schema(domain), dataset="people"), schema(domain))
    return {problem.path: translated(problem.message) for problem in refused.value.problems}


@given(st.integers(0, 3_652_058))
def test_the_calendar_is_that_of_python(number: int) -> None:
    day = dt.date.fromordinal(number + 1)
    assert date_of(number) == (day.year, day.month, day.day)
    assert days_of(day.year, day.month, day.day) == number
    assert period_text(DateStep.DAY, number) == day.isoformat()
    assert (
        period_text(DateStep.WEEK, number // 7)
        == f"{day.isocalendar().year:04}-W{day.isocalendar().week:02}"
    )


@given(st.sampled_from(list(DateStep)), st.integers(0, 9_998))
def test_a_period_s_name_names_that_period(step: DateStep, number: int) -> None:
    span = span_of(period_text(step, number))
    assert (span.start, span.end) == (start_of(step, number), start_of(step, number + 1))


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        (("", "2024", "day"), "lower"),
        (("2024-02-30", "2024-12", "day"), "lower"),
        (("24-01-01", "2024-12", "day"), "lower"),
        (("2024", "31.12.2024", "day"), "upper"),
        (("2024-06", "2024-05", "day"), "upper"),
        (("2024-06-01", "2024-06-30", "month"), "upper"),
        (("2023", "2024", "minute"), "step"),
        (("2023", "2024", "1"), "step"),
        (("2023", "2024", "day", "DD.MM.YY"), "date_format"),
        (("2023", "2024", "day", "DD.MM"), "date_format"),
        (("2023", "2024", "day", "YYYYMM"), "date_format"),
        (("2023", "2024", "day", "DD.DD.MM.YYYY"), "date_format"),
        (("2023", "2024", "day", "DD. MMM YYYY"), "date_format"),
        (("2023", "2024", "hour", "DD.MM.YYYY"), "date_format"),
        (("2023", "2024", "day", "", "../etc/passwd"), "time_zone"),
    ],
)
def test_what_cannot_be_declared_is_refused_at_its_field(
    fields: tuple[str, ...], field: str
) -> None:
    """D5: before any file is read."""
    with pytest.raises(InvalidDomain) as refused:
        date_domain(*fields)
    assert refused.value.field == field


@pytest.mark.parametrize(
    ("typed", "layout"),
    [
        ("", ""),
        ("ISO 8601", ""),
        ("dd.mm.yyyy", "DD.MM.YYYY"),
        ("TT.MM.JJJJ", "DD.MM.YYYY"),
        ("mm/dd/yyyy", "MM/DD/YYYY"),
        ("DD.MM.YYYY hh:mm", "DD.MM.YYYY HH:mm"),
        ("yyyy-MM-dd HH:mm:ss", "YYYY-MM-DD HH:mm:ss"),
        ("%d.%m.%Y", "DD.MM.YYYY"),
        ("%Y-%m-%d %H:%M:%S", "YYYY-MM-DD HH:mm:ss"),
    ],
)
def test_a_format_may_be_spelt_as_other_programs_do(typed: str, layout: str) -> None:
    assert date_domain("2023", "2024", "day", typed).layout == layout


def test_bounds_are_the_periods_that_hold_them() -> None:
    assert (MONTHS.text(0), MONTHS.text(int(MONTHS.top))) == ("2023-11", "2025-02")
    quarters = date_domain("2024-02-15", "2024", "quarter")
    assert (quarters.text(0), quarters.text(int(quarters.top))) == ("2024-Q1", "2024-Q4")


@pytest.mark.parametrize(
    ("op", "value", "first", "last", "many"),
    [
        ("=", "2024-02-29", "2024-02-29", "2024-02-29", 1),
        ("=", "2024-02", "2024-02-01", "2024-02-29", 29),
        ("=", 2024, "2024-01-01", "2024-12-31", 366),
        ("=", "2024-Q1", "2024-01-01", "2024-03-31", 91),
        # The first ISO week of 2025 begins in 2024.
        ("=", "2025-W01", "2024-12-30", "2025-01-02", 4),
        ("<=", "2024-01", "2023-12-30", "2024-01-31", 33),
        ("<", "2024", "2023-12-30", "2023-12-31", 2),
        (">", "2024", "2025-01-01", "2025-01-02", 2),
        (">=", "2024-12-31", "2024-12-31", "2025-01-02", 3),
        (">=", "2024-12-31 00:00:01", "2025-01-01", "2025-01-02", 2),
        ("<=", "2024-01-01T00:00", "2023-12-30", "2024-01-01", 3),
        ("between", ["2023", "2024-01-02"], "2023-12-30", "2024-01-02", 4),
        ("between", ["0001", "9999"], "2023-12-30", "2025-01-02", 370),
        ("in", ["2024-02-29", "2024-03"], "2024-02-29", "2024-03-31", 32),
        ("!=", "2024", "2023-12-30", "2025-01-02", 4),
    ],
)
def test_a_date_of_a_condition_is_a_whole_period(
    op: str, value: Any, first: str, last: str, many: int
) -> None:
    found = passing(DAYS, op, value)
    assert (found[0], found[-1], len(found)) == (first, last, many)


def test_a_finer_date_than_the_step_is_compared_with_the_begin_of_the_period() -> None:
    assert passing(MONTHS, ">=", "2024-11-02")[0] == "2024-12"
    assert passing(MONTHS, "<=", "2024-11-02")[-1] == "2024-11"
    assert passing(MONTHS, "=", "2024-11-02") == []


@pytest.mark.parametrize("domain", [DAYS, HOURS, MONTHS, date_domain("2023-Q3", "2025", "quarter")])
def test_every_date_lies_in_the_bin_that_pythons_calendar_says(domain: DateDomain) -> None:
    for part in PARTS[domain.unit]:
        grouping, names = by_calendar(part, 0, domain), names_of(part, domain)
        assert len(names) == grouping.rest == how_many(part, domain)
        assert len(grouping.ranges) == how_many_ranges(part, domain)
        for code in range(int(domain.top) + 1):
            place = grouping.turned(code)
            (at,) = [n for n, (low, high) in enumerate(grouping.ranges) if low <= place <= high]
            assert names[grouping.bin_of_range(at)] == truly(
                part, start_of(domain.unit, domain.first + code)
            )


def truly(part: CalendarPart, second: int) -> str:
    moment = dt.datetime(1, 1, 1) + dt.timedelta(seconds=second)  # noqa: DTZ001
    iso = moment.isocalendar()
    return {
        CalendarPart.HOUR: moment.isoformat()[:13],
        CalendarPart.DAY: moment.isoformat()[:10],
        CalendarPart.WEEK: f"{iso.year}-W{iso.week:02}",
        CalendarPart.MONTH: moment.isoformat()[:7],
        CalendarPart.QUARTER: f"{moment.year}-Q{(moment.month + 2) // 3}",
        CalendarPart.YEAR: str(moment.year),
        CalendarPart.HOUR_OF_DAY: f"{moment.hour:02}",
        CalendarPart.WEEKDAY: str(iso.weekday),
        CalendarPart.MONTH_OF_YEAR: f"{moment.month:02}",
        CalendarPart.QUARTER_OF_YEAR: str((moment.month + 2) // 3),
    }[part]


@settings(deadline=None)
@given(st.sampled_from(list(DateStep)), st.integers(0, 80_000), st.integers(1, 3_000), st.data())
def test_bins_take_every_date_once_whatever_was_declared(
    step: DateStep, first: int, top: int, data: st.DataObject
) -> None:
    """D7: nothing falls between two months, quarters or years, nor in two of them."""
    texts = (period_text(step, number % 9_000) for number in (first, first + top))
    low, high = sorted(texts, key=span_of)
    if low == high:
        return
    domain = date_domain(low, high, step.value)
    part = data.draw(st.sampled_from(PARTS[step]))
    grouping = by_calendar(part, 0, domain)
    code = data.draw(st.integers(0, int(domain.top)))
    place = grouping.turned(code)
    assert sum(low <= place <= high for low, high in grouping.ranges) == 1


@pytest.mark.parametrize(
    ("raw", "path", "words"),
    [
        (question({"statistic": "sum", "column": "on"}), "statistics.0.column", "holds dates"),
        (question({"statistic": "variance", "column": "on"}), "statistics.0.column", "no variance"),
        (question(COUNT, group_by=[{"column": "on"}]), "group_by.0.by", "month"),
        (question(COUNT, group_by=[{"column": "on", "by": "hour"}]), "group_by.0.by", "weekday"),
        (question(COUNT, group_by=[{"column": "on", "by": {}}]), "group_by.0.by", "weekday"),
        (
            question(COUNT, group_by=[{"column": "on", "by": "month", "edges": ["2024", "2025"]}]),
            "group_by.0.by",
            "without edges",
        ),
        (
            question(COUNT, group_by=[{"column": "on", "edges": ["2024-02", "2024-01"]}]),
            "group_by.0.edges.1",
            "must rise",
        ),
        (
            question(COUNT, group_by=[{"column": "on", "edges": ["2024", 19_800]}]),
            "group_by.0.edges.1",
            "is no date",
        ),
        (
            question(COUNT, where=[{"column": "on", "op": "=", "value": "31.01.2024"}]),
            "where.0.value",
            "is no date",
        ),
        (
            question(COUNT, where=[{"column": "on", "op": "=", "value": True}]),
            "where.0.value",
            "is no date",
        ),
        (
            question(COUNT, where=[{"column": "on", "op": "between", "value": ["2025", "2024"]}]),
            "where.0.value",
            "swap them",
        ),
    ],
)
def test_what_cannot_be_asked_of_dates_is_refused_at_its_path(
    raw: dict[str, Any], path: str, words: str
) -> None:
    assert words in refusals(raw)[path]


def test_a_week_goes_into_no_month() -> None:
    weeks = date_domain("2024-W01", "2024-W52", "week")
    for part in ("month", "quarter", "year", "month_of_year", "quarter_of_year"):
        raw = question(COUNT, group_by=[{"column": "on", "by": part}])
        assert "end in the next: group it by week" in refusals(raw, weeks)["group_by.0.by"]
    raw = question(COUNT, group_by=[{"column": "on", "by": "weekday"}])
    assert "by week, or" in refusals(raw, weeks)["group_by.0.by"]


def test_more_groups_than_are_answered_are_refused_before_they_are_made() -> None:
    ages = date_domain("0001", "9999", "hour")
    raw = question(COUNT, group_by=[{"column": "on", "by": "hour"}])
    assert "more than" in refusals(raw, ages)["group_by.0.by"]
    raw = question(COUNT, group_by=[{"column": "on", "by": "month_of_year"}])
    assert "group it by year" in refusals(raw, ages)["group_by.0.by"]
