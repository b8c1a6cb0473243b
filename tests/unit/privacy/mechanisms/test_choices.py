"""D1 for noisy choices: no neighbouring table moves their scores further than is paid for."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any
from unittest import mock

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from dpgov.privacy.accounting.loss import Loss, Mode
from dpgov.privacy.answer.blueprint import Blueprint
from dpgov.privacy.mechanisms.extremes import Extreme
from dpgov.privacy.mechanisms.quantiles import Quantiles
from dpgov.privacy.noise import sampling
from dpgov.privacy.plan.domains import column_spec, numeric_domain
from dpgov.privacy.plan.request import Counts
from dpgov.privacy.plan.schema import MissingRule, Neighbouring, PrivacyUnit
from tests.reference import Owned, Row
from tests.unit.privacy.tables import (
    blueprint_of,
    filters,
    measured,
    owned,
    question,
    rows_of,
    schema_of,
)

Rows = list[Row] | list[Owned]
RELATIONS = list(Neighbouring)
SEED = 4


@dataclass(frozen=True, slots=True)
class Choice:
    """One noisy choice as it was asked of the sampler."""

    scores: list[int]
    sensitivity: int
    loss: Loss


def choices(blueprint: Blueprint, place: int, rows: Rows) -> list[Choice]:
    """Every choice that a mechanism makes of these rows; all tables get the same outcomes."""
    asked: list[Choice] = []
    outcome = Random(SEED)

    def highest(scores: Counts, *, sensitivity: int, loss: Loss) -> int:
        asked.append(Choice(scores.tolist(), sensitivity, loss))
        return outcome.randrange(len(scores))

    with mock.patch.object(sampling, "highest", highest):
        blueprint.mechanisms[place].run(measured(blueprint, place, rows))
    return asked


def depths(orders: int) -> Iterator[int]:
    """How many choices come before each one that decide what it is asked."""
    spans = [(0, orders, 0)]
    while spans:
        first, last, depth = spans.pop()
        if first < last:
            middle = (first + last) // 2
            yield depth
            spans += [(first, middle, depth + 1), (middle + 1, last, depth + 1)]


def moved(before: Choice, after: Choice) -> Fraction:
    """The farthest that a score moved, as a part of what its noise allows."""
    pairs = zip(before.scores, after.scores, strict=True)
    assert (before.sensitivity, before.loss) == (after.sensitivity, after.loss)
    return Fraction(max(abs(x - y) for x, y in pairs), before.sensitivity)


def check_all_choices(blueprint: Blueprint, before: Rows, after: Rows) -> None:
    """At one depth, the parts of all cells and spans together are at most the whole."""
    for place, mechanism in enumerate(blueprint.mechanisms):
        orders = len(mechanism.orders) if isinstance(mechanism, Quantiles) else 1
        levels = list(depths(orders)) * blueprint.cells
        together = [Fraction(0)] * (max(levels) + 1)
        pairs = zip(*(choices(blueprint, place, rows) for rows in (before, after)), strict=True)
        for level, pair in zip(levels, pairs, strict=True):
            together[level] += moved(*pair)
        for level, found in enumerate(together):
            event(f"depth {level} attains what is paid for: {found == 1}")
            assert found <= 1
        paid = max(choice.loss.nano for choice in choices(blueprint, place, before))
        assert paid * len(together) <= mechanism.loss.nano


def asked() -> st.SearchStrategy[dict[str, Any]]:
    """Plans of quantiles and extremes, filtered and grouped."""
    names = st.sampled_from(["median", "min", "max"]).map(
        lambda name: {"statistic": name, "column": "change"}
    )
    some = st.sampled_from([0.05, 0.2, 0.25, 0.5, 0.7, 0.9, 0.99])
    orders = st.lists(some, min_size=1, unique=True)
    several = orders.map(
        lambda found: {"statistic": "quantiles", "column": "change", "quantiles": sorted(found)}
    )
    group = st.sampled_from(["sex", "hours"]).map(
        lambda name: {"column": name} | ({"edges": [1, 40, 41, 99]} if name == "hours" else {})
    )
    return st.fixed_dictionaries(
        {
            "statistics": st.one_of(names, several).map(lambda one: [one]),
            "where": st.lists(filters(), max_size=1),
            "group_by": st.lists(group, max_size=1),
            # At the smaller one, rows at the edges of a candidate don't count for it.
            "epsilon": st.sampled_from([1, 0.02]),
        }
    )


@given(raw=asked(), rows=st.lists(rows_of(), max_size=8), data=st.data())
@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("size", [1, 3])
@pytest.mark.parametrize("relation", RELATIONS)
def test_a_group_of_rows_moves_no_score_further_than_is_paid_for(
    relation: Neighbouring,
    size: int,
    mode: Mode,
    raw: dict[str, Any],
    rows: list[Row],
    data: st.DataObject,
) -> None:
    """D1: cells share a price as their rows differ, and so do the spans of one depth."""
    group = data.draw(st.lists(rows_of(), min_size=1, max_size=size))
    before = list(rows)
    if relation is Neighbouring.CHANGE_ONE:
        before += data.draw(st.lists(rows_of(), min_size=len(group), max_size=len(group)))
    schema = schema_of(
        neighbouring=relation, group_size=size, mode=mode, public_rows=len(rows) + len(group)
    )
    check_all_choices(blueprint_of(raw, schema), before, rows + group)


@given(raw=asked(), data=st.data())
@pytest.mark.parametrize("relation", RELATIONS)
def test_a_person_with_several_rows_moves_no_score_further_than_is_paid_for(
    relation: Neighbouring, raw: dict[str, Any], data: st.DataObject
) -> None:
    """D1, D6: rows beyond the person's limit are cut off first."""
    person = st.lists(rows_of(), min_size=1, max_size=5)
    others, one = data.draw(st.lists(person, max_size=2)), data.draw(person)
    other = [data.draw(person)] if relation is Neighbouring.CHANGE_ONE else []
    unit = PrivacyUnit(private_id="person", max_rows_per_unit=3)
    blueprint = blueprint_of(raw, schema_of(neighbouring=relation, unit=unit))
    check_all_choices(blueprint, owned([*others, *other]), owned([*others, one]))


