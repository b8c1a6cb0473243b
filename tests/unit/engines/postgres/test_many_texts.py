"""E6: however many different texts people have, as many rows come back as there may be codes.

What could leak: that a worker has not the memory for what a server returns, and a question fails,
where others' rows say something else than what is declared.
"""

import pytest

from dpgov.privacy.plan.request import Measure
from tests.unit.engines.cases import many_texts
from tests.unit.engines.postgres.owner import Owner


@many_texts.all_measures
@many_texts.both_ways
def test_a_thousand_texts_that_are_no_category_come_back_as_one_row(
    owner: Owner, monkeypatch: pytest.MonkeyPatch, measures: tuple[Measure, ...], many_cells: int
) -> None:
    """E6: with the integers of before."""
    owner.has("wards", {"ward": "text", "v": "integer"}, many_texts.ROWS)
    returned = many_texts.Returned(monkeypatch, "dpgov.engines.postgres.engine", many_cells)
    engine = owner.engine("wards", many_texts.COLUMNS)
    many_texts.is_one_row_for_a_code(engine, returned, measures)
