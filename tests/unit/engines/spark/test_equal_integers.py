"""D1, D2, D4, D6, D9: one plan has the same integers of one file through ingest and through Spark.

What could leak or overspend: a cell that is another number there than declared, a row of a person
that is counted beyond the limits, a cell that makes the statement fail, so that failing tells it.
"""

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpgov.engines.files import DuckDBEngine
from dpgov.engines.ingest.request import UnitNames
from dpgov.privacy.plan.request import ExactAnswer
from dpgov.privacy.plan.schema import PrivacyUnit
from tests.examples import examples
from tests.unit.engines.cases.drawn import (
    DECIMAL,
    IDS,
    INTEGER,
    MOST_ROWS,
    TEXT,
    Kind,
    array_of,
    columns,
    requests,
)
from tests.unit.engines.spark.owner import Owner
from tests.unit.engines.tables import ingest_here

pytestmark = pytest.mark.spark


def _numbers(answer: ExactAnswer) -> list[list[int]]:
    return [list(map(int, cell)) for cell in answer]


@examples(30)
@given(data=st.data())
def test_any_table_and_any_plan_has_the_same_integers(owner: Owner, data: st.DataObject) -> None:
    """D1, D2, D4, D6, D9: any declarations, filters, groups, measures, columns of two and units."""
    by_unit = data.draw(st.booleans())
    declared = [data.draw(columns(f"c{at}", DECIMAL)) for at in range(data.draw(st.integers(1, 3)))]
    specs = [spec for spec, _ in declared]
    kinds: dict[str, Kind] = {spec.name: kind for spec, kind in declared}
    kinds["id"] = data.draw(st.sampled_from([INTEGER, TEXT]))
    drawn = {name: kind.cells for name, kind in kinds.items()}
    drawn["id"] = IDS[kinds["id"] is TEXT]
    rows = data.draw(st.lists(st.tuples(*drawn.values()), max_size=MOST_ROWS))
    cells = dict(zip(kinds, zip(*rows, strict=True) if rows else [()] * len(kinds), strict=True))
    unit = PrivacyUnit("id", MOST_ROWS) if by_unit else PrivacyUnit()
    arrays = {name: array_of(kind, cells[name]) for name, kind in kinds.items()}
    file = owner.has("t.parquet", arrays)
    there = owner.engine("t.parquet", specs, unit)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(shutil.copy(file, folder))
        names = UnitNames("id", max_rows=MOST_ROWS) if by_unit else None
        ingest_here(copy, specs, unit=names)
        here = DuckDBEngine(copy.with_suffix(".duckdb"), seconds=30, cubes=False)
        for request in data.draw(
            st.lists(requests(len(specs), by_unit=by_unit), min_size=1, max_size=4)
        ):
            told = _numbers(here.answer(request))
            assert _numbers(there.answer(request)) == told
            with pytest.MonkeyPatch.context() as patch:
                # As of many cells: an array, where counts and sums are asked for.
                patch.setattr("dpgov.privacy.plan.request.MANY_CELLS", 1)
                assert _numbers(there.answer(request)) == told