@pytest.mark.parametrize("order", ["0.5", "0.25", "0.9"])
@pytest.mark.parametrize("relation", RELATIONS)
def test_the_sensitivity_of_a_quantile_is_attained(relation: Neighbouring, order: str) -> None:
    """D1: otherwise the test above would be too easy to pass."""
    schema = schema_of(neighbouring=relation, public_rows=100)
    raw = question({"statistic": "quantiles", "column": "hours", "quantiles": [float(order)]})
    blueprint = blueprint_of(raw, schema)
    low: Row = (0, 0, 0, 0)
    high: Row = (0, 98, 0, 0)
    base, more = (low, high) if Fraction(order) > Fraction(1, 2) else (high, low)
    before = [base] * 9 if relation is Neighbouring.ADD_REMOVE else [base] * 10
    (one,), (other,) = (choices(blueprint, 0, rows) for rows in (before, [base] * 9 + [more]))
    assert moved(one, other) == 1


def test_a_score_is_nought_for_the_candidate_that_holds_the_rank() -> None:
    """Values that many rows share are not passed over: 9 of 10 rows at one value, any quantile."""
    rows: list[Row] = [(0, code, 0, 0) for code in (*[50] * 9, 98)]
    for order in (0.1, 0.3, 0.5, 0.89):
        raw = question({"statistic": "quantiles", "column": "hours", "quantiles": [order]})
        (choice,) = choices(blueprint_of(raw, schema_of()), 0, rows)
        assert [place for place, score in enumerate(choice.scores) if score == 0] == [50]


@pytest.mark.parametrize(("name", "code"), [("min", 20), ("max", 60)])
def test_an_extreme_is_looked_for_inside_the_data(name: str, code: int) -> None:
    """With 1,000 rows at each end, the best candidate is the end itself."""
    rows: list[Row] = [(0, code, 0, 0) for code in [20] * 1000 + [60] * 1000]
    blueprint = blueprint_of(question({"statistic": name, "column": "hours"}), schema_of())
    (mechanism,) = blueprint.mechanisms
    assert isinstance(mechanism, Extreme)
    (choice,) = choices(blueprint, 0, rows)
    scores = choice.scores if name == "min" else choice.scores[::-1]
    assert [place for place, score in enumerate(scores) if score == 0] == [code]
    assert 0 < mechanism.aim < 1000


@pytest.mark.parametrize("mode", list(Mode))
def test_many_fine_candidates_are_few_enough_to_be_drawn(mode: Mode) -> None:
    """C8: a grid is a public number of candidates, whatever the bounds and cells."""
    wide = column_spec("x", numeric_domain("0", "1000000", "0.01"), MissingRule.DROP, "")
    for orders in ([0.5], [0.25, 0.5, 0.75]):
        raw = question({"statistic": "quantiles", "column": "x", "quantiles": orders})
        blueprint = blueprint_of(raw, schema_of(wide, mode=mode))
        rows: list[Row] = [(7,)] * 10
        (found, *_) = choices(blueprint, 0, rows)
        assert 2 <= len(found.scores) <= 65_536
