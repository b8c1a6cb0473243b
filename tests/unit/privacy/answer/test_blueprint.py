"""Quotes and refusals come from the plan and the public metadata alone."""

import json
from typing import Any

import pytest
from hypothesis import given

from dpgov.privacy.accounting.decimals import as_text, parse_epsilon
from dpgov.privacy.accounting.loss import Mode, rho_of
from dpgov.privacy.answer.blueprint import prepare
from dpgov.privacy.answer.body import MAX_ALIKE, MAX_CELLS
from dpgov.privacy.plan.domains import column_spec, numeric_domain
from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.privacy.plan.plan import InvalidPlan
from dpgov.privacy.plan.schema import ColumnSpec, DatasetSchema, Neighbouring, PrivacyUnit
from tests.examples import examples
from tests.reference import Row
from tests.unit.privacy.tables import (
    COUNT,
    MEAN_AGE,
    OF_NUMBERS,
    SUM_AGE,
    blueprint_of,
    question,
    questions,
    release_of,
    schema_of,
)

ADD = Neighbouring.ADD_REMOVE
MEDIAN_AGE = {"statistic": "median", "column": "age"}
VARIANCE_AGE = {"statistic": "variance", "column": "age"}
UNITS = {"statistic": "count_distinct"}


def refusal(raw: dict[str, Any], *columns: ColumnSpec, **more: Any) -> dict[str, str]:
    with pytest.raises(InvalidPlan) as refused:
        blueprint_of(raw, schema_of(*columns, **more))
    return {problem.path: problem.message for problem in refused.value.problems}


@examples(25)
@given(raw=questions())
@pytest.mark.parametrize("mode", list(Mode))
def test_cost_and_shape_are_the_same_whatever_the_table_holds(
    mode: Mode, raw: dict[str, Any]
) -> None:
    """E4: on a table, on its neighbour and on the empty one."""
    blueprint = blueprint_of(raw, schema_of(mode=mode))
    asked = parse_epsilon(raw["epsilon"])
    assert blueprint.cost_nano == (asked if mode is Mode.PURE else rho_of(asked))
    shapes = set()
    one: Row = (5, 3, 2, 1, 4)
    for rows in ([one] * 3, [one] * 2, []):
        body = release_of(blueprint, rows)
        assert body["guarantee"].items() >= blueprint.loss.as_json().items()
        shapes.add(shape(body))
    assert len(shapes) == 1


def shape(value: Any) -> Any:
    """Names, order and lengths of everything, without the numbers."""
    if isinstance(value, dict):
        return tuple((key, shape(inner)) for key, inner in value.items())
    return tuple(shape(inner) for inner in value) if isinstance(value, list) else None


def test_statistics_that_share_a_draw_share_its_price() -> None:
    """The mean's two sums make the sum as well; the count is of other rows and stands alone."""
    blueprint = blueprint_of(question(COUNT, SUM_AGE, MEAN_AGE, epsilon="0.1"), schema_of())
    (count, moments) = blueprint.mechanisms
    assert [s.kind.value for s in moments.statistics] == ["sum", "mean"]
    assert count.loss.nano + moments.loss.nano in (99_999_999, 100_000_000)
    assert moments.loss.nano / count.loss.nano == pytest.approx(2 ** (1 / 3))


def test_a_quote_says_what_will_be_drawn() -> None:
    raw = question(MEAN_AGE, epsilon="0.3", group_by=[{"column": "sex"}])
    quote = blueprint_of(raw, schema_of()).describe(assumed_rows=30_000)
    (statistic,), (drawn,) = quote["statistics"], quote["draws"]
    assert (quote["epsilon"], quote["cells"]) == (0.3, 3)
    assert quote["groups"] == [{"column": "sex", "bins": ["Female", "Male", "other"]}]
    assert drawn == {
        "epsilon": 0.3,
        "mechanism": "discrete Laplace",
        "noise_scale": pytest.approx(73 / 0.3),
        "sensitivity_l1": 73,
        "sensitivity_l2": 73,
        "readings": [
            {"name": "rows towards the lower bound", "lattice": pytest.approx(1 / 73)},
            {"name": "rows towards the upper bound", "lattice": pytest.approx(1 / 73)},
        ],
    }
    assert (statistic["statistic"], statistic["column"], statistic["draw"]) == ("mean", "age", 0)
    assert [a["confidence_level"] for a in statistic["accuracy"]] == [0.9, 0.95, 0.99]
    assert 0 < statistic["accuracy"][1]["value"] < 1
    assert statistic["assumed_rows"] == 30_000


