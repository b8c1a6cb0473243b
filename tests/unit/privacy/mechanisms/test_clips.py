"""D8: values clipped to narrower bounds than declared, as one question asks for it."""

from itertools import product
from typing import Any

import pytest

from dpgov.privacy.plan.canonical import canonical_sha256
from dpgov.privacy.plan.domains import column_spec, numeric_domain
from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.privacy.plan.plan import InvalidPlan
from dpgov.privacy.plan.schema import ColumnSpec, DatasetSchema, MissingRule, Neighbouring
from tests.reference import Row
from tests.unit.privacy.deriving import derivation
from tests.unit.privacy.tables import (
    COUNT,
    MEAN_AGE,
    SUM_AGE,
    blueprint_of,
    draw_of,
    exact_vector,
    question,
    release_of,
    schema_of,
)

CLIP = {"clip": {"from": 20, "to": 60}}
KINDS = ("sum", "mean", "variance", "standard_deviation")
RULES = [
    (MissingRule.DROP, "", (None, 0, 1, 3, 6)),
    # A missing value counts as 9 and that as 4, like every value above the clip.
    (MissingRule.IMPUTE, "9", (0, 1, 3, 6)),
    (MissingRule.REQUIRE, "", (0, 1, 3, 6)),
]


def small(rule: MissingRule, impute: str) -> ColumnSpec:
    """Codes 0 to 7 are values from 3 to 10; clipped to 5 to 7 in these tests."""
    return column_spec("a", numeric_domain("3", "10", "1"), rule, impute)


def tables(codes: tuple[int | None, ...], rows: int) -> list[list[Row]]:
    return [[(code,) for code in table] for table in product(codes, repeat=rows)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("rule", "impute", "codes"), RULES)
@pytest.mark.parametrize("relation", list(Neighbouring))
def test_no_neighbouring_table_moves_a_clipped_draw_further_than_its_reach(
    relation: Neighbouring, rule: MissingRule, impute: str, codes: tuple[int | None, ...], kind: str
) -> None:
    """D8: every pair of small tables; some pair moves it exactly so far."""
    schema = schema_of(small(rule, impute), neighbouring=relation, public_rows=2)
    asked = question({"statistic": kind, "column": "a", "clip": {"from": 5, "to": 7}})
    blueprint = blueprint_of(asked, schema)
    taken = draw_of(blueprint.mechanisms[0])
    assert taken is not None
    before = tables(codes, 2)
    if relation is Neighbouring.CHANGE_ONE:
        pairs = [(one, [other, *one[1:]]) for one in before for (other,) in tables(codes, 1)]
    else:
        pairs = [(one, one[1:]) for one in before]
    apart = [
        [
            abs(x - y)
            for x, y in zip(
                exact_vector(blueprint, 0, one), exact_vector(blueprint, 0, other), strict=True
            )
        ]
        for one, other in pairs
    ]
    assert max(map(sum, apart)) == taken.reach.l1
    assert max(sum(x * x for x in one) for one in apart) == taken.reach.l2_squared


def wide(rows: list[int]) -> list[Row]:
    return [(age - 17, 0, None, 0, None) for age in rows]


@pytest.mark.parametrize("kind", KINDS)
def test_the_noise_follows_the_narrower_bounds(kind: str) -> None:
    asked = {"statistic": kind, "column": "age"}
    errors = []
    for more in ({}, CLIP):
        (found,) = blueprint_of(question(asked | more), schema_of()).expected(1_000)
        errors.append(found[2][-1]["value"])
    assert errors[1] < 0.75 * errors[0]


def test_the_answer_is_that_of_clipped_values_and_says_so() -> None:
    blueprint = blueprint_of(question(MEAN_AGE | CLIP, epsilon=1000), schema_of())
    body = release_of(blueprint, wide([18, 19, 85, 90] * 50))
    (head,) = body["statistics"]
    assert head["clip"] == {"from": 20, "to": 60}
    assert head["range"] == [20, 60]
    assert head["cells"][0]["value"] == pytest.approx(40, abs=0.1)


def test_an_imputed_value_is_clipped_as_every_other() -> None:
    """A missing value counts as the 40 that was declared for it, and that as 30."""
    clip = {"clip": {"from": 1, "to": 30}}
    asked = {"statistic": "sum", "column": "hours"} | clip
    blueprint = blueprint_of(question(asked, epsilon=1000), schema_of())
    imputed = 39
    body = release_of(blueprint, [(None, imputed, None, 0, None)] * 10)
    assert body["statistics"][0]["cells"][0]["value"] == pytest.approx(300, abs=1)


