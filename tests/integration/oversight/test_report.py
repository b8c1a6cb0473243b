"""The month on paper: a PDF that is the same for the same figures, with text that can be read."""

import re
import zlib
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from uuid import uuid4

import pytest
from django.test import Client

from dpgov.approvals.models import ChangeRequest
from dpgov.budgets.models import Budget
from dpgov.budgets.services.raising import RAISE_LIMIT
from dpgov.datasets.models import Dataset
from dpgov.oversight.month.calendar import Month
from dpgov.oversight.month.course import Course
from dpgov.oversight.month.days import busy_days
from dpgov.oversight.month.decisions import Decided, Proof
from dpgov.oversight.month.month import MonthFigures, MonthRow, Others, RefusedQuestions
from dpgov.oversight.month.report import report_of
from dpgov.oversight.month.standing import Stand
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.accounting.loss import PURE
from dpgov.tenants.models import Membership, User
from dpgov.web.paper.charts import round_up

NOVEMBER = Month(date(2026, 11, 1))
VISITS = Dataset(name="Visits", budget=Budget())


def figures(lines: int = 2) -> MonthFigures:
    some = tuple(
        MonthRow(f"Žluťoučký {n}", asked=n, amounts=Counter({PURE: n * 10**9}))
        for n in range(lines)
    )
    return MonthFigures(
        month=NOVEMBER,
        datasets=some,
        people=some,
        refusals=(RefusedQuestions(User(name="Ана"), VISITS, "budget", 3, NANO // 2),),
        decisions={"Approved": 1},
        steps=(Others("DATASET_REGISTERED", "Dataset registered", 2, "action:DATASET_REGISTERED"),),
    )


def whole() -> MonthFigures:
    """With budgets, a decision and the proof of the log."""
    olga, oscar = User(pk=uuid4(), name="Olga"), User(pk=uuid4(), name="Oscar")
    rejected = ChangeRequest(
        kind=RAISE_LIMIT,
        dataset="visits",
        payload={"before_epsilon": "1", "after_epsilon": "2"},
        state=ChangeRequest.State.REJECTED,
        requested_by=olga,
        reason="more",
        decided_by=oscar,
        decision_reason="no",
        decided_at=datetime(2026, 11, 1, 9, tzinfo=UTC),
    )
    return replace(
        figures(),
        stands=tuple(
            Stand(f"Žluťoučký {n}", "z", PURE, 10 * NANO, n * NANO, NANO, 0, 30) for n in range(2)
        ),
        decided=(Decided(rejected, {olga.pk: olga, oscar.pk: oscar}),),
        proof=Proof(120, "ab" * 32, datetime(2026, 12, 1, 0, 5, tzinfo=UTC), covers=True),
    )


def test_a_whole_month_fits_two_pages_to_be_signed() -> None:
    """Equal figures give equal bytes, another proof of the log others."""
    pdf = report_of("Harbour", whole())
    assert b"/Count 2\n" in pdf
    assert pdf == report_of("Harbour", whole())
    assert pdf != report_of("Harbour", replace(whole(), proof=None))


def drawn() -> MonthFigures:
    """With what was asked on the first and the last day, and on the last of the month before."""
    days = {date(2026, 11, 1): (3, NANO), date(2026, 11, 30): (1, 0), date(2026, 10, 31): (2, NANO)}
    return replace(whole(), days=days)


def test_each_day_stands_beside_that_of_the_month_before_as_bars_and_as_numbers() -> None:
    """Bars of three days of questions and two of ε, and the rows of the table."""
    kinds = {
        "none": whole(),
        "days": drawn(),
        "one": replace(drawn(), days={NOVEMBER.first: (3, 0)}),
    }
    bars = {name: _rectangles(report_of("Harbour", one)) for name, one in kinds.items()}
    assert bars["days"] - bars["none"] == 3 + 2 + _HEAD
    assert bars["one"] - bars["none"] == 1 + _HEAD
    rows = busy_days(NOVEMBER, drawn().days)
    assert [place for place, _now, _before in rows] == [1, 30, 31]


def test_a_budget_goes_down_by_steps_below_its_limit() -> None:
    """One filled area for each budget; equal courses give equal bytes."""
    stand = whole().stands[0]
    steps = ((1, 9 * NANO, 10 * NANO), (2, 8 * NANO, 10 * NANO), (3, 8 * NANO, 20 * NANO))
    courses = (Course(stand, steps), Course(stand, ()))
    pdf = report_of("Harbour", whole(), courses)
    assert pdf == report_of("Harbour", whole(), courses)
    other = replace(courses[0], days=((1, 0, NANO),))
    assert pdf != report_of("Harbour", whole(), (other, courses[1]))


@pytest.mark.parametrize(("most", "top"), [(0, 1), (1, 1), (3, 5), (7, 10), (21, 50), (100, 100)])
def test_an_axis_ends_with_a_round_number(most: int, top: int) -> None:
    assert round_up(most) == top


# The head of the table of days, one filled cell a column.
_HEAD = 5


def _rectangles(pdf: bytes) -> int:
    return sum(len(re.findall(rb"\bre f\b", one)) for one in streams(pdf))


def streams(pdf: bytes) -> list[bytes]:
    found = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", pdf, re.DOTALL)
    return [zlib.decompress(one) if one[:1] == b"x" else one for one in found]


def test_equal_figures_give_equal_bytes() -> None:
    assert report_of("Harbour", figures()) == report_of("Harbour", figures())
    assert report_of("Harbour", figures()) != report_of("Harbour", figures(3))


def test_the_report_names_its_language_and_title_and_has_an_outline() -> None:
    pdf = report_of("Harbour", figures())
    assert pdf.startswith(b"%PDF-")
    assert b"/Lang (en)" in pdf
    assert b"/Outlines" in pdf
    assert b"/CreationDate (D:20261201" in pdf


def test_its_text_can_be_read_by_a_machine() -> None:
    """Every letter of the fonts that are put in says which sign it stands for."""
    maps = [one for one in streams(report_of("Harbour", figures())) if b"beginbfchar" in one]
    letters = b"".join(maps).upper()
    for sign in "εŽťА":
        assert f"<{ord(sign):04X}>".encode() in letters


def test_a_long_month_takes_several_pages() -> None:
    assert b"/Count 1\n" in report_of("Harbour", figures())
    assert report_of("Harbour", figures(120)).count(b"/Type /Page\n") > 4


def test_an_empty_month_can_be_printed_too() -> None:
    nothing = MonthFigures(NOVEMBER, (), (), (), {}, ())
    assert len(report_of("Harbour", nothing)) > 1_000


@pytest.mark.django_db
def test_the_officer_gets_it_as_a_file(
    officer: Membership, client_for: Callable[[Membership], Client]
) -> None:
    answer = client_for(officer).get("/month/report/", {"month": "2026-11"})
    assert answer.headers["Content-Type"] == "application/pdf"
    assert 'filename="month-harbour-2026-11.pdf"' in answer.headers["Content-Disposition"]
    assert answer.content.startswith(b"%PDF-")


def test_the_licence_of_the_fonts_stands_beside_them() -> None:
    fonts = Path(__file__).parents[3] / "dpgov/web/paper/fonts"
    assert {path.name for path in fonts.iterdir()} >= {"LICENSE", "DejaVuSans.ttf"}
    assert "Bitstream Vera" in (fonts / "LICENSE").read_text()
