"""M3: regressions by noisy moments.

What could leak, and to whom: whoever reads the moments learns of a row if one row moves them by
more than their noise was made for. That happens if a product is forgotten in the sum, if an
indicator counts twice, if a row without a value counts in some moments and not in others, or if a
replaced row moves further than twice. What could overspend: two draws for one price. So all rows of
small declarations are tried, against each other and against nothing.
"""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.mechanisms.design import design_for
from dpgov.privacy.mechanisms.least_squares import Moments, longest, solve
from dpgov.privacy.mechanisms.regression import Regression, coefficients_of
from dpgov.privacy.noise.noise import Noise, NoiseKind
from dpgov.privacy.plan.domains import category_domain, column_spec, numeric_domain
from dpgov.privacy.plan.plan import Statistic
from dpgov.privacy.plan.schema import LARGEST_SUM, MissingRule, Neighbouring, PrivacyUnit
from dpgov.privacy.plan.statistics import StatisticKind
from tests.reference import Row
from tests.statistical.evidence import fewest, most
from tests.unit.privacy.tables import blueprint_of, exact_vector, question, release_of, schema_of

OUTCOME = column_spec("outcome", numeric_domain("0", "2", "1"), MissingRule.DROP, "")
DOSE = column_spec("dose", numeric_domain("-4", "0", "2"), MissingRule.DROP, "")
KIND = column_spec("kind", category_domain(["a", "b", "c"]), MissingRule.DROP, "")
SITE = column_spec("site", category_domain(["x", "y"]), MissingRule.DROP, "")
SMALL = (OUTCOME, DOSE, KIND, SITE)
# Every code that a column can hold: declared ones, one that was not declared, and a missing one.
CODES = ((0, 1, 2, None), (0, 1, 2, None), (0, 1, 2, 3, None), (0, 1, 2, None))
ROWS: list[Row] = list(product(*CODES))
ALL = ["dose", "kind", "site"]


def asked(*predictors: str, outcome: str = "outcome") -> dict[str, object]:
    return {"statistic": "regression", "column": outcome, "predictors": list(predictors)}


def vectors(neighbouring: Neighbouring, predictors: list[str]) -> tuple[Regression, np.ndarray]:
    """The exact moments of a table of each single row, in whole numbers."""
    schema = schema_of(*SMALL, neighbouring=neighbouring)
    blueprint = blueprint_of(question(asked(*predictors)), schema)
    (mechanism,) = blueprint.mechanisms
    assert isinstance(mechanism, Regression)
    # Python's own integers: squares of moments pass 64 bits.
    found = [exact_vector(blueprint, 0, [row]) for row in ROWS]
    return mechanism, np.array(found, dtype=object)


@pytest.mark.parametrize("predictors", [["dose"], ["kind"], ["kind", "site"], ALL])
def test_a_row_that_comes_moves_the_moments_by_what_is_declared_and_by_no_more(
    predictors: list[str],
) -> None:
    """M3: over every row of the declarations the largest move is the declared one."""
    mechanism, moved = vectors(Neighbouring.ADD_REMOVE, predictors)
    declared = mechanism.taken.reach
    assert abs(moved).sum(axis=1).max() == declared.l1
    assert (moved**2).sum(axis=1).max() == declared.l2_squared


@pytest.mark.parametrize("predictors", [["dose"], ["kind"], ["kind", "site"], ALL])
def test_a_row_that_is_replaced_moves_them_by_no_more_than_is_declared(
    predictors: list[str],
) -> None:
    """M3: over every pair of rows, among them such as count in neither or in one of the two."""
    mechanism, moved = vectors(Neighbouring.CHANGE_ONE, predictors)
    declared, distinct = mechanism.taken.reach, np.unique(moved.astype(np.int64), axis=0)
    pairs = distinct[:, None, :] - distinct[None, :, :]
    furthest = int(abs(pairs).sum(axis=2).max())
    squared = int((pairs.astype(object) ** 2).sum(axis=2).max())
    assert furthest <= declared.l1 <= 1.5 * furthest
    assert squared <= declared.l2_squared <= 1.5 * squared


