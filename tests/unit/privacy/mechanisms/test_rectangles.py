"""M9d: cumulative counts along two columns, drawn by a product of strategies."""

from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
import pytest

from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.mechanisms.cumulative import Cumulative
from dpgov.privacy.mechanisms.draw import calibrated
from dpgov.privacy.mechanisms.mechanism import ROWS
from dpgov.privacy.mechanisms.products import PRODUCTS, Product, products
from dpgov.privacy.mechanisms.strategies import BINS, SQUARE_ROOT, Strategy
from dpgov.privacy.noise.lower_bound import lower_bound_of_rho
from dpgov.privacy.plan.plan import InvalidPlan
from dpgov.privacy.plan.schema import DatasetSchema, Neighbouring, PrivacyUnit
from tests.statistical.evidence import fewest, most
from tests.unit.privacy.deriving import EXACT, SEX, derivation, made
from tests.unit.privacy.deriving import ROWS as TABLE
from tests.unit.privacy.tables import COUNT, blueprint_of, question, release_of, schema_of

JOINT = {"statistic": "joint_cdf"}
AGES = {"column": "age", "edges": [17, 20, 32, 50, 62, 90]}
HOURS = {"column": "hours", "edges": [0, 10, 20, 40, 60]}
INSIDE = [
    {"column": "age", "op": "between", "value": [20, 49]},
    {"column": "hours", "op": ">=", "value": 10},
]


def grouped(column: str, low: int, high: int, bins: int) -> dict[str, Any]:
    """So many bins, of which the last is for everything else."""
    width = Fraction(high - low, bins - 1)
    edges = [f"{float(low + width * place):.6f}" for place in range(bins)]
    return {"column": column, "edges": edges}


def mechanism(bins: int, schema: DatasetSchema, **more: Any) -> Cumulative:
    groups = [grouped("age", 17, 90, bins), grouped("hours", 0, 60, bins)]
    (found,) = blueprint_of(question(JOINT, group_by=groups, **more), schema).mechanisms
    assert isinstance(found, Cumulative)
    return found


def values(body: dict[str, Any]) -> list[int]:
    return [cell["value"] for cell in body["statistics"][0]["cells"]]


@pytest.mark.parametrize("mode", list(Mode))
def test_with_almost_no_noise_each_count_is_of_all_rows_up_to_both_bins(mode: Mode) -> None:
    """D7: within each cell of the other groups."""
    groups = [SEX, AGES, HOURS]
    counted = question(COUNT, epsilon=EXACT, group_by=groups)
    asked = question(JOINT, epsilon=EXACT, group_by=groups)
    cells = np.array(values(release_of(blueprint_of(counted, schema_of()), TABLE)))
    expected = cells.reshape(3, 6, 5).cumsum(axis=1).cumsum(axis=2)
    body = release_of(blueprint_of(asked, schema_of(mode=mode)), TABLE)
    assert values(body) == expected.ravel().tolist()
    assert "adjusted" not in body["statistics"][0]


@pytest.mark.parametrize("groups", [[], [AGES], [AGES, SEX], [SEX, AGES]])
def test_it_needs_edges_in_its_last_two_groups(groups: list[Any]) -> None:
    with pytest.raises(InvalidPlan, match="last two groups"):
        blueprint_of(question(JOINT, group_by=groups), schema_of())


@pytest.mark.parametrize(("one", "other"), list(product((0, 2, SQUARE_ROOT), repeat=2)))
def test_a_product_is_what_it_is_written_out(one: int, other: int) -> None:
    """Sums, reach, weights and variances by halves are those of the whole matrix, exactly."""
    found = Product(Strategy(5, one), Strategy(4, other))
    rows = (np.arange(40) ** 2 % 13).reshape(2, 20)
    sums = found.sums
    assert (found.drawn_of(rows) == rows @ sums.T).all()
    columns = sums.astype(object)
    assert found.reach.l1 == max(abs(columns).sum(axis=0))
    assert found.reach.l2_squared == max((columns**2).sum(axis=0))
    weights = np.vstack([found.weights_of(place) for place in range(found.bins)])
    wanted = np.kron(np.tril(np.ones((5, 5))), np.tril(np.ones((4, 4))))
    assert np.allclose(weights @ sums, wanted)
    assert np.allclose((weights**2).sum(axis=1), found.variances)
    assert np.allclose(np.abs(weights).max(axis=1), found.largest)
    assert np.allclose(found.made_of(found.drawn_of(rows).astype(float)), rows @ wanted.T)
    chosen = (np.arange(60).reshape(3, 20) % 3 == 0).astype(float)
    assert np.allclose(found.adding(chosen) @ sums, chosen)
    assert found.usual == pytest.approx(mean_of_rectangles(found))


