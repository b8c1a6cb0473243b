"""M13 to M16: a set of tables that is asked adaptively, from its body to its release.

What could leak, to whoever reads the answer: counts of a table that was not chosen, by way of the
model, of an error or of the shape of the answer; more than is paid for, by a candidate that moves
further than its noise allows. What could be kept from the asker: how little can be known of the
error beforehand.
"""

from collections.abc import Sequence
from itertools import product
from typing import Any
from unittest import mock

import numpy as np
import pytest

from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.answer import rounds as answer_rounds
from dpgov.privacy.answer.adaptively import Adaptively
from dpgov.privacy.answer.batch import priced
from dpgov.privacy.answer.blueprint import Blueprint, prepare
from dpgov.privacy.answer.covers import Cover, Method
from dpgov.privacy.answer.duration import expected_microseconds
from dpgov.privacy.answer.fitting import fit
from dpgov.privacy.answer.release import MalformedAnswer, draw
from dpgov.privacy.answer.rounds import as_count, model_of, needs_of_rounds
from dpgov.privacy.answer.table_sets import parse_table_set
from dpgov.privacy.mechanisms.adaptive import BadGuess, Round
from dpgov.privacy.mechanisms.chosen import ChosenTables, NeedsModel
from dpgov.privacy.noise import sampling
from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.privacy.plan.plan import InvalidPlan
from dpgov.privacy.plan.schema import DatasetSchema, Neighbouring, PrivacyUnit
from tests.reference import Owned, Row, exact_answer
from tests.unit.privacy.answer.test_table_sets import THREE, neighbours
from tests.unit.privacy.tables import draw_of, exact_vector, owned, release_of, schema_of

COLUMNS: list[dict[str, Any]] = [{"column": name} for name in "xyz"]
PAIRS: dict[str, Any] = {"columns": COLUMNS, "tables": 2, "method": "adaptive", "rounds": 4}
ROWS: list[Row] = [*[*product((0, 1), repeat=3)] * 5, *[(0, 0, 0)] * 60]


def asked(schema: DatasetSchema | None = None, epsilon: Any = 1, **more: Any) -> Blueprint:
    """The one question that a set of tables is, where it is asked adaptively."""
    schema = schema or schema_of(*THREE)
    batch = parse_table_set(PAIRS | {"epsilon": epsilon} | more, schema, dataset="people")
    assert isinstance(batch.cover, Adaptively)
    (blueprint,) = priced(batch, schema)
    return blueprint


def mechanism_of(blueprint: Blueprint) -> ChosenTables:
    found = blueprint.chooses
    assert found is not None
    return found


def candidates(blueprint: Blueprint, rows: Sequence[Row | Owned]) -> list[np.ndarray[Any, Any]]:
    """The exact counts of each candidate, as the choice is made of them."""
    seen: list[Any] = []

    def spy(exact: Any, _model: Any) -> tuple[Round, ...]:
        seen.extend(exact)
        return ()

    mechanism = mechanism_of(blueprint)
    (request,) = blueprint.requests
    with mock.patch.object(type(mechanism.adaptive), "run", side_effect=spy):
        draw(blueprint, [exact_answer(rows, request)])
    return [np.array(counts) for counts in seen]


@pytest.mark.parametrize("relation", list(Neighbouring))
@pytest.mark.parametrize("group", [1, 2])
def test_no_neighbour_moves_a_candidate_by_more_than_its_noise_is_made_for(
    relation: Neighbouring, group: int
) -> None:
    """M13: by brute force over small tables, from the body to the counts that are scored."""
    blueprint = asked(schema_of(*THREE, neighbouring=relation, group_size=group))
    reach, farthest = mechanism_of(blueprint).adaptive.reach, 0
    for before, after in neighbours(relation):
        if group == 2:
            after = [*after, after[-1]]
            before = [*before, before[-1]] if relation is Neighbouring.CHANGE_ONE else before
        pairs = zip(candidates(blueprint, before), candidates(blueprint, after), strict=True)
        for one, other in pairs:
            moved = np.abs(one - other)
            assert moved.sum() <= reach.l1
            assert (moved**2).sum() <= reach.l2_squared
            farthest = max(farthest, int(moved.sum()))
    assert farthest == reach.l1