def test_rows_of_a_person_count_as_often_as_a_person_may_have_rows() -> None:
    """M3: the bound of a person's rows, and of a group of people, multiplies the reach."""
    alone = blueprint_of(question(asked(*ALL)), schema_of(*SMALL)).mechanisms[0]
    people = schema_of(*SMALL, unit=PrivacyUnit("person", 4), group_size=3)
    blueprint = blueprint_of(question(asked(*ALL)), people)
    (several,) = blueprint.mechanisms
    assert isinstance(alone, Regression)
    assert isinstance(several, Regression)
    sizes = Fraction(several.design.size, alone.design.size)
    assert several.taken.reach.l1 == 12 * alone.taken.reach.l1 * sizes**2
    assert blueprint.requests[0].bounds is not None
    assert blueprint.requests[0].bounds.max_rows == 4


def test_a_row_without_a_value_counts_nowhere() -> None:
    """M3: neither in the moments of other columns, nor among the rows."""
    blueprint = blueprint_of(question(asked(*ALL)), schema_of(*SMALL))
    whole: Row = (2, 1, 1, 0)
    exact = exact_vector(blueprint, 0, [whole])
    for hole in ((None, 1, 1, 0), (2, None, 1, 0), (2, 1, None, 0), (2, 1, 3, 0), (2, 1, 1, 2)):
        assert exact_vector(blueprint, 0, [whole, hole]) == exact


def test_every_moment_stays_exact_at_the_limit_of_rows() -> None:
    """M3: steps as fine as a column may have are taken together; sums pass 2^53 nowhere."""
    fine = column_spec("fine", numeric_domain("0", "1000000", "1"), MissingRule.REQUIRE, "")
    other = column_spec("other", numeric_domain("0", "1", "0.0001"), MissingRule.REQUIRE, "")
    schema = schema_of(fine, other)
    design = design_for(Statistic(StatisticKind.REGRESSION, "fine", predictors=("other",)), schema)
    tops: Row = (1_000_000, 10_000)
    blueprint = blueprint_of(question(asked("other", outcome="fine")), schema)
    (exact,) = (exact_vector(blueprint, 0, [tops]),)
    assert max(abs(number) for number in exact) * schema.max_rows <= LARGEST_SUM
    assert min(term.size for term in design.terms) > 0.85 * design.size


def test_it_is_one_scan_and_one_draw_for_the_whole_price() -> None:
    """M3: nothing is paid twice, and nothing is drawn that was not paid for."""
    blueprint = blueprint_of(question(asked(*ALL), epsilon=1), schema_of(*SMALL))
    assert len(blueprint.requests) == len(blueprint.mechanisms) == 1
    assert blueprint.mechanisms[0].loss == blueprint.loss


def test_without_noise_it_is_least_squares_in_units_of_the_columns() -> None:
    """The line that made the rows comes out: an intercept, a slope, and a step for a category."""
    schema = schema_of(*SMALL)
    design = design_for(
        Statistic(StatisticKind.REGRESSION, "outcome", predictors=("dose", "kind")), schema
    )
    blueprint = blueprint_of(question(asked("dose", "kind")), schema)
    rows: list[Row] = [
        (0, 0, 0, 0),
        (1, 1, 0, 0),
        (1, 2, 0, 0),
        (2, 2, 1, 0),
        (1, 0, 1, 0),
        (2, 1, 2, 0),
    ]
    exact = np.array(exact_vector(blueprint, 0, rows), dtype=float) / design.size**2
    line = solve(Moments(design, exact, Noise(NoiseKind.LAPLACE, 1e-6)))
    made = [float(one.combination @ line.theta) + one.plus for one in coefficients_of(design)]
    dose = [-4.0, -2.0, 0.0, 0.0, -4.0, -2.0]
    table = [[1.0, d, float(r[2] == 1), float(r[2] == 2)] for d, r in zip(dose, rows, strict=True)]
    wanted = np.linalg.lstsq(np.array(table), np.array([float(r[0] or 0) for r in rows]))[0]
    assert made == pytest.approx(wanted.tolist(), abs=1e-6)


