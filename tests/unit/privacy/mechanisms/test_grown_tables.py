"""D2: a live table may have more rows than were declared, and nobody counts them.

What could leak, and to whom: an analyst who knows all rows but one chooses them so that a sum of
theirs is about to end. If one more row makes the question fail, or moves what is made of several
sums further than the noise was made for, whether it is there shows at any price. So tables are
built at which each sum and each reading is about to pass 2^53, with one row more and without.
"""

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest

from dpgov.engines.live import answer_of
from dpgov.engines.scan import compile_scan
from dpgov.privacy.accounting.loss import Loss, Mode
from dpgov.privacy.answer.blueprint import Blueprint
from dpgov.privacy.mechanisms.adaptive import Adaptive
from dpgov.privacy.mechanisms.cumulative import Cumulative, cumulative
from dpgov.privacy.mechanisms.draw import Draw
from dpgov.privacy.mechanisms.grid import scores
from dpgov.privacy.mechanisms.mechanism import ROWS as COUNTED
from dpgov.privacy.mechanisms.table import Counted, table_of
from dpgov.privacy.noise.sensitivity import Exposure, Sensitivity
from dpgov.privacy.plan.domains import category_domain, column_spec, numeric_domain
from dpgov.privacy.plan.plan import Statistic
from dpgov.privacy.plan.schema import LARGEST_SUM, MissingRule, Neighbouring
from dpgov.privacy.plan.statistics import StatisticKind
from tests.reference import exact_answer
from tests.unit.privacy.tables import blueprint_of, draw_of, question, schema_of

WEIGHT = column_spec("weight", numeric_domain("-1000", "999000", "1"), MissingRule.DROP, "")
AGE = column_spec("age", numeric_domain("0", "100", "1"), MissingRule.DROP, "")
KIND = column_spec("kind", category_domain(["a", "b"]), MissingRule.DROP, "")
SCHEMA = schema_of(WEIGHT, AGE, KIND)
CODES = ((0, 1, 499_999, 1_000_000, None), (0, 100, None), (0, 1))
ROWS = list(product(*CODES))
OF_WEIGHT = ("sum", "mean", "variance", "standard_deviation")
ASKED: list[dict[str, Any]] = [
    *({"statistic": name, "column": "weight"} for name in OF_WEIGHT),
    {"statistic": "regression", "column": "weight", "predictors": ["age", "kind"]},
    {"statistic": "logistic_regression", "column": "kind", "predictors": ["age"]},
]
Sums = list[int]


def _sums(blueprint: Blueprint, place: int, row: Any) -> Sums:
    (cell,) = exact_answer([row], blueprint.requests[place])
    return list(map(int, cell))


def _answered(blueprint: Blueprint, place: int, sums: Sums) -> Any:
    """What an engine of a live table makes of these sums."""
    request = blueprint.requests[place]
    scan = compile_scan(request, dict.fromkeys(range(len(SCHEMA.columns)), 2**52))
    return table_of(request.measures, answer_of(scan, [tuple(sums)]))


