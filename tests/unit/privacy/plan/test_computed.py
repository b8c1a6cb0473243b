"""Computed columns: domains out of declarations, and integers that another reading agrees on.

D9: nothing undeclared gets into a value, and no value leaves its declared domain.
"""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpgov.privacy.plan.calendar import DateStep
from dpgov.privacy.plan.computed.computing import MISSING, computed_codes
from dpgov.privacy.plan.computed.declared import check_computed, domain_of, formula_of
from dpgov.privacy.plan.domains import category_domain, column_spec, date_domain, numeric_domain
from dpgov.privacy.plan.formula import Comparison, Formula, FormulaKind, formula_from
from dpgov.privacy.plan.schema import (
    CategoryDomain,
    ColumnSpec,
    DateDomain,
    InvalidDomain,
    NumericDomain,
)
from tests.examples import examples

DIFFERENCE, RATIO = FormulaKind.DIFFERENCE, FormulaKind.RATIO
SUM, PRODUCT = FormulaKind.SUM, FormulaKind.PRODUCT
BINS, FLAG = FormulaKind.BINS, FormulaKind.FLAG


def number(name: str, lower: str, upper: str, step: str = "1") -> ColumnSpec:
    return column_spec(name, numeric_domain(lower, upper, step), "drop", "")


def dates(name: str, lower: str, upper: str, step: DateStep = DateStep.DAY) -> ColumnSpec:
    return column_spec(name, date_domain(lower, upper, step), "drop", "")


AGE, PAY = number("age", "0", "120"), number("pay", "-10", "10", "0.25")
CAME, WENT = dates("came", "2024-01-01", "2024-12-31"), dates("went", "2024-01-05", "2025-01-31")
WARD = column_spec("ward", category_domain(["north", "south", "east"]), "drop", "")


def computed(
    kind: FormulaKind,
    operands: Sequence[ColumnSpec],
    compares: Comparison | None = None,
    constants: Sequence[str] = (),
    *,
    bounds: NumericDomain | None = None,
    names: Sequence[str] = (),
) -> ColumnSpec:
    """Declared as a page does it, and looked at as a door does."""
    formula = formula_of(kind, operands, compares, constants)
    domain = domain_of(formula, operands, names=names, bounds=bounds)
    spec = column_spec("made", domain, "drop", "", formula)
    check_computed(spec, {one.name: one for one in operands})
    return spec


def codes(spec: ColumnSpec, operands: Sequence[ColumnSpec], *rows: Sequence[int]) -> list[int]:
    columns = [np.array(column, np.int64) for column in zip(*rows, strict=True)]
    return [int(code) for code in computed_codes(spec, operands, columns)]


def test_a_difference_spans_both_ranges_in_the_largest_step_that_both_have() -> None:
    spec = computed(DIFFERENCE, [AGE, PAY])
    assert spec.domain == numeric_domain("-10", "130", "0.25")
    odd = computed(DIFFERENCE, [number("a", "0", "9", "1.5"), number("b", "0", "4", "1")])
    assert odd.domain == numeric_domain("-4", "9", "0.5")


def test_a_difference_of_dates_counts_their_steps() -> None:
    spec = computed(DIFFERENCE, [WENT, CAME])
    assert spec.domain == numeric_domain("-361", "396", "1")
    assert codes(spec, [WENT, CAME], (0, 0), (0, 4), (5, MISSING)) == [365, 361, MISSING]


def test_bins_are_named_by_their_ends_or_by_their_owner() -> None:
    spec = computed(BINS, [AGE], constants=["18", "65.0"])
    assert spec.domain == CategoryDomain(("0-17", "18-64", "65-120"))
    assert spec.formula is not None
    assert spec.formula.constants == ("18", "65")
    assert codes(spec, [AGE], (0,), (17,), (18,), (64,), (65,), (120,), (MISSING,)) == [
        *[0, 0, 1, 1, 2, 2, MISSING]
    ]
    called = computed(BINS, [AGE], constants=["18"], names=["young", "old"])
    assert called.domain == CategoryDomain(("young", "old"))
    quarters = computed(BINS, [CAME], constants=["2024-04", "2024-07-01"])
    assert isinstance(quarters.domain, CategoryDomain)
    assert quarters.domain.categories[0] == "2024-01-01 - 2024-03-31"


def test_what_is_no_listed_category_is_flagged_as_not_among_them() -> None:
    spec = computed(FLAG, [WARD], Comparison.AMONG, ["east", "north"])
    assert spec.domain == CategoryDomain(("yes", "no"))
    assert codes(spec, [WARD], (0,), (1,), (2,), (3,), (MISSING,)) == [0, 1, 0, 1, MISSING]


def test_a_formula_is_the_same_after_it_was_stored() -> None:
    for spec in (computed(DIFFERENCE, [AGE, PAY]), computed(BINS, [AGE], constants=["3"])):
        assert spec.formula is not None
        assert formula_from(spec.formula.as_json()) == spec.formula
    assert formula_from({}) is None