def test_constant_and_repeated_predictors_are_widened_and_say_so() -> None:
    """M3: what the noise leaves too little of is told from released numbers alone."""
    schema = schema_of(*SMALL, mode=Mode.ZCDP)
    blueprint = blueprint_of(question(asked("dose", "kind"), epsilon=1), schema)
    body = release_of(blueprint, [(1, 1, 0, 0)] * 50)
    assert [s["term"] for s in body["statistics"]] == [None, "dose", "kind", "kind"]
    fit = body["statistics"][0]["cells"][0]["fit"]
    assert fit["widened_directions"] >= 2
    assert fit["r_squared"] is None
    for statistic in body["statistics"]:
        (cell,) = statistic["cells"]
        assert all(np.isfinite(one["value"]) for one in cell["accuracy"])


def test_an_answer_has_the_same_shape_whatever_the_table() -> None:
    """M3: no row, one row, many: the same coefficients, draws and keys."""
    blueprint = blueprint_of(question(asked(*ALL)), schema_of(*SMALL))
    shapes = set()
    for rows in ([], ROWS[:1], ROWS):
        body = release_of(blueprint, rows)
        keys = [tuple(sorted(s)) + tuple(sorted(s["cells"][0])) for s in body["statistics"]]
        shapes.add((tuple(keys), len(body["draws"][0]["cells"][0])))
    assert len(shapes) == 1


def lines_within_bounds() -> np.ndarray:
    """By dose, kind and site, each pushed against the bounds of all rows of the declarations."""
    rng = np.random.default_rng(3)
    doses, kinds, sites = (-1.0, 1.0), ((0, 0), (1, 0), (0, 1)), (0, 1)
    rows = np.array([[1.0, d, *k, s] for d, k, s in product(doses, kinds, sites)])
    lines = np.concatenate([rng.normal(size=(200_000, 5)), np.linalg.pinv(rows[[0, 1, 3, 5, 7]])])
    lines = np.concatenate([lines, [[-1.0, 0.0, 2.0, 2.0, 0.0]]])
    found: np.ndarray = lines / abs(lines @ rows.T).max(axis=1)[:, None]
    return found


def test_no_line_that_stays_within_bounds_is_longer_than_errors_allow_for() -> None:
    """M3: an indicator goes from 0 to 1 and a number from -1 to 1, so that the one may have twice
    the coefficient; one line is as long as is allowed for.
    """
    schema = schema_of(*SMALL)
    for predictors, bound in ((ALL, 9), (["dose", "site"], 5), (["dose"], 1)):
        statistic = Statistic(StatisticKind.REGRESSION, "outcome", predictors=tuple(predictors))
        *components, _outcome = (design := design_for(statistic, schema)).terms
        assert longest(components, design.size) == pytest.approx(bound)
    squared = (lines_within_bounds() ** 2).sum(axis=1)
    assert squared.max() == pytest.approx(9)


def test_what_the_ridge_may_hide_is_the_most_over_lines_that_stay_within_bounds() -> None:
    """M3: over many lines, pushed against the bounds of all rows of the declarations, none hides
    more, and one hides nearly as much.
    """
    schema = schema_of(*SMALL)
    statistic = Statistic(StatisticKind.REGRESSION, "outcome", predictors=tuple(ALL))
    design = design_for(statistic, schema)
    lines, rng = lines_within_bounds(), np.random.default_rng(3)
    for weights in rng.normal(size=(5, 5)):
        hidden = abs(lines @ weights).max()
        assert 0.8 * design.most(weights.tolist()) <= hidden <= design.most(weights.tolist()) + 1e-9