def _ends(numbers: Sums) -> Iterator[int]:
    """How many such rows bring one of these numbers to where it ends, or a little further."""
    for number in filter(None, map(abs, numbers)):
        for ends in (LARGEST_SUM, 3 * LARGEST_SUM, 2**63):
            yield from range(ends // number - 1, ends // number + 2)


def _readings(taken: Draw, table: Any) -> Sums:
    return [reading.exact(cell) for cell in table for reading in taken.readings]


def _uncut(taken: Draw, blueprint: Blueprint, place: int, sums: Sums) -> Sums:
    cell = dict(zip(blueprint.requests[place].measures, sums, strict=True))
    readings = [reading.weights for reading in taken.readings]
    return [sum(weight * cell[one] for one, weight in weights) for weights in readings]


@pytest.mark.parametrize("asked", ASKED, ids=lambda asked: asked["statistic"])
def test_a_row_too_many_moves_no_answer_further_than_its_noise_is_made_for(
    asked: dict[str, Any],
) -> None:
    """D2, M3: whatever the rows before it are, and it never fails."""
    blueprint = blueprint_of(question(asked), SCHEMA)
    taken = draw_of(blueprint.mechanisms[0]) or blueprint.mechanisms[0].draws.moments  # type: ignore[attr-defined]
    place = blueprint.reads[0]
    known = set(blueprint.requests[place].measures)
    assert {one for reading in taken.readings for one, _weight in reading.weights} <= known
    tried = 0
    each = [_sums(blueprint, place, row) for row in ROWS]
    for own, more in product(each, each):
        for times in _ends([*own, *_uncut(taken, blueprint, place, own)]):
            before = [times * number for number in own]
            after = [one + other for one, other in zip(before, more, strict=True)]
            found = [
                _readings(taken, _answered(blueprint, place, sums)) for sums in (before, after)
            ]
            assert max(map(abs, (*found[0], *found[1]))) <= LARGEST_SUM
            moves = [abs(one - other) for one, other in zip(*found, strict=True)]
            assert sum(moves) <= taken.reach.l1
            assert sum(move**2 for move in moves) <= taken.reach.l2_squared
            tried += 1
        assert taken.run(_answered(blueprint, place, after))
    assert tried > len(ROWS)


def _running(bins: list[int]) -> Cumulative:
    """Counts that run along one column or two, drawn by square roots of a few bins."""
    exposed = Exposure(
        rows=1,
        neighbouring=Neighbouring.ADD_REMOVE,
        grouped=True,
        droppable=False,
        cells=int(np.prod(bins)),
    )
    two = len(bins) > 1
    kind = StatisticKind.JOINT_CDF if two else StatisticKind.CDF
    price = Loss(Mode.ZCDP, 10**7)
    found = cumulative(Statistic(kind), bins, exposed, price, max_rows=10**8)
    assert found.strategy.name == ("square root by square root" if two else "square root")
    return found


@pytest.mark.parametrize("bins", [[9], [3, 3]])
def test_nor_does_it_move_counts_that_run_any_further(bins: list[int]) -> None:
    """D2: whose sums are in small parts of a row, and about to pass 2^53, or a machine word."""
    running = _running(bins)
    weights = sorted(set(map(int, running.strategy.sums.ravel())) - {0})
    reach = running.strategy.reach
    for weight, ends in product(weights, (LARGEST_SUM, 2**62, 2**63)):
        for rows in range(max(1, ends // weight - 1), min(ends // weight + 2, LARGEST_SUM)):
            before = np.zeros((1, running.strategy.bins), dtype=np.int64)
            before[0, 0] = before[0, -1] = rows
            after = before + np.eye(1, running.strategy.bins, dtype=np.int64)
            found = [running.exact(table).ravel().tolist() for table in (before, after)]
            assert max(map(max, found)) <= LARGEST_SUM
            moves = [abs(one - other) for one, other in zip(*found, strict=True)]
            assert sum(moves) <= reach.l1
            assert sum(move**2 for move in moves) <= reach.l2_squared
        assert running.run([{COUNTED: count} for count in after.ravel().tolist()])


def test_nor_tables_that_are_chosen_and_scores() -> None:
    """D2: what is added up of many cells ends there, too."""
    choosing = Adaptive((2,), Sensitivity(1, 1), Loss(Mode.ZCDP, 10**7), 1)
    assert choosing.run([[LARGEST_SUM + 1, 0]], lambda _: [[0, 0]])
    far = scores(np.array([LARGEST_SUM, 0, LARGEST_SUM]), 1, 100)
    assert far.min() == -LARGEST_SUM


@pytest.mark.parametrize("largest", [2**35, 2**53])
def test_of_many_cells_at_once_it_is_the_same(largest: int) -> None:
    """D2: machine words hold what is combined, or are not used."""
    blueprint = blueprint_of(question({"statistic": "mean", "column": "weight"}), SCHEMA)
    taken, place = draw_of(blueprint.mechanisms[0]), blueprint.reads[0]
    assert taken is not None
    measures = blueprint.requests[place].measures
    cells = [
        [times * number for number in _sums(blueprint, place, row)]
        for row in ROWS
        for times in (1, 2**33, largest)
    ]
    cut = np.minimum(np.array(cells, dtype=object), LARGEST_SUM).astype(np.int64)
    table = Counted(measures, cut)
    by_word = np.column_stack([reading.exact_of(table) for reading in taken.readings])
    assert by_word.ravel().tolist() == _readings(taken, table)
    assert taken.run_whole(table).shape == by_word.shape