def mean_of_rectangles(found: Product) -> float:
    """One after the other, each with its own weights."""
    first, second = found.first.bins, found.second.bins
    chosen = [np.outer(a, b).ravel() for a, b in product(list(ranges(first)), list(ranges(second)))]
    return float((found.adding(np.array(chosen)) ** 2).sum(axis=1).mean())


def ranges(bins: int) -> Any:
    places = np.arange(bins)
    return (
        ((places >= low) & (places < high)).astype(float)
        for low in range(bins)
        for high in range(low + 1, bins + 1)
    )


@pytest.mark.parametrize("relation", list(Neighbouring))
@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("rows", [{}, {"per_unit": {"rows_per_group": 1}}])
@pytest.mark.parametrize("bins", [3, 4])
def test_a_unit_of_two_rows_stays_within_the_reach_in_all_small_tables(
    relation: Neighbouring, mode: Mode, rows: dict[str, Any], bins: int
) -> None:
    """D1: every place of its rows in both columns, before and after; in exact integers."""
    schema = schema_of(neighbouring=relation, mode=mode, unit=PrivacyUnit("person", 2))
    found, cells = mechanism(bins, schema, **rows), bins**2
    held = [*combinations_with_replacement(range(cells), 2), *((one,) for one in range(cells)), ()]
    if rows:
        held = [places for places in held if len(set(places)) == len(places)]
    tables = np.zeros((len(held), cells), dtype=np.int64)
    for at, places in enumerate(held):
        np.add.at(tables[at], list(places), 1)
    sums = found.strategy.drawn_of(tables)
    before = sums if relation is Neighbouring.CHANGE_ONE else np.zeros_like(sums[:1])
    moved = (sums[:, None, :] - before[None, :, :]).reshape(-1, sums.shape[1])
    assert int(np.abs(moved).sum(axis=1).max()) <= found.taken.reach.l1
    assert int((moved**2).sum(axis=1).max()) <= found.taken.reach.l2_squared


@pytest.mark.parametrize("mode", list(Mode))
def test_the_one_with_the_least_error_of_rectangles_is_drawn(mode: Mode) -> None:
    """E4: by numbers of bins and noise alone."""
    names = []
    for bins in (3, 9):
        found = mechanism(bins, schema_of(mode=mode))
        assert isinstance(found.strategy, Product)
        error = {
            one.name: calibrated(one.reach, found.loss)[0].variance * one.usual
            for one in products(bins, bins, max_rows=1_000_000)
        }
        assert found.strategy.name == min(error, key=lambda name: error[name])
        assert error[found.strategy.name] <= error["bins by bins"]
        names.append((found.strategy.name, found.describe()["readings"][0]["name"]))
    root = ("square root by square root", PRODUCTS)
    assert names[1] == (root if mode is Mode.ZCDP else ("bins by bins", BINS))


def test_more_rows_than_floats_can_tell_are_left_to_other_sums() -> None:
    """D2: a public number decides it."""
    fewer, more = (
        {one.name for one in products(9, 9, max_rows=rows)} for rows in (2**29, 2**29 + 1)
    )
    assert "square root by square root" in fewer
    assert not any("square root" in name for name in more)
    assert "bins by bins" in more


