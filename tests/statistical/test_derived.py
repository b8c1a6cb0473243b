"""M62: an answer about joined rows tells no more of a person than was paid for, and nearly that.

The whole way: two CSV files read apart, put together by the unit, counted by the engine, and the
noise of a question at ε 2. A neighbour has a person more, with rows in both files and more pairs
than are kept of one person.
"""

from pathlib import Path

import numpy as np
import pytest

from dpgov.engines.deriving import Parent, derive
from dpgov.engines.files import DuckDBEngine
from dpgov.engines.ingest.request import UnitNames
from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.answer.blueprint import prepare
from dpgov.privacy.mechanisms.table import table_of
from dpgov.privacy.noise.lower_bound import lower_bound_of_epsilon
from dpgov.privacy.noise.noise import Floats
from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.privacy.plan.schema import DatasetSchema, Neighbouring, PrivacyUnit
from tests.unit.engines.tables import ingest_here, number, write_csv

pytestmark = pytest.mark.statistical
CLAIM, KEPT, DRAWN = 2, 3, 60_000
VISITS = [("p1", 3), ("p1", 5), ("p2", 4)]
COSTS = [("p1", 30), ("p2", 40), ("p2", 41)]
NEIGHBOUR = ([("p3", 1), ("p3", 2)], [("p3", 10), ("p3", 20)])
People = list[tuple[str, int]]


def _answers(folder: Path, visits: People, costs: People, epsilon: float) -> Floats:
    """Noisy counts of the joined rows, of which KEPT are a person's."""
    first = write_csv(folder / "v.csv", ["id", "days"], visits)
    second = write_csv(folder / "c.csv", ["id", "paid"], costs)
    days, paid = number("days", "0", "9"), number("paid", "0", "90")
    ingest_here(first, (days,), unit=UnitNames("id"))
    ingest_here(second, (paid,), unit=UnitNames("id"))
    one, two = (Parent(str(path.with_suffix(".duckdb")), 2, (0,)) for path in (first, second))
    joined = folder / "joined.duckdb"
    joined.unlink(missing_ok=True)
    derive(one, two, joined, rows_of_unit=KEPT, memory_bytes=500_000_000)
    schema = DatasetSchema(
        columns=(days, paid),
        unit=PrivacyUnit("id", KEPT),
        neighbouring=Neighbouring.ADD_REMOVE,
        group_size=1,
        max_rows=1_000,
        public_rows=None,
        mode=Mode.PURE,
    )
    asked = {"statistics": [{"statistic": "count"}], "epsilon": epsilon}
    blueprint = prepare(parse_plan(asked, schema, dataset="joined"), schema)
    (mechanism,), (request,) = blueprint.mechanisms, blueprint.requests
    exact = DuckDBEngine(joined, seconds=30).answer(request)
    drawn = mechanism.run(list(table_of(request.measures, exact)) * DRAWN)
    return np.array(drawn.raw, dtype=np.float64).reshape(DRAWN, -1)


def _seen(folder: Path, epsilon: float) -> float:
    before = _answers(folder, VISITS, COSTS, epsilon)
    after = _answers(folder, VISITS + NEIGHBOUR[0], COSTS + NEIGHBOUR[1], epsilon)
    return lower_bound_of_epsilon(after, before, alpha=1e-6)


def test_a_person_more_in_both_files_is_seen_as_far_as_was_paid_for(tmp_path: Path) -> None:
    assert 0.85 * CLAIM < _seen(tmp_path, CLAIM) <= CLAIM


def test_noise_that_is_made_for_fewer_rows_would_be_seen(tmp_path: Path) -> None:
    """Negative control: a quarter less noise, as if fewer rows of each person were kept."""
    assert _seen(tmp_path, 2.7) > CLAIM