def test_a_person_with_many_rows_moves_a_candidate_by_no_more_than_is_declared() -> None:
    """M13: rows beyond what is declared are left out of the one scan, before any is added up."""
    unit = PrivacyUnit("person", 3, 2)
    blueprint = asked(schema_of(*THREE, unit=unit))
    others = [[(0, 0, 1)], [(1, 1, 1)]]
    crowd = [[(0, 1, 0)] * 4 + [(1, 0, 0)] * 5]
    before = candidates(blueprint, owned(others))
    after = candidates(blueprint, owned(others + crowd))
    moved = [int(np.abs(x - y).sum()) for x, y in zip(before, after, strict=True)]
    assert moved == [3, 3, 3]
    assert mechanism_of(blueprint).adaptive.reach.l1 == 3


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("relation", list(Neighbouring))
def test_a_drawn_table_is_a_count_by_its_groups_for_what_its_round_pays(
    mode: Mode, relation: Neighbouring
) -> None:
    """M13: the same exact counts and the same noise, so that whoever reads it reads a count."""
    units = (PrivacyUnit(), PrivacyUnit("person", 3, 2))
    for unit, method in product(units, ("adaptive", "mwem")):
        schema = schema_of(*THREE, unit=unit, neighbouring=relation, mode=mode)
        blueprint = asked(schema, method=method)
        mechanism = mechanism_of(blueprint)
        rows: Sequence[Row | Owned] = ROWS
        if unit.private_id is not None:
            rows = owned([[row, row, row, row] for row in ROWS[:9]])
        for place, exact in enumerate(candidates(blueprint, rows)):
            count = as_count(blueprint, place)
            assert exact_vector(count, 0, rows) == exact.tolist()
            taken = draw_of(count.mechanisms[0])
            assert taken is not None
            assert taken.reach == mechanism.adaptive.reach
            assert taken.noise == mechanism.adaptive.noise
            assert count.loss == mechanism.adaptive.of_a_draw
    rounds = mechanism.adaptive.rounds
    paid = rounds * (mechanism.adaptive.of_a_choice.nano + mechanism.adaptive.of_a_draw.nano)
    assert paid <= blueprint.cost_nano == blueprint.loss.nano


def test_a_release_names_the_drawn_tables_in_their_order_and_nothing_of_the_others() -> None:
    """M14: one entry a round, each in the form of a count; the whole has no other number."""
    blueprint = asked()
    with mock.patch.object(sampling, "highest", side_effect=[2, 0, 2, 1]):
        body = release_of(blueprint, ROWS)
    assert [one["place"] for one in body["rounds"]] == [2, 0, 2, 1]
    names = [[group["column"] for group in one["groups"]] for one in body["rounds"]]
    assert names == [["y", "z"], ["x", "y"], ["y", "z"], ["x", "z"]]
    assert body["groups"] == body["draws"] == body["statistics"] == []
    for one in body["rounds"]:
        count = as_count(blueprint, one["place"])
        alone = release_of(count, ROWS)
        assert one.keys() - {"place"} == alone.keys()
        assert one["plan"] == count.plan.as_json()
        assert len(one["statistics"][0]["cells"]) == 9
    assert body["guarantee"]["epsilon"] == 1


def test_a_model_is_shown_released_numbers_alone() -> None:
    """M14: its guesses follow from the rounds that it is given, whatever the rows."""
    blueprint = asked()
    model, mechanism = model_of(mechanism_of(blueprint)), mechanism_of(blueprint)
    shown: list[tuple[Sequence[Round], Any]] = []

    def spying(of: ChosenTables) -> Any:
        def spy(found: Sequence[Round]) -> Any:
            shown.append((found, model_of(of)(found)))
            return shown[-1][1]

        return spy

    with mock.patch("dpgov.privacy.answer.release.model_of", side_effect=spying):
        body = release_of(blueprint, ROWS)
    drawn = [
        Round(one["place"], tuple(n for (n,) in one["draws"][0]["cells"])) for one in body["rounds"]
    ]
    assert [list(found) for found, _ in shown] == [drawn[:at] for at in range(4)]
    assert all(guess == model(found) for found, guess in shown)
    assert [len(one) for one in shown[0][1]] == list(mechanism.adaptive.cells)


def test_a_model_learns_from_what_was_drawn() -> None:
    """M14: the counts of a table that was drawn with little noise are known, and its margins."""
    mechanism = mechanism_of(asked(epsilon=100))
    xy = [40, 10, 0, 5, 45, 0, 0, 0, 0]
    guesses = model_of(mechanism)([Round(0, tuple(xy))])
    assert np.abs(np.array(guesses[0]) - xy).max() <= 1
    # Of z nothing is known: x is spread evenly over its bins.
    assert np.abs(np.array(guesses[1]).reshape(3, 3) - np.array([[50], [50], [0]]) / 3).max() <= 1


@pytest.mark.parametrize("failing", [ValueError, ZeroDivisionError, MemoryError])
def test_a_model_that_fails_ends_the_rounds_and_what_was_drawn_is_the_answer(
    failing: type[Exception],
) -> None:
    """M14: paid in full, as the price was for all rounds; no number of the failure is told."""
    blueprint, calls = asked(), iter([fit])

    def fit_or_fail(*given: Any) -> Any:
        known = next(calls, None)
        if known is None:
            raise failing("42 rows")
        return known(*given)

    with mock.patch.object(answer_rounds, "fit", side_effect=fit_or_fail):
        body = release_of(blueprint, ROWS)
    assert len(body["rounds"]) == 2
    assert body["choosing"]["rounds"] == 4
    assert body["guarantee"]["epsilon"] == 1
    assert "42" not in str(body["choosing"])


