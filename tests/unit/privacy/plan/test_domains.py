"""Declared domains: what an owner may write down, and what is refused at which field."""

from decimal import Decimal

import pytest

from dpgov.privacy.plan.domains import (
    category_domain,
    check_capacity,
    column_spec,
    numeric_domain,
)
from dpgov.privacy.plan.schema import (
    LARGEST_SUM,
    DatasetSchema,
    InvalidDomain,
    MissingRule,
    Neighbouring,
    NumericDomain,
    PrivacyUnit,
)


def test_bounds_and_step_are_exact_decimals() -> None:
    domain = numeric_domain("-0.3", " 1e1 ", "0.1")
    assert domain == NumericDomain(Decimal("-0.3"), Decimal(10), Decimal("0.1"))
    assert (domain.lower_steps, domain.upper_steps, domain.top) == (-3, 100, 103)


@pytest.mark.parametrize(
    ("lower", "upper", "step", "field"),
    [
        ("10", "5", "1", "upper"),
        ("5", "5", "1", "upper"),
        ("inf", "5", "1", "lower"),
        ("0", "Infinity", "1", "upper"),
        ("nan", "5", "1", "lower"),
        ("", "5", "1", "lower"),
        ("0", "five", "1", "upper"),
        ("0", "٥", "1", "upper"),
        ("0", "5_0", "1", "upper"),
        ("0", "5", "0", "step"),
        ("0", "5", "-1", "step"),
        ("0", "5", "1e-13", "step"),
        ("0.5", "5", "1", "lower"),
        ("0", "5.5", "1", "upper"),
        ("0", "1e15", "1", "upper"),
        ("0", "100000000000001", "0.000000000001", "step"),
        ("0", "5", "0.1234567890123456", "step"),
        (True, "5", "1", "lower"),
    ],
)
def test_bounds_that_cannot_be_used_are_refused_at_their_field(
    lower: str, upper: str, step: str, field: str
) -> None:
    """D5: swapped, equal, infinite or absent bounds never make a domain."""
    with pytest.raises(InvalidDomain) as refusal:
        numeric_domain(lower, upper, step)
    assert refusal.value.field == field
    assert str(refusal.value).endswith(".")


def test_categories_keep_their_order_and_lose_spaces_around_them() -> None:
    domain = category_domain([" b ", "a"])
    assert domain.categories == ("b", "a")
    assert domain.other == 2


@pytest.mark.parametrize(
    "names",
    [
        [],
        ["a", "a"],
        ["a", " a"],
        [""],
        ["  "],
        ["a\x00"],
        ["a\u202eb"],
        ["x" * 201],
        [True],
        [str(number) for number in range(1001)],
    ],
)
def test_categories_that_cannot_be_used_are_refused(names: list[str]) -> None:
    """D5: none, repeated, empty, invisible, too long or too many."""
    with pytest.raises(InvalidDomain) as refusal:
        category_domain(names)
    assert refusal.value.field == "categories"


def test_an_imputed_value_becomes_its_code() -> None:
    numbers = column_spec("x", numeric_domain("-1", "1", "0.5"), "impute", "0.5")
    names = column_spec("y", category_domain(["a", "b"]), MissingRule.IMPUTE, "b")
    assert (numbers.impute_code, names.impute_code) == (3, 1)
    assert not numbers.may_be_missing


def test_a_dropped_column_ignores_the_imputed_value() -> None:
    spec = column_spec("x", numeric_domain("0", "1", "1"), "drop", "left over")
    assert spec.impute_code is None
    assert spec.may_be_missing


@pytest.mark.parametrize("value", ["", "2", "0.25", "nan", "-1.5"])
def test_an_imputed_value_off_the_domain_is_refused(value: str) -> None:
    """D4: the stand-in for missing values is itself a value of the domain."""
    with pytest.raises(InvalidDomain) as refusal:
        column_spec("x", numeric_domain("-1", "1", "0.5"), "impute", value)
    assert refusal.value.field == "impute"


@pytest.mark.parametrize(
    ("name", "missing", "field"),
    [("", "drop", "name"), ("a\nb", "drop", "name"), ("a", "x", "missing")],
)
def test_a_column_without_a_name_or_rule_is_refused(name: str, missing: str, field: str) -> None:
    with pytest.raises(InvalidDomain) as refusal:
        column_spec(name, category_domain(["a"]), missing, "")
    assert refusal.value.field == field


def schema(lower: str, upper: str, *, max_rows: int, group_size: int = 1) -> DatasetSchema:
    column = column_spec("x", numeric_domain(lower, upper, "1"), "drop", "")
    return DatasetSchema((column,), PrivacyUnit(), Neighbouring.ADD_REMOVE, group_size, max_rows)


@pytest.mark.parametrize(("lower", "upper"), [("0", "1024"), ("-1024", "0"), ("1000", "1024")])
def test_sums_just_within_the_exact_range_are_allowed_and_just_beyond_refused(
    lower: str, upper: str
) -> None:
    """D3: the size is checked when the dataset is registered, not when it is queried."""
    check_capacity(schema(lower, upper, max_rows=LARGEST_SUM // 1024))
    with pytest.raises(InvalidDomain) as refusal:
        check_capacity(schema(lower, upper, max_rows=LARGEST_SUM // 1024 + 1))
    assert refusal.value.field == "max_rows"


def test_the_range_of_a_column_counts_where_it_is_wider_than_its_values() -> None:
    """D3: codes are counted from the lower bound, so a range around zero is the largest."""
    check_capacity(schema("-512", "512", max_rows=LARGEST_SUM // 1024))
    with pytest.raises(InvalidDomain):
        check_capacity(schema("-512", "512", max_rows=LARGEST_SUM // 1024 + 1))


@pytest.mark.parametrize("size", [0, -1, 1001])
def test_a_group_size_outside_its_range_is_refused(size: int) -> None:
    with pytest.raises(InvalidDomain) as refusal:
        check_capacity(schema("0", "1", max_rows=1, group_size=size))
    assert refusal.value.field == "group_size"


def test_a_group_that_could_move_a_sum_too_far_is_refused() -> None:
    """D3: influence on a sum stays exact too."""
    wide = str(2**46)
    check_capacity(schema("0", wide, max_rows=1, group_size=2**6))
    with pytest.raises(InvalidDomain) as refusal:
        check_capacity(schema("0", wide, max_rows=1, group_size=2**6 + 1))
    assert refusal.value.field == "group_size"


@pytest.mark.parametrize("rows", [0, LARGEST_SUM + 1])
def test_a_row_limit_outside_its_range_is_refused(rows: int) -> None:
    with pytest.raises(InvalidDomain) as refusal:
        check_capacity(schema("0", "1", max_rows=rows))
    assert refusal.value.field == "max_rows"
