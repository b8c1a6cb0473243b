"""F12: what stored answers already say is made of them, with an interval of its own."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpgov.privacy.plan.domains import column_spec, numeric_domain
from dpgov.privacy.plan.schema import MissingRule, Neighbouring, PrivacyUnit
from dpgov.privacy.reuse.derived import SourceChanged, check_unchanged
from tests.examples import examples
from tests.reference import Row
from tests.unit.privacy.deriving import (
    AGES,
    DEVIATION,
    EXACT,
    MALE,
    MEDIAN,
    QUARTERS,
    ROWS,
    SEX,
    SUM_HOURS,
    VARIANCE,
    derivation,
    errors,
    made,
    released,
    values,
)
from tests.unit.privacy.tables import (
    COLUMNS,
    COUNT,
    MEAN_AGE,
    SUM_AGE,
    blueprint_of,
    question,
    questions,
    rows_of,
    schema_of,
)


def _number(statistic: dict[str, Any]) -> str:
    kind = statistic["statistic"]
    alike = {"count_distinct": "count", "quantiles": "median"}
    return f"{alike.get(kind, kind)} {statistic.get('column')}"


@examples(60)
@given(raw=questions(), rows=st.lists(rows_of(), max_size=6))
def test_an_identical_question_gets_the_stored_numbers(
    raw: dict[str, Any], rows: list[Row]
) -> None:
    """F12: value by value and bound by bound, whatever the statistics; and costs nothing."""
    schema = schema_of()
    # Of two draws of one number the better one is taken, so that here is one of each.
    once = {_number(s): {**s, "share": None} for s in raw["statistics"]}
    raw = {**raw, "statistics": list(once.values())}
    stored = released(raw, rows, schema)
    found = derivation({**raw, "epsilon": 7}, raw)
    assert found is not None
    body = found.body({"0": stored}, stored["groups"])
    heads = ("statistic", "column", "quantile", "rows_beyond", "cells", "adjusted")
    assert [{k: s.get(k) for k in heads} for s in body["statistics"]] == [
        {k: s.get(k) for k in heads} for s in stored["statistics"]
    ]
    assert body["guarantee"] == {**stored["guarantee"], "epsilon": 0}
    assert (body["made_from"], body["draws"]) == (["0"], [])
    assert json.loads(json.dumps(body)) == body


TABLE = question(COUNT, SUM_AGE, group_by=[SEX, AGES], epsilon=EXACT)
MOMENTS = question(VARIANCE, group_by=[SEX, AGES], epsilon=EXACT)
HOURS = question(DEVIATION, group_by=[SEX], epsilon=EXACT)


@pytest.mark.parametrize(
    ("asked", "stored"),
    [
        (question(COUNT), TABLE),
        (question(COUNT, group_by=[SEX]), TABLE),
        (question(SUM_AGE, COUNT, group_by=[SEX], where=[MALE]), TABLE),
        (question(COUNT, group_by=[{"column": "age", "edges": [20, 40, 90]}]), TABLE),
        (question(MEAN_AGE, group_by=[SEX]), MOMENTS),
        (question(VARIANCE, MEAN_AGE, SUM_AGE, where=[MALE]), MOMENTS),
        (question(COUNT, SUM_HOURS, DEVIATION), HOURS),
    ],
)
def test_without_noise_the_derived_answer_is_the_true_one(
    asked: dict[str, Any], stored: dict[str, Any]
) -> None:
    """F12: against the same question asked at an ε that hides nothing."""
    direct = released({**asked, "epsilon": EXACT}, ROWS, schema_of())
    body = made(asked, stored)
    for place, statistic in enumerate(direct["statistics"]):
        assert values(body, place) == pytest.approx(
            values({"statistics": [statistic]}), abs=1.01, rel=0.02
        )


@pytest.mark.parametrize(
    ("asked", "stored"),
    [
        (question(MEDIAN, group_by=[SEX]), question(MEDIAN, group_by=[SEX, AGES])),
        (question(MEDIAN), question(COUNT, SUM_AGE)),
        (question(COUNT), question(MEAN_AGE)),
        (question(MEAN_AGE), question(SUM_AGE, COUNT)),
        (question(VARIANCE), question(MEAN_AGE)),
        (question(SUM_AGE), question(SUM_HOURS)),
        (question(COUNT, MEDIAN), question(COUNT)),
        (question({"statistic": "min", "column": "age"}), question(MEDIAN)),
        (question({"statistic": "cdf"}, group_by=[AGES]), question(COUNT, group_by=[AGES])),
    ],
)
def test_what_a_stored_answer_does_not_tell_is_not_made_of_it(
    asked: dict[str, Any], stored: dict[str, Any]
) -> None:
    """F12: quantiles of unions, means of separate draws, rows where a value may be missing."""
    assert derivation(asked, stored) is None


def test_a_quantile_of_a_cell_that_was_a_group_is_copied() -> None:
    """F12: a filter that picks one group finds that group's numbers, under the asked names."""
    stored = question(QUARTERS, group_by=[SEX])
    schema = schema_of()
    body = made(question(MEDIAN, where=[MALE]), stored)
    assert [s["statistic"] for s in body["statistics"]] == ["median"]
    assert "quantile" not in body["statistics"][0]
    drawn = released(stored, ROWS, schema)
    found = derivation(question(MEDIAN, where=[MALE]), stored)
    assert found is not None
    copied = found.body({"0": drawn}, [])["statistics"][0]["cells"]
    assert copied == [drawn["statistics"][1]["cells"][1]]