def test_counts_are_as_wrong_as_they_say() -> None:
    """C3: through the mechanism; the mean squared error and how often bounds hold."""
    found = mechanism(9, schema_of(mode=Mode.ZCDP))
    rows = [{ROWS: cell * 7 % 11} for cell in range(81)]
    exact = np.array([one[ROWS] for one in rows]).reshape(9, 9).cumsum(0).cumsum(1).ravel()
    draws = [found.run(rows).columns[0].cells for _ in range(400)]
    errors = np.array([[cell["value"] for cell in cells] for cells in draws]) - exact
    expected = found.strategy.variances * found.taken.noise.variance
    assert np.mean(errors**2 / (expected + 1 / 12)) == pytest.approx(1, abs=0.12)
    bounds = np.array([cell["accuracy"][1]["value"] for cell in draws[0]])
    assert np.mean(np.abs(errors) <= bounds) > 0.92


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("groups", [[], [SEX], [{"column": "age", "edges": [20, 50]}]])
def test_every_rectangle_is_counted_for_nothing_as_if_it_had_been_asked(
    groups: list[Any], mode: Mode
) -> None:
    """At almost no noise: the same numbers as of the question itself."""
    schema = schema_of(mode=mode)
    stored = question(JOINT, epsilon=EXACT, group_by=[SEX, AGES, HOURS])
    wanted = question(COUNT, epsilon=EXACT, where=INSIDE, group_by=groups)
    assert values(made(wanted, stored, schema=schema)) == values(
        release_of(blueprint_of(wanted, schema), TABLE)
    )
    off = [{"column": "age", "op": "between", "value": [21, 49]}]
    assert derivation(question(COUNT, where=off), stored, schema=schema) is None


def test_the_interval_of_a_rectangle_holds_and_is_no_wider_than_needed() -> None:
    """C3: through release and derivation; four counts share noise, which their sum would not."""
    schema = schema_of(mode=Mode.ZCDP)
    stored = question(JOINT, group_by=[grouped("age", 17, 90, 9), grouped("hours", 0, 60, 9)])
    edges = stored["group_by"]
    wanted = question(
        COUNT,
        group_by=[
            {"column": "age", "edges": [edges[0]["edges"][at] for at in (1, 6)]},
            {"column": "hours", "edges": [edges[1]["edges"][at] for at in (2, 7)]},
        ],
    )
    found = derivation(wanted, stored, schema=schema)
    assert found is not None
    blueprint, rows = blueprint_of(stored, schema), TABLE[:50]
    directly = blueprint_of(wanted | {"epsilon": EXACT}, schema)
    exact = np.array(values(release_of(directly, rows)))
    groups = directly.groups()
    bodies = [found.body({"0": release_of(blueprint, rows)}, groups) for _ in range(300)]
    errors = np.array([values(body) for body in bodies]) - exact
    cells = bodies[0]["statistics"][0]["cells"]
    bounds = np.array([cell["accuracy"][1]["value"] for cell in cells])
    assert (np.abs(errors) <= bounds).sum(axis=0).min() >= fewest(300, 0.95)
    assert (np.abs(errors) <= (bounds - 3) / 1.25).sum(axis=0).max() <= most(300, 0.95)


@pytest.mark.parametrize(("factor", "caught"), [(1, False), (3, True)])
def test_draws_of_neighbours_tell_no_more_than_they_cost(factor: int, caught: bool) -> None:
    """D5: the likeliest place of one more row, in all sums that it is in; a planted factor shows.

    The exact sums of the second table are `factor` times as far away as one row moves them.
    """
    found = mechanism(3, schema_of(mode=Mode.ZCDP))
    sums, rho = found.strategy.sums, found.loss.nano / 10**9
    place = int((sums**2).sum(axis=0).argmax())
    moved = sums[:, place] * factor
    direction = moved / np.sqrt(float((moved**2).sum()))
    first, second = (
        np.array([found.taken.add_noise((side * moved).tolist()) for _ in range(4_000)])
        for side in (0, 1)
    )
    lowest = lower_bound_of_rho(
        (first @ direction)[:, None], (second @ direction)[:, None], alpha=1e-6
    )
    assert (lowest > rho) is caught
