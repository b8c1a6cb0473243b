"""D9, D2: what two declared ranges can make together: every value of it, and nothing wider."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpgov.privacy.plan.computed.computing import MISSING
from dpgov.privacy.plan.computed.spans import ratio_bounds
from dpgov.privacy.plan.domains import numeric_domain
from dpgov.privacy.plan.formula import FormulaKind
from dpgov.privacy.plan.schema import ColumnSpec, InvalidDomain, NumericDomain
from tests.examples import examples
from tests.unit.privacy.plan.test_computed import (
    AGE,
    PAY,
    PRODUCT,
    SUM,
    a_code,
    codes,
    computed,
    number,
    numbers,
    value,
)


def domain(spec: ColumnSpec) -> NumericDomain:
    assert isinstance(spec.domain, NumericDomain)
    return spec.domain


def test_sums_and_products_span_what_both_ranges_can_make() -> None:
    """D9: corners of both ranges, in steps of both."""
    assert computed(SUM, [AGE, PAY]).domain == numeric_domain("-10", "130", "0.25")
    assert computed(PRODUCT, [AGE, PAY]).domain == numeric_domain("-1200", "1200", "0.25")
    below = number("c", "-8", "-2", "0.5")
    assert computed(PRODUCT, [below, PAY]).domain == numeric_domain("-80", "80", "0.125")
    assert computed(PRODUCT, [below, number("d", "3", "4")]).domain == numeric_domain(
        "-32", "-6", "0.5"
    )
    assert codes(computed(PRODUCT, [AGE, PAY]), [AGE, PAY], (0, 0), (120, 0), (3, MISSING)) == [
        *[4800, 0, MISSING]
    ]


def test_a_ratio_takes_bounds_from_its_columns_where_the_second_is_never_zero() -> None:
    """D9: whole steps around all that can be; else nothing follows."""
    hours, half = number("h", "3", "7"), number("n", "-2", "-1", "0.5")
    for one, other, bounds in (
        (AGE, hours, ("0", "40", "0.1")),
        (AGE, number("h", "7", "9"), ("0", "17.2", "0.1")),
        (PAY, half, ("-10", "10", "0.1")),
    ):
        assert ratio_bounds(domain(one), domain(other), "0.1") == numeric_domain(*bounds)
    for zero in (AGE, PAY, number("z", "-3", "0")):
        with pytest.raises(InvalidDomain, match="may be zero") as refused:
            ratio_bounds(domain(AGE), domain(zero), "0.1")
        assert refused.value.field == "lower"
    for step in ("0", "-1", "x", "0.0000000000001"):
        with pytest.raises(InvalidDomain) as refused:
            ratio_bounds(domain(AGE), domain(hours), step)


@examples(150)
@given(st.data(), st.sampled_from([SUM, PRODUCT]))
def test_sums_and_products_are_exact(data: st.DataObject, kind: FormulaKind) -> None:
    """D9, D2: as fractions, and both ends are reached by some row: no bound is wider than it is."""
    operands = [data.draw(numbers("a")), data.draw(numbers("b"))]
    spec = computed(kind, operands)
    made = domain(spec)
    tops = [domain(one).top for one in operands]
    corners = [(one, other) for one in (0, tops[0]) for other in (0, tops[1])]
    rows = corners + data.draw(st.lists(st.tuples(*map(a_code, operands)), max_size=20))
    found = codes(spec, operands, *rows)
    for (one, other), code in zip(rows, found, strict=True):
        if MISSING in (one, other):
            assert code == MISSING
            continue
        first, second = value(operands[0], one), value(operands[1], other)
        assert value(spec, code) == (first + second if kind is SUM else first * second)
        assert 0 <= code <= made.top
    assert {0, made.top} <= set(found[:4])


@examples(150)
@given(st.data())
def test_no_ratio_passes_the_bounds_that_follow_from_its_columns(data: st.DataObject) -> None:
    """D9: nothing is clipped, and a step less on either side would clip."""
    one, other = data.draw(numbers("a")), data.draw(numbers("b"))
    step = data.draw(st.sampled_from(["0.01", "0.25", "1"]))
    if value(other, 0) <= 0 <= value(other, domain(other).top):
        with pytest.raises(InvalidDomain):
            ratio_bounds(domain(one), domain(other), step)
        return
    bounds = ratio_bounds(domain(one), domain(other), step)
    ratios = [
        value(one, x) / value(other, y)
        for x in (0, domain(one).top)
        for y in (0, domain(other).top)
    ]
    for inside in ratios:
        assert Fraction(bounds.lower) <= inside <= Fraction(bounds.upper)
    assert min(ratios) < Fraction(bounds.lower) + Fraction(step)
    assert max(ratios) > Fraction(bounds.upper) - Fraction(step)


def test_what_cannot_be_held_exactly_is_refused() -> None:
    """D9, D2: more steps than 2^53, more places than twelve, more digits than fifteen."""
    wide, cents = number("n", "0", "999999999999"), number("c", "0", "99999", "0.01")
    fine = number("f", "0", "1", "0.00000001")
    for kind, operands in (
        (PRODUCT, [wide, cents]),
        (PRODUCT, [wide, number("m", "-99999", "0")]),
        (PRODUCT, [fine, number("g", "0", "1", "0.00001")]),
        (SUM, [wide, number("t", "0", "1", "0.00001")]),
    ):
        with pytest.raises(InvalidDomain, match="cannot be held exactly") as refused:
            computed(kind, operands)
        assert refused.value.field == "second"
    largest = number("l", "-31622776", "31622776")
    spec = computed(PRODUCT, [largest, number("k", "-31622776", "31622776")])
    ends = [(0, 0), (2 * 31622776, 0), (0, 2 * 31622776)]
    assert codes(spec, [largest, largest], *ends) == [2 * 31622776**2, 0, 0]
