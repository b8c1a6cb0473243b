"""What people type for numbers, in both languages of the pages."""

import pytest
from django import forms
from django.utils.translation import override

from dpgov.web.typed import TypedNumber, TypedWholeNumber, plain_number, split_numbers

UNDERSTOOD = [
    ("en", "0.05", "0.05"),
    ("en", " 12 ", "12"),
    ("en", "1,234", "1234"),
    ("en", "1,234.5", "1234.5"),
    ("en", "1,234,567", "1234567"),
    ("en", "1.234.567", "1234567"),
    ("en", "1.234", "1.234"),
    ("en", "1\u00a0234\u202f567", "1234567"),
    ("en", "10'000", "10000"),
    ("en", "\u22125", "-5"),
    ("en", "\u20135.5", "-5.5"),
    ("en", "1e3", "1e3"),
    ("en", "1e-6", "1e-6"),
    ("de", "0,05", "0.05"),
    ("de", "0.05", "0.05"),
    ("de", "0.125", "0.125"),
    ("de", "-12,5", "-12.5"),
    ("de", "1.234,5", "1234.5"),
    ("de", "1,234.5", "1234.5"),
    ("de", "12 000", "12000"),
    ("de", "1,234", "1.234"),
]


@pytest.mark.parametrize(("language", "typed", "plain"), UNDERSTOOD)
def test_a_number_is_understood_as_the_language_spells_it(
    language: str, typed: str, plain: str
) -> None:
    with override(language):
        assert TypedNumber().clean(typed) == plain


@pytest.mark.parametrize("text", ["many", "1,2,3", "1..2", "12,34,567", "1.2,3.4", ",5", "5 %"])
def test_what_is_no_number_is_left_to_whoever_reads_it(text: str) -> None:
    assert plain_number(text) == text


@pytest.mark.parametrize(
    ("language", "typed", "whole", "numbers"),
    [
        ("en", "0,05", False, ["0.05"]),
        ("en", "10.000", True, ["10000", "10"]),
        ("en", "1.500", True, ["1500", "1.5"]),
        ("de", "10,000", True, ["10000", "10"]),
        ("de", "1.125", False, ["1125", "1,125"]),
    ],
)
def test_a_mark_that_could_mean_either_is_refused_with_what_to_type(
    language: str, typed: str, whole: bool, numbers: list[str]
) -> None:
    field = TypedWholeNumber() if whole else TypedNumber()
    with override(language), pytest.raises(forms.ValidationError) as refusal:
        field.clean(typed)
    assert all(number in refusal.value.messages[0] for number in numbers)


@pytest.mark.parametrize(
    ("language", "typed", "number"),
    [
        ("en", "10,000", 10_000),
        ("en", "10 000", 10_000),
        ("en", "10.0", 10),
        ("de", "10.000", 10_000),
        ("de", "1.000.000", 1_000_000),
    ],
)
def test_thousands_may_be_marked(language: str, typed: str, number: int) -> None:
    with override(language):
        assert TypedWholeNumber().clean(typed) == number


def test_a_whole_number_is_still_held_to_its_bounds() -> None:
    with pytest.raises(forms.ValidationError, match="less than or equal to 5"):
        TypedWholeNumber(max_value=5).clean("1,000")
    with pytest.raises(forms.ValidationError, match="whole number"):
        TypedWholeNumber().clean("ten")


@pytest.mark.parametrize(
    ("language", "typed", "parts"),
    [
        ("en", "1, 2;3 4", ["1", "2", "3", "4"]),
        ("en", "0.25,0.5", ["0.25", "0.5"]),
        ("en", "100,200,30", ["100", "200", "30"]),
        ("de", "0,25; 0,5 1", ["0,25", "0,5", "1"]),
        ("de", "1, 2, 3", ["1", "2", "3"]),
    ],
)
def test_a_list_is_split_where_the_language_separates(
    language: str, typed: str, parts: list[str]
) -> None:
    with override(language):
        assert split_numbers(typed) == parts


def test_a_list_that_could_be_one_number_is_refused() -> None:
    with override("en"), pytest.raises(forms.ValidationError, match="1000, or a space"):
        split_numbers("1,000")