@pytest.mark.parametrize(
    ("kind", "operands", "compares", "constants", "field"),
    [
        (DIFFERENCE, [AGE, CAME], None, [], "second"),
        (DIFFERENCE, [CAME, dates("m", "2020", "2024", DateStep.MONTH)], None, [], "second"),
        (DIFFERENCE, [AGE, AGE], None, [], "second"),
        (DIFFERENCE, [AGE], None, [], "second"),
        (DIFFERENCE, [WARD, AGE], None, [], "first"),
        (RATIO, [AGE, CAME], None, [], "second"),
        (SUM, [AGE, CAME], None, [], "second"),
        (SUM, [CAME, WENT], None, [], "first"),
        (SUM, [AGE, AGE], None, [], "second"),
        (PRODUCT, [WENT, AGE], None, [], "first"),
        (PRODUCT, [AGE, WARD], None, [], "second"),
        (PRODUCT, [PAY, PAY], None, [], "second"),
        (BINS, [WARD], None, ["1"], "first"),
        (BINS, [AGE], None, [], "constants"),
        (BINS, [AGE], None, ["18", "18"], "constants"),
        (BINS, [AGE], None, ["65", "18"], "constants"),
        (BINS, [AGE], None, ["0"], "constants"),
        (BINS, [AGE], None, ["121"], "constants"),
        (BINS, [AGE], None, ["0.5"], "constants"),
        (BINS, [AGE], None, ["NaN"], "constants"),
        (BINS, [CAME], None, ["soon"], "constants"),
        (FLAG, [AGE], None, ["3"], "compares"),
        (FLAG, [AGE], Comparison.AMONG, ["3"], "compares"),
        (FLAG, [WARD], Comparison.EQUAL, ["north"], "compares"),
        (FLAG, [WARD], Comparison.AMONG, ["west"], "constants"),
        (FLAG, [WARD], Comparison.AMONG, [], "constants"),
        (FLAG, [AGE], Comparison.BELOW, ["0"], "constants"),
        (FLAG, [AGE], Comparison.AT_LEAST, ["0"], "constants"),
        (FLAG, [AGE], Comparison.EQUAL, ["1", "2"], "constants"),
        (FLAG, [CAME], Comparison.AT_MOST, ["2024-03"], "constants"),
    ],
)
def test_a_formula_that_cannot_be_is_refused_at_its_field(
    kind: FormulaKind,
    operands: list[ColumnSpec],
    compares: Comparison | None,
    constants: list[str],
    field: str,
) -> None:
    """D9"""
    with pytest.raises(InvalidDomain) as refused:
        formula_of(kind, operands, compares, constants)
    assert refused.value.field == field


def test_nothing_is_computed_from_what_is_computed_or_left_out() -> None:
    """D9"""
    spec = computed(BINS, [AGE], constants=["18"])
    with pytest.raises(InvalidDomain, match="is computed itself"):
        formula_of(FLAG, [spec], Comparison.AMONG, ["0-17"])
    with pytest.raises(InvalidDomain, match="is left out"):
        check_computed(spec, {})


def test_another_domain_than_the_formula_s_is_refused() -> None:
    """D9: the bounds of a difference are those of its columns, whatever a door was sent."""
    formula = formula_of(DIFFERENCE, [AGE, PAY])
    narrow = ColumnSpec("made", numeric_domain("0", "1", "1"), formula=formula)
    with pytest.raises(InvalidDomain, match="is declared otherwise than its formula computes it"):
        check_computed(narrow, {"age": AGE, "pay": PAY})
    unread = Formula(BINS, ("age",), None, ("018",))
    bins = ColumnSpec("made", CategoryDomain(("a", "b")), formula=unread)
    with pytest.raises(InvalidDomain, match="is declared otherwise than its formula computes it"):
        check_computed(bins, {"age": AGE})


STEPS = st.sampled_from(["0.01", "0.25", "0.3", "1", "1.5", "7", "1000"])


@st.composite
def numbers(draw: st.DrawFn, name: str) -> ColumnSpec:
    step, low = Fraction(draw(STEPS)), draw(st.integers(-1000, 1000))
    high = low + draw(st.integers(1, 2000))
    texts = (f"{float(low * step):.12g}", f"{float(high * step):.12g}", f"{float(step):.12g}")
    return number(name, *texts)


def a_code(spec: ColumnSpec) -> st.SearchStrategy[int]:
    top = spec.domain.top if isinstance(spec.domain, NumericDomain) else spec.domain.other
    return st.one_of(st.just(MISSING), st.just(0), st.just(top), st.integers(0, top))


def value(spec: ColumnSpec, code: int) -> Fraction:
    """What a code stands for, said here once more."""
    domain = spec.domain
    assert isinstance(domain, NumericDomain)
    first = domain.first if isinstance(domain, DateDomain) else 0
    return Fraction(domain.lower) + Fraction(domain.step) * code + first