def test_a_model_that_fails_at_once_fails_for_every_table_alike() -> None:
    """M14: before any round it knows nothing, so that it fails for public reasons."""
    for rows in ([], ROWS[:1], ROWS):
        with (
            mock.patch.object(answer_rounds, "_guesses", side_effect=ValueError),
            pytest.raises(BadGuess),
        ):
            release_of(asked(), rows)


def test_counts_of_another_shape_are_refused_before_anything_is_chosen() -> None:
    """M14: and a mechanism without a model draws nothing."""
    blueprint = asked()
    with pytest.raises(MalformedAnswer):
        draw(blueprint, [((1,),)])
    with pytest.raises(NeedsModel):
        blueprint.mechanisms[0].run([])


def test_what_all_rounds_need_is_told_from_public_numbers_and_is_part_of_the_duration() -> None:
    """M15: more rounds and more cells need more; never less than what it is reckoned with."""
    few, many = asked(rounds=2), asked(rounds=20)
    small, large = (needs_of_rounds(mechanism_of(one)) for one in (few, many))
    assert (small.seconds, large.seconds) == pytest.approx((0.1, 2.0), abs=0.2)
    assert small.megabytes <= large.megabytes < 200
    for one in (few, many):
        assert expected_microseconds(one) > needs_of_rounds(mechanism_of(one)).seconds * 1e6
    assert expected_microseconds(many) > expected_microseconds(few)


def test_the_automatic_choice_stays_among_methods_with_a_known_error() -> None:
    """M16: adaptive rounds are taken where they are named, and never by themselves."""
    schema = schema_of(*THREE)
    body = {"columns": COLUMNS, "tables": 2, "epsilon": 1}
    fixed = parse_table_set(body, schema, dataset="people").cover
    assert isinstance(fixed, Cover)
    assert Method.ADAPTIVE not in {way.method for way in fixed.ways}
    named = parse_table_set(PAIRS | {"epsilon": 1}, schema, dataset="people").cover
    assert isinstance(named, Adaptively)
    told = named.as_json()
    assert (told["method"], told["rmse"]) == ("adaptive", None)
    assert told["ways"] == fixed.as_json()["ways"]
    assert {answer["rmse"] for answer in told["answers"]} == {None}
    said = told["adaptive"]
    assert (said["rounds"], said["candidates"]) == (4, 3)
    assert said["fixed_rmse"] == fixed.as_json()["rmse"]
    of_one = mechanism_of(asked()).adaptive.noise.variance ** 0.5
    assert of_one <= said["rmse"] <= of_one * 1.002


WIDE = [{"column": "age", "edges": list(range(17, 91))}, {"column": "visit", "by": "day"}]
FINE = [*WIDE, {"column": "hours", "edges": list(range(1, 100))}, {"column": "sex"}]


@pytest.mark.parametrize(
    ("more", "path", "message"),
    [
        ({"rounds": None}, "rounds", "from 1 to 20"),
        ({"rounds": None, "method": "mwem"}, "rounds", "from 1 to 20"),
        ({"rounds": 0}, "rounds", "from 1 to 20"),
        ({"rounds": 21}, "rounds", "from 1 to 20"),
        ({"rounds": True}, "rounds", "from 1 to 20"),
        ({"rounds": "8"}, "rounds", "from 1 to 20"),
        ({"method": "separate_tables"}, "rounds", "Only the method"),
        ({"method": None}, "rounds", "Only the method"),
        ({"columns": FINE}, "method", "at most 200000"),
        ({"columns": FINE, "tables": 3}, "method", "at most 10000 are answered at once"),
        ({"epsilon": "0.000000001"}, "epsilon", "must be at least"),
    ],
)
def test_what_cannot_be_chosen_adaptively_is_refused_at_its_place(
    more: dict[str, Any], path: str, message: str
) -> None:
    """M16: for public reasons, before anything is asked."""
    schema = schema_of() if "columns" in more else schema_of(*THREE)
    with pytest.raises(InvalidPlan) as caught:
        parse_table_set(PAIRS | {"epsilon": 1} | more, schema, dataset="people")
    found = [p.message for p in caught.value.problems if p.path == path]
    assert message in " ".join(found)


def test_a_plan_that_chooses_is_read_again_as_it_was_and_never_typed() -> None:
    """M16: what a worker reads is what was priced; no other door takes such a plan."""
    blueprint = asked()
    body, schema = blueprint.plan.as_json(), blueprint.schema
    again = parse_plan(body, schema, dataset="people", stored=True)
    assert again == blueprint.plan
    assert prepare(again, schema).cost_nano == NANO
    with pytest.raises(InvalidPlan, match="adaptive"):
        parse_plan(body, schema, dataset="people")
    wrongs: list[Any] = [{"tables": [["x", "w"]]}, {"tables": [[]]}, {"tables": [["x"]], "mwem": 1}]
    for wrong in [[], *({"rounds": 4} | one for one in wrongs)]:
        with pytest.raises(InvalidPlan, match="adaptive"):
            parse_plan(body | {"adaptive": wrong}, schema, dataset="people", stored=True)
