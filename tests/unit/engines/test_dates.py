"""Dates of a file become the same integers whatever the file, and nothing is guessed."""

import datetime as dt
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpgov.engines.ingest.cells.distinct import cells_of
from dpgov.engines.ingest.refusal import Refused
from dpgov.engines.ingest.values import codes
from dpgov.privacy.plan.calendar import DateStep
from dpgov.privacy.plan.domains import date_domain
from dpgov.privacy.plan.schema import ColumnSpec, DateDomain
from tests.unit.engines.tables import ingest_here, number, stored_codes, write_csv, write_parquet

DAYS = date_domain("2024-01-01", "2024-12-31", "day")
BERLIN = date_domain("2024-03-31", "2024-10-31", "hour", "", "Europe/Berlin")
MOMENTS = st.datetimes(dt.datetime(1, 1, 3), dt.datetime(9999, 12, 28))  # noqa: DTZ001


def read(domain: DateDomain, *texts: str | None) -> list[str | None]:
    found = codes(cells_of(pa.array(texts, pa.string())), ColumnSpec("on", domain))
    return [None if code is None else domain.text(code) for code in found.to_pylist()]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2024-02-29", "2024-02-29"),
        (" 2024-01-31 ", "2024-01-31"),
        ("2024-01-31T23:59:59.999999999", "2024-01-31"),
        ("2024-01-31 23:59:59,5", "2024-01-31"),
        ("2024-01-31T23:30:00Z", "2024-01-31"),
        ("2024-01-31 23:30:00-01:00", "2024-02-01"),
        ("2024-02-01T00:30+0100", "2024-01-31"),
        # Outside the bounds it counts as the bound, as a number does.
        ("1999-12-31", "2024-01-01"),
        ("0001-01-01", "2024-01-01"),
        ("9999-12-31", "2024-12-31"),
        ("9999-12-31T23:59:59-12:00", "2024-12-31"),
    ],
)
def test_a_day_is_read(text: str, day: str) -> None:
    assert read(DAYS, text) == [day]


@pytest.mark.parametrize(
    "text",
    [
        "", "n/a", "2023-02-29", "2024-02-30", "2024-13-01", "2024-00-10", "2024-01-00",
        "24-01-31", "31.01.2024", "01/31/2024", "20240131", "2024-1-31", "2024", "2024-01",
        "2024-W05", "2024-Q1", "0000-01-01", "12024-01-01", "2024-01-31T24:00", "2024-01-31T12:60",
        "2024-01-31T23:59:60", "2024-01-31T12:00:00+1", "45322", "NaT", "2024-01-31T",
        "\uff12\uff10\uff12\uff14-01-31",
    ],
)  # fmt: skip
def test_what_is_no_day_is_missing_and_never_guessed(text: str) -> None:
    """D4: as a text in a column of numbers."""
    assert read(DAYS, text) == [None]


@pytest.mark.parametrize(
    ("layout", "text", "day"),
    [
        ("DD.MM.YYYY", "31.12.2024", "2024-12-31"),
        ("DD.MM.YYYY", "1.2.2024", "2024-02-01"),
        ("DD.MM.YYYY", "12/31/2024", None),
        ("DD.MM.YYYY", "31.12.24", None),
        ("DD.MM.YYYY", "2024-12-31", None),
        ("MM/DD/YYYY", "12/31/2024", "2024-12-31"),
        ("MM/DD/YYYY", "31/12/2024", None),
        ("MM/DD/YYYY", "2/3/2024", "2024-02-03"),
        ("DD/MM/YYYY", "2/3/2024", "2024-03-02"),
        ("YYYYMMDD", "20240229", "2024-02-29"),
        ("YYYYMMDD", "20230229", None),
        ("YYYYMMDD", "20240229.0", "2024-02-29"),
        ("DD.MM.YYYY HH:mm", "31.12.2024 23:59", "2024-12-31"),
        ("DD.MM.YYYY HH:mm", "31.12.2024 24:00", None),
    ],
)
def test_a_declared_format_is_the_only_one(layout: str, text: str, day: str | None) -> None:
    domain = date_domain("2024-01-01", "2024-12-31", "day", layout)
    assert read(domain, text) == [day]


@pytest.mark.parametrize(
    ("step", "text", "period"),
    [
        ("year", "2024-12-31", "2024"),
        ("year", "2024-Q4", "2024"),
        ("year", "2024-W01", None),
        ("quarter", "2024-03-31", "2024-Q1"),
        ("quarter", "2024-04-01", "2024-Q2"),
        ("quarter", "2024Q3", "2024-Q3"),
        ("quarter", "2024", None),
        ("month", "2024-02-29", "2024-02"),
        ("month", "2024-Q1", None),
        ("month", "2024-W05", None),
        # The last days of December may lie in the first week, and the first in the last.
        ("week", "2024-12-30", "2025-W01"),
        ("week", "2023-01-01", "2022-W52"),
        ("week", "2021-01-03", "2020-W53"),
        ("week", "2020-W53", "2020-W53"),
        ("week", "2021-W53", None),
        ("week", "2021-01", None),
        ("hour", "2024-01-31T14", "2024-01-31T14"),
        ("hour", "2024-01-31", None),
    ],
)
def test_a_cell_lies_in_one_period(step: str, text: str, period: str | None) -> None:
    assert read(date_domain("2020", "2025", step), text) == [period]