@examples(150)
@given(st.data())
def test_differences_are_exact(data: st.DataObject) -> None:
    """D9, D2: as fractions, for every pair of values, extremes included."""
    operands = [data.draw(numbers("a")), data.draw(numbers("b"))]
    spec = computed(DIFFERENCE, operands)
    rows = data.draw(st.lists(st.tuples(*map(a_code, operands)), min_size=1, max_size=20))
    for (one, other), found in zip(rows, codes(spec, operands, *rows), strict=True):
        if MISSING in (one, other):
            assert found == MISSING
        else:
            assert value(spec, found) == value(operands[0], one) - value(operands[1], other)
            assert isinstance(spec.domain, NumericDomain)
            assert 0 <= found <= spec.domain.top


@examples(150)
@given(st.data())
def test_ratios_are_the_nearest_step_within_their_bounds(data: st.DataObject) -> None:
    """D9, D2: half a step goes to the even multiple, as `round` of a fraction does."""
    operands = [data.draw(numbers("a")), data.draw(numbers("b"))]
    bounds = data.draw(numbers("r")).domain
    assert isinstance(bounds, NumericDomain)
    spec = computed(RATIO, operands, bounds=bounds)
    rows = data.draw(st.lists(st.tuples(*map(a_code, operands)), min_size=1, max_size=20))
    for (one, other), found in zip(rows, codes(spec, operands, *rows), strict=True):
        if MISSING in (one, other) or value(operands[1], other) == 0:
            assert found == MISSING
            continue
        ratio = value(operands[0], one) / value(operands[1], other)
        inside = min(max(ratio, Fraction(bounds.lower)), Fraction(bounds.upper))
        assert found == round(inside / Fraction(bounds.step)) - bounds.lower_steps


@examples(100)
@given(st.data())
def test_each_value_is_in_the_bin_and_on_the_side_that_the_constants_say(
    data: st.DataObject,
) -> None:
    """D9, D7: one bin for each value, on an edge that of the edge."""
    column = data.draw(numbers("a"))
    domain = column.domain
    assert isinstance(domain, NumericDomain)
    edges = sorted(data.draw(st.sets(st.integers(1, domain.top), min_size=1, max_size=9)))
    constants = [f"{float(value(column, edge)):.12g}" for edge in edges]
    rows = [(code,) for code in range(-1, min(domain.top, 300))]
    spec = computed(BINS, [column], constants=constants)
    for (code,), found in zip(rows, codes(spec, [column], *rows), strict=True):
        reached = sum(value(column, edge) <= value(column, code) for edge in edges)
        assert found == (MISSING if code == MISSING else reached)
    says = {
        Comparison.EQUAL: lambda a, b: a == b,
        Comparison.UNEQUAL: lambda a, b: a != b,
        Comparison.BELOW: lambda a, b: a < b,
        Comparison.ABOVE: lambda a, b: a > b,
        Comparison.AT_MOST: lambda a, b: a <= b,
        Comparison.AT_LEAST: lambda a, b: a >= b,
    }
    compares = data.draw(st.sampled_from(list(says)))
    limit = value(column, edges[0])
    try:
        flag = computed(FLAG, [column], compares, constants[:1])
    except InvalidDomain:
        assert edges[0] == domain.top
        return
    for (code,), found in zip(rows, codes(flag, [column], *rows), strict=True):
        so = says[compares](value(column, code), limit)
        assert found == (MISSING if code == MISSING else 0 if so else 1)


def test_half_a_step_goes_to_the_even_multiple() -> None:
    """D9: as every number of a file is rounded."""
    operands = [number("a", "-9", "9"), number("b", "-2", "2")]
    spec = computed(RATIO, operands, bounds=numeric_domain("-3", "3", "1"))
    halves = {1: 0, 3: 2, 5: 2, -1: 0, -3: -2, -5: -2}
    for below in (2, -2):
        rows = [(above + 9, below + 2) for above in halves]
        signed = [even * below // 2 + 3 for even in halves.values()]
        assert codes(spec, operands, *rows) == signed


def test_a_division_by_zero_is_missing_and_a_huge_one_is_the_bound() -> None:
    """D9: total, and exact where a float has no room left."""
    large = number("n", "0", "999999999999999")
    spec = computed(RATIO, [large, large_two()], bounds=numeric_domain("0", "2", "0.000000000001"))
    top = 2 * 10**12
    rows = [(10**15 - 1, 0), (10**15 - 1, 1), (0, 1), (10**15 - 1, 10**15 - 1), (1, 3)]
    assert codes(spec, [large, large_two()], *rows) == [MISSING, top, 0, 10**12, 333333333333]


def large_two() -> ColumnSpec:
    return number("m", "0", "999999999999999")