@pytest.mark.parametrize("slope", [0.1, -0.1])
def test_errors_cover_what_the_ridge_pulls_as_far_as_they_say(slope: float) -> None:
    """M3: the steepest line that stays within the bounds of the outcome, told by rows so near to
    each other that the noise leaves nothing of it.
    """
    x = column_spec("x", numeric_domain("0", "1000", "1"), MissingRule.REQUIRE, "")
    y = column_spec("y", numeric_domain("0", "100", "1"), MissingRule.REQUIRE, "")
    blueprint = blueprint_of(question(asked("x", outcome="y"), epsilon=1), schema_of(x, y))
    (mechanism,) = blueprint.mechanisms
    assert isinstance(mechanism, Regression)
    near = 100 * (-20, -10, 10, 20)
    rows: list[Row] = [(500 + at, 50 + round(slope * at)) for at in near]
    exact, inside, told = exact_vector(blueprint, 0, rows), 0, 0
    for _ in range(200):
        _, column = mechanism.released([mechanism.taken.add_noise(exact)])
        (cell,) = column.cells
        stated = cell["accuracy"][1]
        told += stated.get("provided") == "line_within_bounds"
        inside += abs(cell["value"] - slope) <= stated["value"]
    # Once in many million answers noise alone is as large as four sizes of it.
    assert told >= 198
    assert inside >= fewest(200, 0.95)


def test_errors_cover_levels_that_the_ridge_hides_as_far_as_they_may_lie() -> None:
    """M3: all but the first at the other bound of the outcome, each of so few rows that nothing is
    left of it; the noise around them moves the intercept, which many rows tell.
    """
    kind = column_spec("k", category_domain(list("abcdefgh")), MissingRule.REQUIRE, "")
    y = column_spec("y", numeric_domain("0", "100", "1"), MissingRule.REQUIRE, "")
    asking = question(asked("k", outcome="y"), epsilon=1)
    blueprint = blueprint_of(asking, schema_of(kind, y, mode=Mode.ZCDP))
    (mechanism,) = blueprint.mechanisms
    assert isinstance(mechanism, Regression)
    rows: list[Row] = [(0, 0)] * 200
    rows += [(level, 100) for level in range(1, 8)] * 4
    exact, inside = exact_vector(blueprint, 0, rows), np.zeros(8)
    for _ in range(200):
        columns = mechanism.released([mechanism.taken.add_noise(exact)])
        for place, column in enumerate(columns):
            (cell,) = column.cells
            stated = cell["accuracy"][1]
            assert stated["provided"] == "line_within_bounds"
            inside[place] += abs(cell["value"] - (100 if place else 0)) <= stated["value"]
    assert inside.min() >= fewest(200, 0.95)


@pytest.mark.parametrize("mode", list(Mode))
def test_errors_cover_what_they_say_and_are_hardly_wider(mode: Mode) -> None:
    """M3: of 400 answers about fixed rows, against the line through those rows."""
    schema = schema_of(*SMALL, mode=mode)
    blueprint = blueprint_of(question(asked("dose", "kind"), epsilon=1), schema)
    (mechanism,) = blueprint.mechanisms
    assert isinstance(mechanism, Regression)
    rng = np.random.default_rng(5)
    rows = [(int(a), int(b), int(c), 0) for a, b, c in rng.integers(0, 3, (4_000, 3))]
    exact = exact_vector(blueprint, 0, rows)
    true = solve(
        Moments(
            mechanism.design,
            np.array(exact, dtype=float) / mechanism.design.size**2,
            Noise(NoiseKind.LAPLACE, 1e-6),
        )
    )
    truth = [float(c.combination @ true.theta) + c.plus for c in coefficients_of(mechanism.design)]
    errors, bounds = np.zeros((400, 4)), np.zeros((400, 4))
    for trial in range(400):
        columns = mechanism.released([mechanism.taken.add_noise(exact)])
        for place, (column, value) in enumerate(zip(columns, truth, strict=True)):
            (cell,) = column.cells
            errors[trial, place] = abs(cell["value"] - value)
            bounds[trial, place] = cell["accuracy"][1]["value"]
    assert (errors <= bounds).sum(axis=0).min() >= fewest(400, 0.95)
    assert (errors <= bounds / 1.35).sum(axis=0).max() <= most(400, 0.95)
