"""E6: however many different texts people have, as many rows come back as there may be codes.

What could leak: that a worker has not the memory for what a server returns, and a question fails,
where others' rows say something else than what is declared.
"""

import pytest

from dpgov.privacy.plan.request import Measure
from tests.unit.engines.cases.many_texts import (
    ANSWERS,
    COLUMNS,
    COUNTED,
    MOST_CODES,
    ROWS,
    SQUARED,
    Returned,
    asked,
)
from tests.unit.engines.postgres.owner import Owner


@pytest.mark.parametrize("measures", [COUNTED, SQUARED], ids=["counted", "squared"])
@pytest.mark.parametrize("many_cells", [1, 1_000], ids=["as an array", "by cells"])
def test_a_thousand_texts_that_are_no_category_come_back_as_one_row(
    owner: Owner,
    monkeypatch: pytest.MonkeyPatch,
    measures: tuple[Measure, ...],
    many_cells: int,
) -> None:
    """E6: with the integers of before."""
    monkeypatch.setattr("dpgov.privacy.plan.request.MANY_CELLS", many_cells)
    owner.has("wards", {"ward": "text", "v": "integer"}, ROWS)
    returned = Returned(monkeypatch, "dpgov.engines.postgres.engine")
    answer = owner.engine("wards", COLUMNS).answer(asked(measures))
    assert [list(map(int, cell)) for cell in answer] == ANSWERS[measures]
    assert returned.rows[0] <= MOST_CODES
