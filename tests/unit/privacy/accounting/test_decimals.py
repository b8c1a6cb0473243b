"""Amounts of ε at the border: exact integers of nano-ε, or a refusal that says what to do."""

import json
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpgov.privacy.accounting.decimals import (
    MAX_NANO,
    NANO,
    InvalidAmount,
    InvalidNumber,
    as_fraction,
    as_number,
    as_text,
    decimals_of,
    json_number,
    parse_epsilon,
    read_decimal,
)


@pytest.mark.parametrize(
    ("written", "nano"),
    [
        ("0.5", 500_000_000),
        (" 0.5 ", 500_000_000),
        (0.1, 100_000_000),
        (1, NANO),
        ("1e-9", 1),
        ("0.000000001", 1),
        (Decimal("0.30"), 300_000_000),
        ("1000", MAX_NANO),
        (1e-05, 10_000),
    ],
)
def test_an_amount_is_read_exactly(written: object, nano: int) -> None:
    assert parse_epsilon(written) == nano


REFUSED: list[Any] = [
    True,
    False,
    None,
    [],
    {},
    b"1",
    1j,
    "",
    " ",
    "0",
    0,
    0.0,
    -0.0,
    "-1",
    -1,
    "-0.1",
]
REFUSED += [float("nan"), float("inf"), float("-inf"), "nan", "NaN", "inf", "Infinity"]
REFUSED += ["１", "٠٫٥", "0,5", "1_000", "0x1", "1e", ".5", "5.", "+1", "1 2", "½", "१"]
REFUSED += ["1e-400", "1e-10", 1e-10, 5e-324, "0.0000000001", "0.1234567891", Decimal("1e-400")]
REFUSED += ["9" * 50, "0." + "1" * 50, "1000.000000001", "1e4", 10**50, "1e999", 2**5000]
REFUSED += [Decimal("NaN"), Decimal("sNaN"), Decimal("Infinity")]


@pytest.mark.parametrize("written", REFUSED, ids=lambda value: f"{type(value).__name__}")
def test_what_is_no_amount_is_refused_with_words(written: object) -> None:
    """A5: True, NaN, full-width digits, 1e-400 and fifty digits are not amounts."""
    with pytest.raises(InvalidAmount, match=r"^ε .+\.$"):
        parse_epsilon(written)


@given(nano=st.integers(1, MAX_NANO))
def test_every_amount_survives_text_and_json(nano: int) -> None:
    """A6: what is shown or sent reads back to the very same nano-ε."""
    assert parse_epsilon(as_text(nano)) == nano
    assert parse_epsilon(json.loads(json.dumps(as_number(nano)))) == nano
    assert as_fraction(nano) * NANO == nano


def test_amounts_are_written_without_noise() -> None:
    written = [as_text(nano) for nano in (1, 500_000_000, NANO, 0, -1_500_000_000)]
    assert written == ["0.000000001", "0.5", "1", "0", "-1.5"]


@pytest.mark.parametrize(
    "written",
    [
        "0.9999999999999999999999999999999",
        "0.50000000000000000000000000001",
        "-1.0000000000000000000000000000001",
        "12345678901234.000000000000000001",
        "999999999999999.99999999999999",
    ],
)
def test_a_number_of_too_many_digits_is_refused_and_never_rounded(written: str) -> None:
    with pytest.raises(InvalidNumber, match="significant digits"):
        read_decimal(written)


@given(
    st.decimals(min_value=-(10**14), max_value=10**14, places=18),
    st.integers(min_value=0, max_value=5),
)
def test_a_number_is_read_exactly_or_refused(number: Decimal, zeros: int) -> None:
    try:
        assert read_decimal(f"{number:f}{'0' * zeros}") == number
    except InvalidNumber as refused:
        assert str(refused)


@given(st.integers(-(10**6), 10**6), st.integers(0, 9))
def test_what_lies_in_the_middle_goes_to_the_even_neighbour(halves: int, places: int) -> None:
    """Above zero and below it."""
    rounded = round(Fraction(halves, 2))
    assert json_number(Fraction(halves, 2 * 10**places), places) == rounded / 10**places


@given(st.integers(-(10**9), 10**9), st.integers(0, 45), st.integers(0, 45))
def test_a_number_has_as_many_decimals_as_make_it_whole(top: int, twos: int, fives: int) -> None:
    """And forty where these are not enough."""
    value = Fraction(top, 2**twos * 5**fives)
    places = decimals_of(value)
    assert places == 40 or (value * 10**places).denominator == 1
    assert not places or (value * 10 ** (places - 1)).denominator > 1


@pytest.mark.parametrize("written", ["1e-12", "10e-13", "0.0000000000010"])
def test_a_number_has_up_to_twelve_decimals(written: str) -> None:
    """Zeros at its end are none."""
    assert read_decimal(written) == Decimal("1e-12")


@pytest.mark.parametrize("written", ["1e-13", "0.1000000000001"])
def test_a_number_of_more_decimals_is_refused(written: str) -> None:
    """Whatever number they make."""
    with pytest.raises(InvalidNumber, match="decimals"):
        read_decimal(written)
