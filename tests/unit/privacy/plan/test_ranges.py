"""L23: what can be true is cut out of bounds alone, and what says nothing is said to."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpgov.privacy.answer.blueprint import prepare
from dpgov.privacy.plan.domains import category_domain, column_spec, numeric_domain
from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.privacy.plan.ranges import SAYS_NOTHING, clipped, group_sizes, range_of, says_nothing
from dpgov.privacy.plan.schema import DatasetSchema, MissingRule, Neighbouring, PrivacyUnit
from dpgov.privacy.plan.statistics import StatisticKind

SCHEMA = DatasetSchema(
    columns=(
        column_spec("age", numeric_domain("0", "110", "1"), MissingRule.DROP, ""),
        column_spec("debt", numeric_domain("-50", "150", "1"), MissingRule.DROP, ""),
        column_spec("sex", category_domain(("Female", "Male")), MissingRule.DROP, ""),
    ),
    unit=PrivacyUnit(),
    neighbouring=Neighbouring.ADD_REMOVE,
    group_size=1,
    max_rows=1_000,
)
FLOATS = st.floats(min_value=-1e6, max_value=1e6)


@pytest.mark.parametrize(
    ("kind", "column", "low", "high"),
    [
        ("count", None, 0, 1_000),
        ("count_distinct", None, 0, 1_000),
        ("distinct_values", "sex", 0, 3),
        ("mean", "age", 0, 110),
        ("median", "debt", -50, 150),
        ("sum", "debt", -50_000, 150_000),
        ("sum", "age", 0, 110_000),
        ("variance", "age", 0, 3_025),
        ("standard_deviation", "debt", 0, 100),
    ],
)
def test_the_range_of_each_statistic(
    kind: str, column: str | None, low: float, high: float
) -> None:
    assert range_of(StatisticKind(kind), column, SCHEMA) == (low, high)


@given(value=FLOATS, error=st.floats(min_value=0, max_value=1e6))
def test_an_interval_never_leaves_the_range(value: float, error: float) -> None:
    """L23: a mean of ages between 0 and 110 has no interval beyond."""
    low, high = clipped(value, error, {"range": [0, 110]})
    assert 0 <= low <= high <= 110
    if 0 <= value <= 110:
        assert low <= value <= high
    truth = min(max(value, 0), 110)
    if abs(truth - value) <= error:
        assert low <= truth <= high, "cutting loses nothing that can be true"


def _described(statistic: dict[str, object], epsilon: str, *, grouped: bool) -> dict[str, object]:
    raw = {"statistics": [statistic], "epsilon": epsilon}
    plan = parse_plan(
        raw | ({"group_by": [{"column": "sex"}]} if grouped else {}), SCHEMA, dataset="x"
    )
    (described,) = prepare(plan, SCHEMA).describe(100)["statistics"]
    return dict(described)


def test_an_error_as_wide_as_the_column_says_so_before_asking() -> None:
    """L23: of ages at a tiny price nothing is learned, and the quote says it."""
    poor = _described({"statistic": "mean", "column": "age"}, "0.001", grouped=False)
    assert poor["range"] == [0, 110]
    assert poor["warning_code"] == SAYS_NOTHING
    fine = _described({"statistic": "mean", "column": "age"}, "5", grouped=False)
    assert fine["warning_code"] is None
    count = _described({"statistic": "count"}, "0.001", grouped=False)
    assert (count["range"], count["warning_code"]) == ([0, 1000], SAYS_NOTHING)


@pytest.mark.parametrize("kind", ["mean", "median", "variance"])
def test_a_quote_for_groups_says_what_the_error_is_by_their_size(kind: str) -> None:
    """L23: examples of 10, 100 and 1,000 rows, from public parameters; larger ones are no worse."""
    described = _described({"statistic": kind, "column": "age"}, "2", grouped=True)
    sizes: list[dict[str, Decimal]] = described["by_group_size"]  # type: ignore[assignment]
    assert [one["rows"] for one in sizes] == [10, 100, 1_000]
    empty = [bool(one["says_nothing"]) for one in sizes]
    assert empty == sorted(empty, reverse=True)
    assert not empty[-1]
    alone = _described({"statistic": kind, "column": "age"}, "2", grouped=False)
    assert "by_group_size" not in alone


@pytest.mark.parametrize(
    ("most", "said"), [(7, (10,)), (500, (10, 100)), (10_000, (10, 100, 1_000, 10_000))]
)
def test_no_group_is_spoken_of_that_is_larger_than_the_table_can_be(
    most: int, said: tuple[int, ...]
) -> None:
    assert group_sizes(most) == said


def test_nothing_is_said_of_what_has_no_range() -> None:
    """L23: answers of earlier releases hold none."""
    assert clipped(5, 10, {}) == (-5, 15)
    assert not says_nothing(1e9, {})
