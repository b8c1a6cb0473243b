"""From exact integers to the published answer."""

import json
from decimal import Decimal
from operator import add, mul, sub
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from dpgov.privacy.accounting.decimals import json_number, json_number_up
from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.answer.blueprint import Blueprint
from dpgov.privacy.answer.release import MalformedAnswer, draw
from dpgov.privacy.plan.domains import column_spec, numeric_domain
from dpgov.privacy.plan.schema import ColumnSpec, MissingRule, Neighbouring
from tests.examples import examples
from tests.reference import Row
from tests.unit.privacy.tables import (
    COLUMNS,
    COUNT,
    MEAN_AGE,
    SUM_AGE,
    blueprint_of,
    question,
    questions,
    release_of,
    rows_of,
    schema_of,
)

EXACT = 1000  # the largest ε: noise of a thousandth of a step, so the answer shows through


def answer(raw: dict[str, Any], rows: list[Row], *columns: ColumnSpec, **more: Any) -> Any:
    blueprint = blueprint_of(raw, schema_of(*columns, **more))
    return release_of(blueprint, rows)


def values(body: dict[str, Any]) -> list[list[float]]:
    return [[cell["value"] for cell in statistic["cells"]] for statistic in body["statistics"]]


def test_a_release_carries_plan_guarantee_groups_and_statistics() -> None:
    raw = question(COUNT, epsilon="0.5", group_by=[{"column": "sex"}])
    body = answer(raw, [(1, 1, 1, 1)], group_size=3)
    (cells,) = (statistic.pop("cells") for statistic in body["statistics"])
    (raw_cells,) = (drawn.pop("cells") for drawn in body["draws"])
    adjusted = body["statistics"][0].pop("adjusted")
    assert min(adjusted["values"]) >= 0
    assert body == {
        "format": 2,
        "plan": {
            "dataset": "people",
            "statistics": [{"statistic": "count"}],
            "where": [],
            "group_by": [{"column": "sex", "categories": ["Female", "Male"]}],
            "epsilon": 0.5,
        },
        "guarantee": {
            "epsilon": 0.5,
            "mode": "pure",
            "privacy_unit": "row",
            "max_rows_per_unit": 1,
            "neighbouring": "add_remove",
            "group_size": 3,
        },
        "groups": [{"column": "sex", "bins": ["Female", "Male", "other"]}],
        "draws": [
            {
                "epsilon": 0.5,
                "mechanism": "discrete Laplace",
                "noise_scale": 6.0,
                "sensitivity_l1": 3,
                "sensitivity_l2": 3,
                "readings": [{"name": "count", "lattice": 1}],
            }
        ],
        "statistics": [
            {
                "statistic": "count",
                "column": None,
                "range": [0, 1_000_000],
                "warning_code": None,
                "draw": 0,
            }
        ],
    }
    assert [[cell["value"]] for cell in cells] == raw_cells
    assert len(cells) == 3
    for cell in cells:
        assert [a["confidence_level"] for a in cell["accuracy"]] == [0.9, 0.95, 0.99]


def test_a_release_under_zcdp_is_priced_in_rho() -> None:
    body = answer({"statistics": [COUNT], "rho": "0.125"}, [], mode=Mode.ZCDP)
    assert (body["guarantee"]["rho"], body["guarantee"]["mode"]) == (0.125, "zcdp")
    assert (body["draws"][0]["rho"], body["draws"][0]["mechanism"]) == (0.125, "discrete Gaussian")
    assert body["plan"]["rho"] == 0.125


@given(rows=st.lists(rows_of(), max_size=8))
def test_with_almost_no_noise_counts_and_sums_are_those_of_the_values(rows: list[Row]) -> None:
    """D2: codes are turned back into values without a trace of float arithmetic."""
    change = {"statistic": "sum", "column": "change"}
    body = answer(question(COUNT, change, epsilon=EXACT), rows)
    total = sum(
        Decimal("-2.5") + code * Decimal("0.25") for _, _, code, *_ in rows if code is not None
    )
    assert values(body)[0] == [len(rows)]
    assert values(body)[1] == [float(total)]