def test_a_missing_value_stays_missing() -> None:
    """Nothing is added for it, not even the lower end."""
    blueprint = blueprint_of(question(SUM_AGE | CLIP, epsilon=1000), schema_of())
    body = release_of(blueprint, [(None, 0, None, 0, None)] * 100)
    assert abs(body["statistics"][0]["cells"][0]["value"]) <= 2


def test_one_column_with_and_without_a_clip_are_two_draws() -> None:
    asked = question(MEAN_AGE, SUM_AGE, MEAN_AGE | CLIP, SUM_AGE | CLIP)
    blueprint = blueprint_of(asked, schema_of())
    found = [{s.clip for s in mechanism.statistics} for mechanism in blueprint.mechanisms]
    assert found == [{None}, {("20", "60")}]


def test_a_plan_keeps_its_clip_through_json() -> None:
    schema = schema_of()
    plan = parse_plan(question(MEAN_AGE | CLIP), schema, dataset="people")
    assert plan.as_json()["statistics"] == [MEAN_AGE | CLIP]
    assert parse_plan(plan.as_json(), schema, dataset="people") == plan


def form_of(statistic: dict[str, Any], schema: DatasetSchema) -> str:
    return canonical_sha256(parse_plan(question(statistic), schema, dataset="people"), schema)


def test_clipped_and_unclipped_are_different_questions() -> None:
    """F12: and so are two clips; the declared bounds clip nothing."""
    schema = schema_of()
    whole = {"clip": {"from": 17, "to": 90}}
    clips: list[dict[str, Any]] = [{}, CLIP, {"clip": {"from": 20, "to": 61}}]
    assert len({form_of(MEAN_AGE | clip, schema) for clip in clips}) == 3
    assert form_of(MEAN_AGE | whole, schema) == form_of(MEAN_AGE, schema)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("stored", KINDS)
def test_no_stored_answer_of_another_clip_is_taken_for_free(stored: str, kind: str) -> None:
    """F12: neither of the declared bounds nor of another clip, in either direction."""
    whole, asked = ({"statistic": name, "column": "age"} for name in (stored, kind))
    other = {"clip": {"from": 20, "to": 61}}
    assert derivation(question(asked | CLIP), question(whole)) is None
    assert derivation(question(asked), question(whole | CLIP)) is None
    assert derivation(question(asked | CLIP), question(whole | other)) is None


def test_the_same_clip_is_taken_for_free_and_a_count_from_any() -> None:
    assert derivation(question(MEAN_AGE | CLIP), question(MEAN_AGE | CLIP)) is not None
    assert derivation(question(SUM_AGE | CLIP), question(MEAN_AGE | CLIP)) is not None
    hours = {"statistic": "mean", "column": "hours", "clip": {"to": 30}}
    assert derivation(question(COUNT), question(hours)) is not None


REFUSED: list[tuple[dict[str, Any], str, str]] = [
    (MEAN_AGE | {"clip": {"from": 10, "to": 60}}, "clip.from", "within the declared bounds"),
    (MEAN_AGE | {"clip": {"from": 20, "to": 91}}, "clip.to", "within the declared bounds"),
    (MEAN_AGE | {"clip": {"from": 20.5}}, "clip.from", "in steps of 1 from 17"),
    (MEAN_AGE | {"clip": {"from": 60, "to": 60}}, "clip.to", "above the one"),
    (MEAN_AGE | {"clip": {"from": 60, "to": 20}}, "clip.to", "above the one"),
    (MEAN_AGE | {"clip": {"from": "x"}}, "clip.from", "plain decimal number"),
    (MEAN_AGE | {"clip": {"upto": 3}}, "clip.upto", "upto"),
    (MEAN_AGE | {"clip": [20, 60]}, "clip", "object"),
    ({"statistic": "median", "column": "age"} | CLIP, "clip", "Only a sum, mean"),
    ({"statistic": "mean", "column": "visit"} | CLIP, "clip", "Only a sum, mean"),
    (COUNT | CLIP, "clip", "Only a sum, mean"),
]


@pytest.mark.parametrize(("statistic", "path", "said"), REFUSED)
def test_what_cannot_be_clipped_is_refused_at_its_place(
    statistic: dict[str, Any], path: str, said: str
) -> None:
    with pytest.raises(InvalidPlan) as refusal:
        parse_plan(question(statistic), schema_of(), dataset="people")
    (problem,) = refusal.value.problems
    assert problem.path == f"statistics.0.{path}"
    assert said in problem.message


def test_a_clip_beyond_bounds_that_were_narrowed_since_is_no_longer_answered() -> None:
    plan = parse_plan(question(MEAN_AGE | CLIP), schema_of(), dataset="people")
    age = column_spec("age", numeric_domain("30", "90", "1"), MissingRule.DROP, "")
    with pytest.raises(InvalidPlan, match="within the declared bounds"):
        blueprint_of(plan.as_json(), schema_of(age))
