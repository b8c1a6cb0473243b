"""M93: what an owner's server made of a table is known as that table, however many steps away.

What could overspend: a second budget over the same rows, by a view of a materialised view of them.
"""

import pytest

from dpgov.engines.base import DataNotOpened
from dpgov.engines.live import Relation
from dpgov.engines.postgres.engine import check_source
from dpgov.privacy.plan.request import ExactRequest, Measure, MeasureKind
from tests.unit.engines.postgres.owner import READER, Owner
from tests.unit.engines.tables import number

COUNT = ExactRequest((), (), (Measure(MeasureKind.ROWS),))
V = number("v", "0", "9")
MAKE = {
    "plain": "CREATE VIEW plain AS SELECT v FROM base",
    "kept": "CREATE MATERIALIZED VIEW kept_rows AS SELECT v FROM base",
    "plain of kept": "CREATE VIEW plain_of_kept AS SELECT v FROM kept_rows",
    "computing": "CREATE VIEW computing AS SELECT 10 / v AS v FROM base",
    "kept of computing": "CREATE MATERIALIZED VIEW kept_of_computing AS SELECT v FROM computing",
    "kept of kept": "CREATE MATERIALIZED VIEW kept_of_kept AS SELECT v FROM kept_of_computing",
    "plain of all": "CREATE VIEW plain_of_all AS SELECT v FROM kept_of_kept",
    "kept of a part": "CREATE MATERIALIZED VIEW kept_of_part AS SELECT v FROM whole",
}
READABLE = {
    "plain": "plain",
    "kept": "kept_rows",
    "plain of kept": "plain_of_kept",
    "kept of computing": "kept_of_computing",
    "kept of kept": "kept_of_kept",
    "plain of all": "plain_of_all",
    "kept of a part": "kept_of_part",
}


@pytest.fixture(autouse=True)
def made(owner: Owner) -> None:
    owner.does("DROP TABLE IF EXISTS whole CASCADE")
    owner.has("base", {"v": "integer"}, [(2,), (5,)])
    owner.does("CREATE TABLE whole (v integer); ALTER TABLE base INHERIT whole")
    for statement in MAKE.values():
        owner.does(statement)
    for name in (*READABLE.values(), "whole"):
        owner.does(f"GRANT SELECT ON {name} TO {READER}")


def _relations(owner: Owner, table: str) -> tuple[Relation, ...]:
    source = owner.source(table, [V])
    known = check_source(owner.server, source, allowed=[owner.server.address])
    return known.provenance.relations


@pytest.mark.parametrize("name", READABLE.values(), ids=READABLE)
def test_it_is_known_by_the_table_that_its_rows_come_from(owner: Owner, name: str) -> None:
    (base,) = _relations(owner, "base")
    own, *others = _relations(owner, name)
    assert base in others
    assert base.name == "public.base"
    assert own.name == f"public.{name}"


@pytest.mark.parametrize("name", READABLE.values(), ids=READABLE)
def test_it_can_be_asked_as_its_owner_is_advised(owner: Owner, name: str) -> None:
    assert owner.engine(name, [V]).answer(COUNT) == ((2,),)


def test_what_reads_another_table_than_when_it_was_reached_is_not_asked(owner: Owner) -> None:
    """M98: Whoever compared what it reads would have compared something else."""
    owner.has("others", {"v": "integer"}, [(1,)])
    engine = owner.engine("plain", [V])
    assert engine.reach().relations == _relations(owner, "plain")
    assert engine.answer(COUNT) == ((2,),)
    owner.does("CREATE OR REPLACE VIEW plain AS SELECT v FROM others")
    with pytest.raises(DataNotOpened):
        engine.answer(COUNT)
    anew = owner.engine("plain", [V])
    assert anew.reach().relations == _relations(owner, "plain")
    assert anew.answer(COUNT) == ((1,),)