@given(codes=st.lists(st.integers(0, 73), min_size=1, max_size=8))
@pytest.mark.parametrize("relation", list(Neighbouring))
def test_with_almost_no_noise_a_mean_is_the_mean(relation: Neighbouring, codes: list[int]) -> None:
    age = column_spec("age", numeric_domain("17", "90", "1"), "impute", "17")
    rows: list[Row] = [(code,) for code in codes]
    schema = schema_of(age, neighbouring=relation, public_rows=len(rows))
    blueprint = blueprint_of(question(MEAN_AGE, epsilon=EXACT), schema)
    body = release_of(blueprint, rows)
    assert values(body)[0][0] == pytest.approx(17 + sum(codes) / len(codes), abs=0.9)
    readings = 1 if relation is Neighbouring.CHANGE_ONE else 2
    assert len(body["draws"][0]["cells"][0]) == readings


EVERY = [
    {"statistic": name, "column": "age"}
    for name in ("mean", "sum", "variance", "standard_deviation", "median", "min", "max")
]


@given(codes=st.lists(st.integers(0, 73), min_size=200, max_size=240))
@examples(20)
@pytest.mark.parametrize("mode", list(Mode))
def test_with_hardly_any_noise_every_statistic_is_that_of_the_values(
    mode: Mode, codes: list[int]
) -> None:
    """D2: within its own stated error, too; ranks within the stated number of rows."""
    rows: list[Row] = [(code, 1, 1, 1) for code in codes]
    ages = np.array(codes) + 17.0
    body = answer(question(COUNT, *EVERY, epsilon=EXACT), rows, mode=mode)
    exact = [len(rows), ages.mean(), ages.sum(), ages.var(), ages.std()]
    for statistic, true in zip(body["statistics"][:5], exact, strict=True):
        (cell,) = statistic["cells"]
        # One draw in a hundred may pass its bound: of 20,000 sums 0.8% passed 1.5 times a bound
        # of one step, as it should be, and none three times.
        assert abs(cell["value"] - true) <= 3 * cell["accuracy"][2]["value"] + 1e-9
    ordered = np.sort(ages)
    for statistic, true in zip(
        body["statistics"][5:], (ordered[len(ages) // 2], ordered[0], ordered[-1]), strict=True
    ):
        (cell,) = statistic["cells"]
        low, high = sorted((cell["value"], true))
        between = int(((ages > low) & (ages < high)).sum())
        assert between <= cell["accuracy"][2]["rank_error"] + 1


@given(codes=st.lists(st.integers(0, 73), min_size=1, max_size=300))
@examples(20)
def test_several_quantiles_rise_as_their_orders_do(codes: list[int]) -> None:
    orders = [0.05, 0.25, 0.5, 0.75, 0.95]
    raw = question({"statistic": "quantiles", "column": "age", "quantiles": orders}, epsilon="0.1")
    body = answer(raw, [(code, 1, 1, 1) for code in codes])
    found = [statistic["cells"][0]["value"] for statistic in body["statistics"]]
    assert [statistic["quantile"] for statistic in body["statistics"]] == orders
    assert found == sorted(found)
    assert all(17 <= value <= 90 for value in found)


def bounds_of(column: str | None) -> tuple[float, float]:
    """Those that were declared, or the extremes of what two of them make."""
    bounds = {"age": (17, 90), "hours": (1, 99), "change": (-2.5, 1.5), "visit": (0, 9)}
    for sign, made in {" + ": add, " - ": sub, " * ": mul}.items():
        first, _, second = (column or "").partition(sign)
        if second:
            found = [made(a, b) for a in bounds[first] for b in bounds[second]]
            return min(found), max(found)
    return bounds.get(column or "", (0, 0))


@examples(30)
@given(raw=questions(), rows=st.lists(rows_of(), max_size=4))
def test_a_release_is_plain_json_within_the_bounds_of_its_columns(
    raw: dict[str, Any], rows: list[Row]
) -> None:
    """C8: never NaN or infinity; nothing but counts and sums leaves what its bounds allow."""
    body = answer({**raw, "epsilon": "0.001"}, rows)
    assert json.loads(json.dumps(body, allow_nan=False)) == body
    for statistic in body["statistics"]:
        low, high = bounds_of(statistic["column"])
        allowed = {
            "variance": (0, (high - low) ** 2 / 4),
            "standard_deviation": (0, (high - low) / 2),
        }.get(statistic["statistic"], (low, high))
        if statistic["statistic"] not in ("count", "count_distinct", "distinct_values", "sum"):
            values = [cell["value"] for cell in statistic["cells"]]
            assert all(allowed[0] <= value <= allowed[1] for value in values)


def test_the_mean_of_no_rows_is_a_value_within_the_bounds_that_claims_nothing() -> None:
    body = answer(question(MEAN_AGE, epsilon=EXACT), [])
    (cell,) = body["statistics"][0]["cells"]
    assert cell["value"] == 53.5
    assert [a["value"] for a in cell["accuracy"]] == [pytest.approx(36.5, abs=1e-5)] * 3


def counted(*, group: bool = False) -> Blueprint:
    more = {"group_by": [{"column": "sex"}]} if group else {}
    return blueprint_of(question(COUNT, SUM_AGE, **more), schema_of())


@pytest.mark.parametrize(
    "exact",
    [
        (),
        ((1, 2, 3), (1, 2, 3)),
        ((1, 2),),
        ((1, 2, 3, 4),),
        ((1, 2, 3.0),),
        ((1, 2, True),),
        ((1, 2, None),),
        ((1, 2, "3"),),
        ((1, 2, Decimal(3)),),
        (7,),
        None,
        {"rows": 1},
    ],
    ids=str,
)
def test_an_engine_that_returns_anything_else_is_refused_without_repeating_it(exact: Any) -> None:
    """B11: neither the wrong number nor its place reaches a log."""
    with pytest.raises(MalformedAnswer, match=r"^Expected"):
        draw(counted(), [exact])


def test_every_request_must_be_answered() -> None:
    asked = blueprint_of(question(COUNT, {"statistic": "median", "column": "age"}), schema_of())
    assert [request.cells for request in asked.requests] == [1, 75]
    with pytest.raises(MalformedAnswer, match=r"^Expected"):
        draw(asked, [((1,),)])
    with pytest.raises(MalformedAnswer, match=r"^Expected"):
        draw(asked, [((1,),), ((1,),)])


@pytest.mark.parametrize(
    "exact",
    [
        np.zeros((5_001, 1)),
        np.zeros((5_001, 1), dtype=np.int32),
        np.zeros((5_000, 1), dtype=np.int64),
        np.zeros((5_001, 2), dtype=np.int64),
        np.zeros(5_001, dtype=np.int64),
    ],
    ids=lambda exact: f"{exact.dtype} {exact.shape}",
)
def test_an_array_of_anything_else_is_refused(exact: NDArray[Any]) -> None:
    """B11, M7: counts of many cells come as an array; as strict."""
    wide = column_spec("x", numeric_domain("0", "4999", "1"), MissingRule.DROP, "")
    asked = blueprint_of(question({"statistic": "median", "column": "x"}), schema_of(wide))
    with pytest.raises(MalformedAnswer, match=r"^Expected"):
        draw(asked, [exact])
    draw(asked, [np.zeros((5_001, 1), dtype=np.int64)])


def test_the_order_of_measures_is_the_requests() -> None:
    request = counted(group=True).requests[0]
    assert [measure.kind.value for measure in request.measures] == ["rows", "code_sum", "present"]
    assert request.cells == 3
    assert COLUMNS[request.measures[1].column or 0].name == "age"


@given(st.fractions(-(10**6), 10**6, max_denominator=10**6), st.integers(0, 9))
def test_json_numbers_round_to_even_and_bounds_round_up(value: Any, places: int) -> None:
    scaled = value * 10**places
    assert json_number(value, places) == float(Decimal(round(scaled)).scaleb(-places))
    assert Decimal(str(json_number_up(value, places))) >= Decimal(-(-scaled // 1)).scaleb(-places)
