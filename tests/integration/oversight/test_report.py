"""The month on paper: a PDF that is the same for the same figures, with text that can be read."""

import re
import zlib
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from django.test import Client

from dpgov.oversight.month.calendar import Month
from dpgov.oversight.month.decisions import Decided, Proof
from dpgov.oversight.month.month import MonthFigures, Others, Refused, Row
from dpgov.oversight.month.report import report_of
from dpgov.oversight.month.standing import Stand
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.accounting.loss import PURE
from dpgov.tenants.models import Membership

NOVEMBER = Month(date(2026, 11, 1))


def figures(lines: int = 2) -> MonthFigures:
    some = tuple(
        Row(f"Žluťoučký {n}", asked=n, charged=Counter({PURE: n * 10**9})) for n in range(lines)
    )
    return MonthFigures(
        month=NOVEMBER,
        datasets=some,
        people=some,
        refusals=(Refused("Ана", "Visits", "Did not fit what remained", 3, "ε 0.5"),),
        nearly_spent=(),
        decisions={"Approved": 1},
        steps=(Others("DATASET_REGISTERED", "Dataset registered", 2, "action:DATASET_REGISTERED"),),
    )


def whole() -> MonthFigures:
    """With budgets, a decision and the proof of the log."""
    return replace(
        figures(),
        stands=tuple(
            Stand(f"Žluťoučký {n}", "z", PURE, 10 * NANO, n * NANO, NANO, 0, 30) for n in range(2)
        ),
        decided=(
            Decided(
                NOVEMBER.first, "Raise a limit", "visits", "Rejected", "Olga", "more", "Oscar", "no"
            ),
        ),
        proof=Proof(120, "ab" * 32, datetime(2026, 12, 1, 0, 5, tzinfo=UTC), covers=True),
    )


def test_a_whole_month_fits_two_pages_to_be_signed() -> None:
    """Equal figures give equal bytes, another proof of the log others."""
    pdf = report_of("Harbour", whole())
    assert b"/Count 2\n" in pdf
    assert pdf == report_of("Harbour", whole())
    assert pdf != report_of("Harbour", replace(whole(), proof=None))


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
    nothing = MonthFigures(NOVEMBER, (), (), (), (), {}, ())
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