def test_months_without_days_are_read_by_their_format() -> None:
    domain = date_domain("2024-01", "2024-12", "month", "YYYYMM")
    assert read(domain, "202402", "202402.0", "202413", "2402") == [
        "2024-02",
        "2024-02",
        None,
        None,
    ]


@pytest.mark.parametrize(
    ("text", "hour"),
    [
        # On 31 March clocks went from 2 to 3: nobody's hour of that day is left out.
        ("2024-03-31T00:59:59Z", "2024-03-31T01"),
        ("2024-03-31T01:00:00Z", "2024-03-31T03"),
        ("2024-03-31T02:30", "2024-03-31T02"),
        # On 27 October the hour from 2 to 3 came twice; both are that hour.
        ("2024-10-27T00:30:00Z", "2024-10-27T02"),
        ("2024-10-27T01:30:00Z", "2024-10-27T02"),
        ("2024-10-27 02:30", "2024-10-27T02"),
        ("2024-07-01T12:00-0400", "2024-07-01T18"),
    ],
)
def test_offsets_are_read_on_the_wall_clock_of_the_declared_zone(text: str, hour: str) -> None:
    assert read(BERLIN, text) == [hour]


@given(st.sampled_from(list(DateStep)), MOMENTS)
def test_every_moment_lies_in_the_period_that_pythons_calendar_says(
    step: DateStep, moment: dt.datetime
) -> None:
    iso = moment.isocalendar()
    wanted = {
        DateStep.HOUR: f"{moment:%Y-%m-%dT%H}".rjust(13, "0"),
        DateStep.DAY: moment.date().isoformat(),
        DateStep.WEEK: f"{iso.year:04}-W{iso.week:02}",
        DateStep.MONTH: moment.date().isoformat()[:7],
        DateStep.QUARTER: f"{moment.year:04}-Q{(moment.month + 2) // 3}",
        DateStep.YEAR: f"{moment.year:04}",
    }
    assert read(date_domain("0001", "9999", step), moment.isoformat()) == [wanted[step]]


MIXED = [
    dt.datetime(2024, 2, 29, 23, 59, 59, 999_999, dt.UTC),
    None,
    dt.datetime(1969, 12, 31, 23, 59, 59, 1, dt.UTC),
    dt.datetime(2024, 10, 27, 1, 30, tzinfo=dt.UTC),
    dt.datetime(2031, 1, 1, tzinfo=dt.UTC),
]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "+05:30"])
def test_csv_and_parquet_give_equal_codes(tmp_path: Path, unit: str, zone: str) -> None:
    column = ColumnSpec("on", BERLIN)
    texts = [None if m is None else m.isoformat() for m in MIXED]
    moments = pa.array(MIXED, pa.timestamp("us", "UTC"))
    typed = moments.cast(pa.timestamp(unit, zone), safe=False)
    csv = write_csv(tmp_path / "one.csv", ["on"], [[text] for text in texts])
    parquet = write_parquet(tmp_path / "two.parquet", {"on": typed})
    for source in (csv, parquet):
        ingest_here(source, [column])
    assert stored_codes(csv) == stored_codes(parquet)
    assert stored_codes(csv)[1] == (None,)


def test_dates_of_a_parquet_file_have_one_spelling_whatever_was_declared(tmp_path: Path) -> None:
    days = [dt.date(2024, 2, 29), None, dt.date(1, 1, 1)]
    for kind in (pa.date32(), pa.date64()):
        source = write_parquet(tmp_path / f"{kind}.parquet", {"on": pa.array(days, kind)})
        layout = date_domain("2024-01-01", "2024-12-31", "day", "DD.MM.YYYY")
        ingest_here(source, [ColumnSpec("on", layout)])
        assert stored_codes(source) == [(59,), (None,), (0,)]


def test_a_missing_date_is_dropped_or_the_declared_one(tmp_path: Path) -> None:
    source = write_csv(tmp_path / "one.csv", ["on"], [["2024-01-03"], ["?"], [None]])
    ingest_here(source, [ColumnSpec("on", DAYS, impute_code=9)])
    assert stored_codes(source) == [(2,), (9,), (9,)]


@pytest.mark.parametrize(
    ("kind", "column"),
    [(pa.timestamp("us"), number("on", "2000", "2030")), (pa.time64("us"), ColumnSpec("on", DAYS))],
)
def test_a_type_that_cannot_be_meant_is_refused(
    tmp_path: Path, kind: pa.DataType, column: ColumnSpec
) -> None:
    source = write_parquet(tmp_path / "one.parquet", {"on": pa.array([1], pa.int64()).cast(kind)})
    with pytest.raises(Refused) as refused:
        ingest_here(source, [column])
    assert refused.value.column == "on"
