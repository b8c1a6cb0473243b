"""M30-M33: logistic regressions by noisy descent.

What could leak, and to whom: whoever reads what was drawn learns of a row if one row moves it by
more than its noise was made for, at any point that a descent may come to. That happens if a place
on the curve passes one, if a weight passes a quarter, if a machine rounds otherwise than the bound
assumes, or if a person's rows count more often than declared. What could overspend: draws that cost
more together than the price, or one more step where the last one did badly. So all rows of small
declarations are tried at points near and far, and the number of scans is counted.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.answer.blueprint import Blueprint
from dpgov.privacy.answer.release import draw
from dpgov.privacy.mechanisms.descent import Point
from dpgov.privacy.mechanisms.draw import Draw
from dpgov.privacy.mechanisms.logistic import AsksOn, Logistic
from dpgov.privacy.mechanisms.regression import coefficients
from dpgov.privacy.mechanisms.sigmoid import FINE, REACH, curve_at, lattice_for
from dpgov.privacy.mechanisms.steps import STEPS
from dpgov.privacy.plan.domains import category_domain, column_spec, numeric_domain
from dpgov.privacy.plan.plan import InvalidPlan
from dpgov.privacy.plan.request import ExactAnswer, ExactRequest
from dpgov.privacy.plan.schema import LARGEST_SUM, MissingRule, Neighbouring, PrivacyUnit
from tests.reference import Owned, Row, exact_answer
from tests.unit.privacy.tables import blueprint_of, owned, question, release_of, schema_of

CAME = column_spec("came", category_domain(["no", "yes"]), MissingRule.DROP, "")
DOSE = column_spec("dose", numeric_domain("-4", "0", "2"), MissingRule.DROP, "")
KIND = column_spec("kind", category_domain(["a", "b", "c"]), MissingRule.DROP, "")
BIT = column_spec("bit", numeric_domain("0", "1", "1"), MissingRule.DROP, "")
SMALL = (CAME, DOSE, KIND, BIT)
# Every code that a column can hold: declared ones, one that was not declared, and a missing one.
ROWS: list[Row] = list(product((0, 1, 2, None), (0, 1, 2, None), (0, 1, 2, 3, None), (0, 1, None)))
FAR = REACH * FINE
SHARES = [(0.0,), (0.03, -0.4, 0.2, 0.7, -0.1), (1.0, 0.0, 0.0, 0.0), (-0.2, 0.9, -0.4, 0.1, 0.1)]
PREDICTORS = [["dose"], ["kind"], ["dose", "kind", "bit"]]


def asked(*predictors: str, outcome: str = "came") -> dict[str, object]:
    return {"statistic": "logistic_regression", "column": outcome, "predictors": list(predictors)}


def prepared(*predictors: str, epsilon: float = 1, **schema: object) -> tuple[Blueprint, Logistic]:
    blueprint = blueprint_of(
        question(asked(*predictors), epsilon=epsilon),
        schema_of(*SMALL, **schema),  # type: ignore[arg-type]
    )
    (mechanism,) = blueprint.mechanisms
    assert isinstance(mechanism, Logistic)
    return blueprint, mechanism


def points(mechanism: Logistic) -> list[Point]:
    """The start, one nearby and two as far as a descent can go."""
    many = len(mechanism.design.terms)
    return [tuple(round(FAR * s) for s in (*share, *(0.0,) * many)[:many]) for share in SHARES]


def moved(blueprint: Blueprint, one: Draw, point: Point, row: Row | list[Owned]) -> list[int]:
    """What tables of one row, or of one person, add to a draw at this point, in whole numbers."""
    (mechanism,), (request,) = blueprint.mechanisms, blueprint.requests
    assert isinstance(mechanism, Logistic)
    measures = tuple({m: None for reading in one.readings for m, _ in reading.weights})
    curve = curve_at(point, mechanism.design, mechanism.lattice)
    further = ExactRequest(request.filters, (), measures, request.bounds, curve)
    table: Sequence[Row | Owned] = row if isinstance(row, list) else [row]
    (cell,) = exact_answer(table, further)
    known = dict(zip(measures, cell, strict=True))
    return [reading.exact(known) for reading in one.readings]


@pytest.mark.parametrize("predictors", PREDICTORS)
@pytest.mark.parametrize("neighbouring", list(Neighbouring))
def test_no_row_moves_any_draw_further_than_its_noise_was_made_for(
    neighbouring: Neighbouring, predictors: list[str]
) -> None:
    """M30: over every row, and every pair of rows, among them such as count in neither."""
    blueprint, mechanism = prepared(*predictors, neighbouring=neighbouring)
    draws = mechanism.draws
    furthest = dict.fromkeys(("moments", "outcomes", "step", "weighted"), 0.0)
    for name in furthest:
        one = getattr(draws, name)
        for point in points(mechanism):
            found = np.unique([moved(blueprint, one, point, row) for row in ROWS], axis=0)
            pairs = found if neighbouring is Neighbouring.ADD_REMOVE else found[:, None] - found
            pairs = pairs.reshape(-1, found.shape[1])
            assert abs(pairs).sum(axis=1).max() <= one.reach.l1
            squared = int((pairs.astype(object) ** 2).sum(axis=1).max())
            assert squared <= one.reach.l2_squared
            furthest[name] = max(furthest[name], squared / one.reach.l2_squared)
    assert draws.last.reach == draws.step.reach
    # A row that is as good as certain moves all that is declared.
    assert min(furthest.values()) > (0.95 if neighbouring is Neighbouring.ADD_REMOVE else 0.45)


def test_rows_of_a_person_count_together_and_never_more_often_than_declared() -> None:
    """M31: three rows of one person, of which two may count, move a gradient by two at most."""
    people = PrivacyUnit("person", 2)
    blueprint, mechanism = prepared("dose", "bit", unit=people)
    whole = [row for row in ROWS if None not in row and row[0] != 2 and row[2] != 3]
    for point in points(mechanism):
        for row in whole:
            person = owned([[row, row, row]])
            found = np.array(moved(blueprint, mechanism.draws.step, point, person), dtype=object)
            assert abs(found).sum() <= mechanism.draws.step.reach.l1
            assert (found**2).sum() <= mechanism.draws.step.reach.l2_squared
    alone = prepared("dose", "bit")[1]
    assert mechanism.draws.step.reach.l1 == 2 * alone.draws.step.reach.l1


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("rows", [0, 40, 4_000])
def test_scans_and_draws_are_fixed_before_any_row_is_read(mode: Mode, rows: int) -> None:
    """M32: as many of each on every table, priced together at no more than the whole."""
    blueprint, mechanism = prepared("dose", mode=mode, unit=PrivacyUnit("person", 2))
    table = [ROWS[place % len(ROWS)] for place in range(rows)]
    seen: list[ExactRequest] = []

    def engine(request: ExactRequest) -> ExactAnswer:
        seen.append(request)
        return exact_answer(table, request)

    body = draw(blueprint, [engine(request) for request in blueprint.requests], engine)
    assert blueprint.requests[0].bounds is not None
    planned = [*blueprint.requests, *mechanism.later(blueprint.requests[0])]
    assert [one.measures for one in seen] == [one.measures for one in planned]
    assert {(one.filters, one.bounds) for one in seen} == {
        (blueprint.requests[0].filters, blueprint.requests[0].bounds)
    }
    draws = mechanism.draws
    paid = [draws.moments, draws.outcomes, *(STEPS - 1) * [draws.step], draws.last, draws.weighted]
    assert sum(one.loss.nano for one in paid) <= blueprint.cost_nano
    (drawn,) = body["draws"]
    assert len(drawn["cells"][0]) == len(drawn["moments"])
    assert len(drawn["points"]) == STEPS
    assert [s["term"] for s in body["statistics"]] == [None, "dose"]


def test_without_an_engine_to_ask_on_nothing_is_drawn() -> None:
    """M32: half a descent is no answer."""
    blueprint, _ = prepared("dose")
    with pytest.raises(AsksOn):
        draw(blueprint, [exact_answer(ROWS, request) for request in blueprint.requests])


def test_whoever_has_the_released_numbers_finds_the_released_coefficients() -> None:
    """M32: everything in an answer follows from its integers and the points they were drawn at."""
    blueprint, mechanism = prepared("dose", "kind")
    body = release_of(blueprint, ROWS * 20)
    (drawn,) = body["draws"]
    again = mechanism.released(drawn["cells"][0], tuple(drawn["points"][-1]))
    assert [list(column.cells) for column in again] == [s["cells"] for s in body["statistics"]]


def test_the_curve_is_close_to_the_logistic_one_and_sums_stay_exact_at_the_limit_of_rows() -> None:
    """M30: of integers, the same everywhere; sums pass 2^53 nowhere."""
    _, mechanism = prepared("dose")
    curve = curve_at((0, 0), mechanism.design, mechanism.lattice)
    for place, value in enumerate(curve.table):
        exact = 1 / (1 + math.exp(REACH - place / 16))
        assert abs(value / curve.unit - exact) < 1e-5
        if place + 1 < len(curve.table):
            middle = 1 / (1 + math.exp(REACH - (place + 0.5) / 16))
            assert abs((value + curve.table[place + 1]) / 2 / curve.unit - middle) < 1e-4
    for rows in (1_000, 10**9):
        schema = schema_of(*SMALL)
        lattice = lattice_for(replace(schema, max_rows=rows))
        assert lattice.size * lattice.unit * rows <= LARGEST_SUM
        assert lattice.size**2 * lattice.heaviest * rows <= LARGEST_SUM


def test_predictors_that_say_nothing_are_held_back_and_said_to_be() -> None:
    """M33: what the noise leaves too little of is told from released numbers alone."""
    blueprint, _ = prepared("dose", "kind", mode=Mode.ZCDP)
    body = release_of(blueprint, [(1, 1, 0, 0)] * 30)
    fit = body["statistics"][0]["cells"][0]["fit"]
    assert fit["widened_directions"] >= 2
    for statistic in body["statistics"]:
        (cell,) = statistic["cells"]
        assert all(math.isfinite(one["value"]) for one in cell["accuracy"])
        # It could be almost anything, and the error says so.
        assert statistic["term"] != "kind" or cell["accuracy"][1]["value"] > 3


def test_an_outcome_says_yes_or_no_in_words_or_numbers() -> None:
    """M30: two categories, or two numbers; of anything else the refusal says so."""
    _, mechanism = prepared("dose")
    assert mechanism.outcome.means == "yes"
    numbers = blueprint_of(question(asked("dose", outcome="bit")), schema_of(*SMALL))
    assert {s["means"] for s in numbers.describe()["statistics"]} == {1}
    for name in ("kind", "dose"):
        with pytest.raises(InvalidPlan, match="no yes or no"):
            blueprint_of(question(asked("bit", outcome=name)), schema_of(*SMALL))


def test_coefficients_are_in_units_of_the_columns() -> None:
    """M33: log odds for one more of a predictor, or for another category."""
    _, mechanism = prepared("dose", "kind")
    names = [one.facts for one in coefficients(mechanism.design.terms, mechanism.design.size)]
    assert [one["term"] for one in names] == [None, "dose", "kind", "kind"]