def test_a_quote_of_several_quantiles_has_a_column_for_each() -> None:
    raw = question(
        {"statistic": "quantiles", "column": "age", "quantiles": [0.25, 0.5, 0.75]}, MEDIAN_AGE
    )
    quote = blueprint_of(raw, schema_of()).describe()
    (drawn,) = quote["draws"]
    assert (drawn["mechanism"], drawn["candidates"], drawn["depth"]) == ("report noisy max", 74, 2)
    assert [s.get("quantile") for s in quote["statistics"]] == [0.25, 0.5, 0.75, None]
    for statistic in quote["statistics"]:
        assert all(a["value"] is None and a["rank_error"] > 0 for a in statistic["accuracy"])


def test_the_rows_beyond_an_extreme_are_said_before_it_is_asked() -> None:
    raw = question({"statistic": "min", "column": "age"}, {"statistic": "max", "column": "age"})
    quote = blueprint_of(raw, schema_of()).describe()
    assert all(statistic["rows_beyond"] > 0 for statistic in quote["statistics"])


def test_the_error_of_a_mean_cannot_be_said_without_a_number_of_rows() -> None:
    quote = blueprint_of(question(MEAN_AGE), schema_of()).describe()
    assert quote["statistics"][0]["accuracy"] == []
    assert quote["statistics"][0]["assumed_rows"] is None
    public = blueprint_of(question(MEAN_AGE), schema_of(public_rows=1000)).describe()
    assert len(public["statistics"][0]["accuracy"]) == 3


def test_more_assumed_rows_than_cells_is_not_needed() -> None:
    raw = question(MEAN_AGE, group_by=[{"column": "sex"}])
    quote = blueprint_of(raw, schema_of()).describe(assumed_rows=1)
    assert quote["statistics"][0]["accuracy"][0]["value"] <= 73.000001


EVERY = [
    COUNT,
    {"statistic": "count_distinct"},
    *({"statistic": name, "column": "age"} for name in OF_NUMBERS),
]


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("relation", list(Neighbouring))
def test_a_group_of_k_gets_k_times_the_noise_for_the_same_price(
    relation: Neighbouring, mode: Mode
) -> None:
    """F13: the group-size setting multiplies the noise of every statistic."""
    asked: dict[str, Any] = {"neighbouring": relation, "mode": mode}
    single = blueprint_of(question(*EVERY), schema_of(**asked)).describe()
    for size in (2, 20):
        group = blueprint_of(question(*EVERY), schema_of(group_size=size, **asked)).describe()
        for one, many in zip(single["draws"], group["draws"], strict=True):
            assert {k: one.get(k) for k in ("epsilon", "rho", "mechanism")} == {
                k: many.get(k) for k in ("epsilon", "rho", "mechanism")
            }
            assert many["noise_scale"] == pytest.approx(size * one["noise_scale"])


def edges(bins: int) -> list[int]:
    return list(range(bins + 1))


def by_age_and_hours(*bins: int) -> list[dict[str, Any]]:
    """So many bins of each, the one for the rest among them."""
    columns = zip(("age", "hours"), bins, strict=True)
    return [{"column": column, "edges": edges(number - 1)} for column, number in columns]


def test_too_many_cells_are_refused_with_the_number() -> None:
    groups = by_age_and_hours(100, 100)
    asked = blueprint_of(question(MEAN_AGE, group_by=groups), schema_of())
    assert asked.requests[0].cells == MAX_CELLS
    groups = by_age_and_hours(100, 101)
    assert "10100 cells" in refusal(question(MEAN_AGE, group_by=groups))["group_by"]


