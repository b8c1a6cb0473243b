"""Quotes and refusals come from the plan and the public metadata alone."""

import json
from typing import Any

import pytest
from hypothesis import given

from dpgov.privacy.blueprint import MAX_CELLS, prepare
from dpgov.privacy.budget import as_text, parse_epsilon
from dpgov.privacy.domains import column_spec, numeric_domain
from dpgov.privacy.parsing import parse_plan
from dpgov.privacy.plan import InvalidPlan
from dpgov.privacy.release import draw
from dpgov.privacy.schema import ColumnSpec, Neighbouring, PrivacyUnit
from tests.reference import exact_answer
from tests.unit.privacy.tables import (
    COUNT,
    MEAN_AGE,
    SUM_AGE,
    blueprint_of,
    question,
    questions,
    schema_of,
)


def refusal(raw: dict[str, Any], *columns: ColumnSpec, **more: Any) -> dict[str, str]:
    with pytest.raises(InvalidPlan) as refused:
        blueprint_of(raw, schema_of(*columns, **more))
    return {problem.path: problem.message for problem in refused.value.problems}


@given(raw=questions())
def test_cost_and_shape_are_the_same_whatever_the_table_holds(raw: dict[str, Any]) -> None:
    """E4: on a table, on its neighbour and on the empty one."""
    blueprint = blueprint_of(raw, schema_of())
    assert blueprint.cost_nano == parse_epsilon(raw["epsilon"])
    shapes = set()
    for rows in ([(5, 3, 2, 1)] * 3, [(5, 3, 2, 1)] * 2, []):
        body = release_of(blueprint, rows)
        assert body["guarantee"]["epsilon"] == blueprint.describe()["epsilon"]
        shapes.add(shape(body))
    assert len(shapes) == 1


def shape(value: Any) -> Any:
    """Names, order and lengths of everything, without the numbers."""
    if isinstance(value, dict):
        return tuple((key, shape(inner)) for key, inner in value.items())
    return tuple(shape(inner) for inner in value) if isinstance(value, list) else None


def test_epsilon_is_split_evenly_and_never_above_the_total() -> None:
    blueprint = blueprint_of(question(COUNT, SUM_AGE, MEAN_AGE, epsilon="0.1"), schema_of())
    assert [m.nano for m in blueprint.mechanisms] == [33_333_333] * 3
    parts = [part for mechanism in blueprint.mechanisms for part in mechanism.parts]
    assert [part.nano for part in parts] == [33_333_333, 33_333_333, 22_222_222, 11_111_111]


def test_a_quote_says_what_will_be_drawn() -> None:
    raw = question(MEAN_AGE, epsilon="0.3", group_by=[{"column": "sex"}])
    quote = blueprint_of(raw, schema_of()).describe(assumed_rows=30_000)
    (statistic,) = quote["statistics"]
    assert (quote["epsilon"], quote["cells"]) == (0.3, 3)
    assert quote["groups"] == [{"column": "sex", "bins": ["Female", "Male", "other"]}]
    assert statistic["parts"][0] == {
        "name": "centred sum",
        "epsilon": 0.2,
        "sensitivity": 36.5,
        "noise_scale": pytest.approx(182.5),
        "lattice": 0.5,
    }
    assert [a["confidence_level"] for a in statistic["accuracy"]] == [0.9, 0.95, 0.99]
    assert 0 < statistic["accuracy"][1]["value"] < 1
    assert statistic["assumed_rows"] == 30_000


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


def test_a_group_of_k_gets_k_times_the_noise_for_the_same_epsilon() -> None:
    """F13: the group-size setting multiplies the noise."""
    single = blueprint_of(question(COUNT, SUM_AGE, MEAN_AGE), schema_of()).describe()
    for size in (2, 20):
        group = blueprint_of(
            question(COUNT, SUM_AGE, MEAN_AGE), schema_of(group_size=size)
        ).describe()
        for one, many in zip(single["statistics"], group["statistics"], strict=True):
            for part, larger in zip(one["parts"], many["parts"], strict=True):
                assert larger["epsilon"] == part["epsilon"]
                assert larger["noise_scale"] == pytest.approx(size * part["noise_scale"])


def edges(bins: int) -> list[int]:
    return list(range(bins + 1))


def test_too_many_cells_are_refused_with_the_number() -> None:
    groups = [{"column": "age", "edges": edges(99)}, {"column": "hours", "edges": edges(99)}]
    assert blueprint_of(question(COUNT, group_by=groups), schema_of()).requests[0].cells == MAX_CELLS
    groups[1] = {"column": "hours", "edges": edges(100)}
    assert "10100 cells" in refusal(question(COUNT, group_by=groups))["group_by"]


@pytest.mark.parametrize(
    "statistics", [[SUM_AGE], [MEAN_AGE], [COUNT, SUM_AGE], [MEAN_AGE, COUNT, SUM_AGE]], ids=str
)
def test_an_epsilon_too_small_for_exact_noise_names_the_smallest_that_works(
    statistics: list[dict[str, str]],
) -> None:
    """C8: extreme ε are refused before anything is spent."""
    column = column_spec("age", numeric_domain("0", "1e12", "1"), "drop", "")
    message = refusal(question(*statistics, epsilon="1e-9"), column)["epsilon"]
    smallest = parse_epsilon(message.removeprefix("ε must be at least ").split(" ")[0])
    blueprint = blueprint_of(question(*statistics, epsilon=as_text(smallest)), schema_of(column))
    release_of(blueprint, [(7,)])
    refused = refusal(question(*statistics, epsilon=as_text(smallest - 1)), column)
    assert as_text(smallest) in refused["epsilon"]


def test_an_influence_beyond_exact_sums_is_refused() -> None:
    """C8: a large group over wide bounds."""
    column = column_spec("age", numeric_domain("0", "1e14", "1"), "drop", "")
    assert "group" in refusal(question(SUM_AGE), column, group_size=100)["statistics.0"]


def test_a_dataset_of_persons_with_many_rows_is_refused_until_its_limit_is_enforced() -> None:
    """D6: no answer rather than one whose guarantee does not hold."""
    unit = PrivacyUnit(private_id="person", max_rows_per_unit=5)
    assert "not enforced" in refusal(question(COUNT), unit=unit)["dataset"]


def test_a_plan_for_a_column_that_is_gone_is_refused() -> None:
    """D5: a new version may have other columns than the one the plan was written for."""
    plan = parse_plan(question(MEAN_AGE), schema_of(), dataset="people")
    other = schema_of(column_spec("height", numeric_domain("0", "3", "0.01"), "drop", ""))
    with pytest.raises(InvalidPlan, match="no longer"):
        prepare(plan, other)


@given(raw=questions())
@pytest.mark.parametrize("relation", list(Neighbouring))
def test_a_quote_is_plain_json(relation: Neighbouring, raw: dict[str, Any]) -> None:
    """C8: no NaN, no infinity, nothing that JSON does not know."""
    quote = blueprint_of(raw, schema_of(neighbouring=relation, public_rows=50)).describe()
    assert json.loads(json.dumps(quote, allow_nan=False)) == quote
