"""A column of categories in which almost every row has a text of its own, which is none of them."""

import pytest

from dpgov.engines import live
from dpgov.engines.base import Engine
from dpgov.engines.scan import Scan
from dpgov.privacy.plan.bins import CodeGrouping
from dpgov.privacy.plan.request import ExactAnswer, ExactRequest, Measure, MeasureKind
from tests.unit.engines.tables import category, number

COLUMNS = (category("ward", "surgery", "theatre"), number("v", "0", "9"))
ROWS = [
    ("surgery", 3),
    ("surgery ", 4),
    *((f"ward {place}", place % 10) for place in range(1_000)),
    (None, 1),
]
BY_WARD = (CodeGrouping(0, ((0, 0), (1, 1))),)
COUNTED = (Measure(MeasureKind.ROWS), Measure(MeasureKind.CODE_SUM, 1))
SQUARED = (*COUNTED, Measure(MeasureKind.SQUARE_SUM, 1))
OTHERS = sum(place % 10 for place in range(1_000))
ANSWERS = {
    COUNTED: [[2, 7], [0, 0], [1_001, OTHERS + 1]],
    SQUARED: [
        [2, 7, 25],
        [0, 0, 0],
        [1_001, OTHERS + 1, 1 + sum((place % 10) ** 2 for place in range(1_000))],
    ],
}
# Those that there may be: two names, every other text, and none.
MOST_CODES = 4


class Returned:
    """How many rows each statement of an engine returned, from so many cells on as an array."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, engine: str, many_cells: int) -> None:
        self.rows: list[int] = []
        monkeypatch.setattr("dpgov.privacy.plan.request.MANY_CELLS", many_cells)
        monkeypatch.setattr(f"{engine}.answer_of", self._answer)

    def _answer(self, scan: Scan, rows: list[tuple[int | None, ...]]) -> ExactAnswer:
        self.rows.append(len(rows))
        return live.answer_of(scan, rows)


def is_one_row_for_a_code(
    engine: Engine, returned: Returned, measures: tuple[Measure, ...]
) -> None:
    """The integers, and no more rows than there may be codes."""
    answer = engine.answer(ExactRequest((), BY_WARD, measures))
    assert [list(map(int, cell)) for cell in answer] == ANSWERS[measures]
    assert returned.rows[0] <= MOST_CODES


both_ways = pytest.mark.parametrize("many_cells", [1, 1_000], ids=["as an array", "by cells"])
all_measures = pytest.mark.parametrize("measures", [COUNTED, SQUARED], ids=["counted", "squared"])