def test_distinct_people_in_unions_cannot_be_added_up() -> None:
    """F12: a person may be in several cells; the same cells again are fine."""
    schema = schema_of(*COLUMNS, unit=PrivacyUnit(private_id="id", max_rows_per_unit=3))
    people = {"statistic": "count_distinct"}
    table = question(people, group_by=[SEX])
    assert derivation(question(people), table, schema=schema) is None
    assert derivation(question(people, where=[MALE]), table, schema=schema) is None
    assert derivation({**table, "epsilon": 3}, table, schema=schema) is not None


def test_a_public_number_of_rows_is_used_where_it_was() -> None:
    """F12: the sum behind a mean over a public number of rows, and that mean itself."""
    schema = schema_of(neighbouring=Neighbouring.CHANGE_ONE, public_rows=600)
    mean_hours = question({"statistic": "mean", "column": "hours"})
    direct = released(mean_hours, ROWS, schema)
    body = made(question(SUM_HOURS), mean_hours, schema=schema)
    found = derivation({**mean_hours, "epsilon": 2}, mean_hours, schema=schema)
    assert found is not None
    assert values(found.body({"0": direct}, [])) == values(direct)
    assert values(body)[0] == pytest.approx(600 * 49.5, rel=0.2)


def test_a_count_from_cells_where_no_row_can_be_is_exactly_nothing() -> None:
    """F12: the plan's own filter and bins say so, not the data."""
    stored = question(COUNT, group_by=[{"column": "age", "edges": [20, 40, 60, 90]}])
    asked = question(
        COUNT,
        group_by=[{"column": "age", "edges": [20, 40]}],
        where=[{"column": "age", "op": "between", "value": [60, 90]}],
    )
    body = made(asked, stored)
    assert (values(body)[0], errors(body)[0]) == (0, 0)
    assert errors(body)[1] > 0


def test_the_better_of_two_draws_of_the_same_number_is_used() -> None:
    """F12: of a count of its own and one out of moments, the one with less noise."""
    stored = question({**COUNT, "share": 0.01}, DEVIATION, epsilon=1)
    found = derivation(question(COUNT), stored)
    assert found is not None
    ((_, statements),) = found.expected(None)
    assert statements[1]["value"] < 20


def test_large_codes_do_not_pretend_to_give_exact_sums() -> None:
    """F12: where codes were taken together before squaring, no sum is made of the moments."""
    wide = column_spec("pay", numeric_domain("0", "1000000", "1"), MissingRule.DROP, "")
    schema = schema_of(wide)
    pay = {"column": "pay"}
    assert derivation(
        question({"statistic": "sum", **pay}), question({"statistic": "variance", **pay}),
        schema=schema,
    ) is None  # fmt: skip
    assert derivation(
        question({"statistic": "mean", **pay}), question({"statistic": "variance", **pay}),
        schema=schema,
    ) is not None  # fmt: skip


def test_an_answer_that_was_drawn_otherwise_is_not_used() -> None:
    """F12: a stored draw of another scale than today's plan has would get wrong intervals."""
    raw, schema = question(COUNT), schema_of()
    body = released(raw, ROWS, schema)
    check_unchanged(blueprint_of(raw, schema), body)
    with pytest.raises(SourceChanged):
        check_unchanged(blueprint_of({**raw, "epsilon": 2}, schema), body)
    with pytest.raises(SourceChanged):
        check_unchanged(blueprint_of(raw, schema), {**body, "format": 1})


@pytest.mark.parametrize("epsilon", [300, 700, 720, 746, EXACT])
@pytest.mark.parametrize("statistic", [COUNT, SUM_AGE, MEAN_AGE, DEVIATION, MEDIAN])
def test_answers_almost_without_noise_are_put_together_with_others(
    statistic: dict[str, Any], epsilon: int
) -> None:
    """F12: a variance that no float can hold is still one to weigh by; there was a page of 500."""
    dear, cheap = question(statistic, epsilon=epsilon), question(statistic, epsilon=0.5)
    found = derivation(dear, dear, cheap, dear, together=True)
    assert found is not None
    assert all(part.deviation > 0 for part in found.parts)
    assert len(values(made(cheap, cheap, dear, together=True))) == 1
