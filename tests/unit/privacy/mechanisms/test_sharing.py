"""Which statistics share a draw, and how the price is shared out."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given

from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.mechanisms.choice import Family, families
from dpgov.privacy.plan.domains import column_spec, numeric_domain
from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.privacy.plan.schema import MissingRule
from tests.reference import Row
from tests.unit.privacy.tables import (
    COUNT,
    MEAN_AGE,
    SUM_AGE,
    blueprint_of,
    question,
    questions,
    release_of,
    schema_of,
)

VARIANCE = {"statistic": "variance", "column": "age"}
MEDIAN = {"statistic": "median", "column": "age"}
QUARTILES = {"statistic": "quantiles", "column": "age", "quantiles": [0.25, 0.75]}
MEAN_HOURS = {"statistic": "mean", "column": "hours"}
ALL = frozenset({"age", "hours", "change"})


def of(
    *statistics: dict[str, Any],
    mode: Mode = Mode.PURE,
    complete: frozenset[str] = frozenset({"hours"}),
    squarable: frozenset[str] = ALL,
) -> tuple[Family, ...]:
    plan = parse_plan(question(*statistics), schema_of(), dataset="people")
    return families(plan.statistics, mode, complete=complete, squarable=squarable)


def names(found: tuple[Family, ...]) -> list[list[str]]:
    return [[statistic.kind.value for statistic in family.statistics] for family in found]


def test_mean_variance_and_sum_of_a_column_are_made_of_one_draw() -> None:
    found = of(MEAN_AGE, COUNT, VARIANCE, SUM_AGE)
    assert names(found) == [["mean", "variance", "sum"], ["count"]]
    assert [family.degree for family in found] == [2, 0]


def test_a_count_joins_only_where_no_row_lacks_a_value() -> None:
    assert names(of(COUNT, MEAN_HOURS)) == [["count", "mean"]]
    assert names(of(COUNT, MEAN_AGE)) == [["count"], ["mean"]]


def test_a_sum_alone_or_of_another_column_stands_alone() -> None:
    assert names(of(SUM_AGE, MEAN_HOURS)) == [["sum"], ["mean"]]
    assert names(of(SUM_AGE, COUNT)) == [["sum"], ["count"]]


def test_a_sum_keeps_its_own_draw_where_squares_take_codes_together() -> None:
    """D3: else it would be that of coarser values, with an error that no interval speaks of."""
    assert names(of(SUM_AGE, VARIANCE, squarable=frozenset())) == [["sum"], ["variance"]]
    assert names(of(SUM_AGE, MEAN_AGE, squarable=frozenset())) == [["sum", "mean"]]


def test_all_quantiles_of_a_column_are_found_together() -> None:
    assert names(of(MEDIAN, COUNT, QUARTILES)) == [["median", "quantiles"], ["count"]]


def test_a_locked_share_is_kept_to_the_last_digit_and_stands_alone() -> None:
    found = of({**MEAN_AGE, "share": "0.3"}, VARIANCE, COUNT)
    assert names(found) == [["mean"], ["variance"], ["count"]]
    assert found[0].share == Fraction(3, 10)
    assert found[1].share == found[2].share == Fraction(7, 20)


@pytest.mark.parametrize(("mode", "power"), [(Mode.PURE, 1 / 3), (Mode.ZCDP, 1 / 2)])
def test_draws_of_more_statistics_get_more_by_the_root_that_makes_errors_least(
    mode: Mode, power: float
) -> None:
    """The sum of w/ε² (w/ρ) over draws with a fixed total is least at these parts."""
    three, one = of(MEAN_AGE, VARIANCE, SUM_AGE, COUNT, mode=mode)
    assert float(three.share / one.share) == pytest.approx(3**power, rel=1e-9)

    def error(part: float) -> float:
        exponent = 2 if mode is Mode.PURE else 1
        return float(3 / part**exponent + 1 / (1 - part) ** exponent)

    best = float(three.share)
    assert error(best) <= min(error(best * 0.99), error(best * 1.01))


@given(raw=questions())
@pytest.mark.parametrize("mode", list(Mode))
def test_shares_add_up_to_no_more_than_the_whole_and_every_statistic_is_in_one_draw(
    mode: Mode, raw: dict[str, Any]
) -> None:
    """C6: exactly, as fractions."""
    plan = parse_plan(raw, schema_of(), dataset="people")
    found = families(plan.statistics, mode, complete=frozenset({"hours"}), squarable=ALL)
    free = any(statistic.share is None for statistic in plan.statistics)
    total = sum((family.share for family in found), Fraction(0))
    assert total == 1 if free else total <= 1
    members = [statistic for family in found for statistic in family.statistics]
    assert sorted(map(str, members)) == sorted(map(str, plan.statistics))


def test_a_mean_beside_a_variance_stays_within_the_bounds_where_codes_are_taken_together() -> None:
    """However coarse they are: what is released lies where the true one can lie."""
    fine = column_spec("fine", numeric_domain("0", "1000000", "1"), MissingRule.REQUIRE, "")
    schema = replace(schema_of(fine), max_rows=1_000_000_000)
    asked = [{"statistic": kind, "column": "fine"} for kind in ("mean", "variance")]
    blueprint = blueprint_of(question(*asked, epsilon=10), schema)
    rows: list[Row] = [(1_000_000,)] * 300
    means = [release_of(blueprint, rows)["statistics"][0]["cells"][0] for _ in range(10)]
    assert max(mean["value"] for mean in means) == 1_000_000