def test_counts_and_sums_may_have_a_million_numbers_in_all() -> None:
    groups = by_age_and_hours(1001, 1001)
    assert blueprint_of(question(COUNT, group_by=groups), schema_of()).cells == 1001**2
    refused = refusal(question(COUNT, SUM_AGE, group_by=groups))["group_by"]
    assert f"at most {MAX_ALIKE // 2} are answered at once" in refused
    three = [*groups, {"column": "sex"}]
    assert "3006003 cells" in refusal(question(COUNT, group_by=three))["group_by"]


WIDE = column_spec("age", numeric_domain("0", "1e12", "1"), "drop", "")


@pytest.mark.parametrize(
    "statistics",
    [[SUM_AGE], [MEAN_AGE], [COUNT, SUM_AGE], [MEAN_AGE, COUNT, SUM_AGE], [COUNT, VARIANCE_AGE]],
    ids=str,
)
@pytest.mark.parametrize(
    ("mode", "unit"), [(Mode.PURE, "epsilon"), (Mode.ZCDP, "epsilon"), (Mode.ZCDP, "rho")]
)
def test_an_amount_too_small_for_exact_noise_names_the_smallest_that_works(
    mode: Mode, unit: str, statistics: list[dict[str, str]]
) -> None:
    """C8: extreme amounts are refused before anything is spent."""

    def asked(amount: str) -> dict[str, Any]:
        return {"statistics": statistics, unit: amount}

    schema = DatasetSchema((WIDE,), PrivacyUnit(), ADD, 1, max_rows=4_000, mode=mode)
    with pytest.raises(InvalidPlan) as refused:
        blueprint_of(asked("1e-9"), schema)
    (problem,) = refused.value.problems
    assert problem.path == unit
    smallest = parse_epsilon(problem.message.split("must be at least ")[1].split(" ")[0])
    assert release_of(blueprint_of(asked(as_text(smallest)), schema), [(7,)])
    with pytest.raises(InvalidPlan, match=as_text(smallest)):
        blueprint_of(asked(as_text(smallest - max(2, smallest // 1000))), schema)


def test_an_influence_beyond_exact_sums_is_refused() -> None:
    """C8: a large group over wide bounds."""
    column = column_spec("age", numeric_domain("0", "1e14", "1"), "drop", "")
    assert "group" in refusal(question(SUM_AGE, epsilon=1000), column, group_size=100)["statistics"]


def test_units_are_counted_as_rows_only_where_each_row_is_a_unit() -> None:
    """D6: without a column that names them, units with several rows cannot be told apart."""
    several = PrivacyUnit(max_rows_per_unit=3)
    message = refusal(question({"statistic": "count_distinct"}), unit=several)["statistics"]
    assert "no column tells" in message
    rows: list[Row] = [(1, 1, 1, 1)] * 9
    body = release_of(blueprint_of(question(UNITS, epsilon=1000), schema_of()), rows)
    assert body["statistics"][0]["cells"][0]["value"] == 9


def test_a_rho_is_refused_where_epsilon_counts() -> None:
    plan = parse_plan({"statistics": [COUNT], "rho": 1}, schema_of(mode=Mode.ZCDP), dataset="p")
    with pytest.raises(InvalidPlan, match="give an epsilon"):
        prepare(plan, schema_of())


def test_a_plan_for_a_column_that_is_gone_is_refused() -> None:
    """D5: a new version may have other columns than the one the plan was written for."""
    plan = parse_plan(question(MEAN_AGE), schema_of(), dataset="people")
    other = schema_of(column_spec("height", numeric_domain("0", "3", "0.01"), "drop", ""))
    with pytest.raises(InvalidPlan, match="no longer"):
        prepare(plan, other)


@given(raw=questions())
@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("relation", list(Neighbouring))
def test_a_quote_is_plain_json(relation: Neighbouring, mode: Mode, raw: dict[str, Any]) -> None:
    """C8: no NaN, no infinity, nothing that JSON does not know."""
    schema = schema_of(neighbouring=relation, public_rows=50, mode=mode)
    quote = blueprint_of(raw, schema).describe()
    assert json.loads(json.dumps(quote, allow_nan=False)) == quote
