"""I4: files are refused by their forms alone, at once and again before each answer."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dpgov.engines.base import DataNotOpened
from dpgov.engines.live import SourceRefused
from dpgov.engines.spark.checking import Problem
from dpgov.engines.spark.engine import SparkEngine, check_source
from dpgov.engines.spark.rows import Source
from dpgov.privacy.plan.computed.declared import domain_of, formula_of
from dpgov.privacy.plan.domains import date_domain, numeric_domain
from dpgov.privacy.plan.formula import FormulaKind
from dpgov.privacy.plan.request import ExactRequest, Measure, MeasureKind, UnitBounds
from dpgov.privacy.plan.schema import ColumnSpec, MissingRule, PrivacyUnit
from tests.unit.engines.spark.owner import KEY, Owner
from tests.unit.engines.tables import category, number

pytestmark = pytest.mark.spark

COUNT = ExactRequest((), (), (Measure(MeasureKind.ROWS),))
V, A = number("v", "0", "9"), category("v", "a")
HOURS = ColumnSpec("v", date_domain("2024-01-01", "2024-12-31", "hour"))
NEVER = ColumnSpec("v", V.domain, MissingRule.REQUIRE)
FORM = "org.apache.spark.sql.parquet.row.metadata"
# What a file of Spark may say of a column: a class, which a client would import and call.
CLASS = (
    '{"type":"struct","fields":[{"name":"v","nullable":true,"metadata":{},"type":{"type":"udt",'
    '"pyClass":"antigravity.x","serializedClass":"","sqlType":"long"}}]}'
)


def _refused(owner: Owner, source: Source) -> tuple[object, str]:
    """What is wrong; before an answer it is the same, and nothing is charged."""
    with pytest.raises(SourceRefused) as refused:
        check_source(owner.server, source, allowed=owner.allowed)
    engine = SparkEngine(owner.server, source, allowed=owner.allowed, key=KEY, seconds=60)
    bounds = UnitBounds(1) if source.unit.private_id else None
    with pytest.raises(DataNotOpened):
        engine.answer(replace(COUNT, bounds=bounds))
    return refused.value.problem, refused.value.column


@pytest.mark.parametrize(
    ("cells", "spec"),
    [
        (pa.array(["1"]), V),
        (pa.array([1.0], pa.float32()), V),
        (pa.array([b"a"]), A),
        (pa.array([[1]]), V),
        (pa.array([Decimal("1.5")]), A),
        (pa.array([1.0]), A),
        (pa.array([0], pa.date32()), HOURS),
        (pa.array([1]), HOURS),
    ],
)
def test_types_that_may_fail_or_are_others_elsewhere_are_refused(
    owner: Owner, cells: pa.Array, spec: ColumnSpec
) -> None:
    """D4, I4: texts as numbers, narrow floats, bytes, lists, days where hours are counted."""
    owner.has("s.parquet", {"v": cells})
    assert _refused(owner, owner.source("s.parquet", [spec])) == (Problem.TYPE, "v")


def test_moments_of_which_nobody_saw_the_footers_are_refused(owner: Owner) -> None:
    """D4: milliseconds that microseconds cannot hold fail while they are read."""
    owner.has("s.parquet", {"v": pa.array([2**62], pa.int64()).cast(pa.timestamp("ms"))})
    unseen = replace(owner.source("s.parquet", [HOURS]), in_microseconds=False)
    assert _refused(owner, unseen) == (Problem.MOMENTS, "v")


def test_what_live_files_cannot_promise_is_refused(owner: Owner) -> None:
    """D4: that no cell is missing; an unknown column, a unit that is a float, a huge ratio."""
    owner.has("s.parquet", {"v": pa.array([1]), "w": pa.array([1.0])})

    def problem(columns: Sequence[ColumnSpec], unit: PrivacyUnit | None = None) -> object:
        return _refused(owner, owner.source("s.parquet", columns, unit))

    assert problem([NEVER]) == (Problem.NEVER_MISSING, "v")
    assert problem([number("V", "0", "1")]) == (Problem.MISSING_COLUMN, "V")
    assert problem([V], PrivacyUnit("w", 1)) == (Problem.UNIT_TYPE, "w")
    huge = [ColumnSpec(name, numeric_domain("0", "999999999999", "0.001")) for name in "vw"]
    formula = formula_of(FormulaKind.RATIO, huge, None, [])
    fine = domain_of(formula, huge, bounds=numeric_domain("0", "1", "0.000001"))
    assert problem([*huge, ColumnSpec("x", fine, formula=formula)]) == (Problem.FORMULA, "x")


def test_a_zone_that_the_cluster_has_not_is_refused(owner: Owner) -> None:
    """D4: and one that it knows is taken."""
    owner.has("s.parquet", {"v": pa.array([0], pa.timestamp("us", "UTC"))})
    for zone in ("Antarctica/Troll", "Mars/Olympus"):
        spec = ColumnSpec("v", date_domain("2024", "2025", "day", "", zone))
        source = owner.source("s.parquet", [spec])
        if zone == "Antarctica/Troll":
            check_source(owner.server, source, allowed=owner.allowed)
            continue
        with pytest.raises(SourceRefused) as refused:
            check_source(owner.server, source, allowed=owner.allowed)
        assert refused.value.problem is Problem.TIME_ZONE


def test_files_whose_forms_do_not_agree_are_no_table(owner: Owner) -> None:
    """D4: by footers, before a row of either is read; a column that one lacks is missing there."""
    owner.has("both/a.parquet", {"v": pa.array([1])})
    owner.has("both/b.parquet", {"w": pa.array([1])})
    assert owner.engine("both", [V]).answer(COUNT) == ((2,),)
    owner.has("both/b.parquet", {"v": pa.array([1.5])})
    assert _refused(owner, owner.source("both", [V])) == (Problem.NOT_FOUND, "")


@pytest.mark.parametrize("beside", ["_delta_log/0.json", ".hoodie/x", "metadata/1.metadata.json"])
def test_files_of_a_table_format_are_refused(owner: Owner, beside: str) -> None:
    """M96: by what lies beside them or above; they hold rows that are no longer in the table."""
    root = f"lake{beside[0]}{len(beside)}"
    owner.has(f"{root}/a.parquet", {"v": pa.array([1])})
    owner.has(f"{root}/data/a.parquet", {"v": pa.array([1])})
    check_source(owner.server, owner.source(f"{root}/data", [V]), allowed=owner.allowed)
    engine = owner.engine(f"{root}/data", [V])
    engine.reach()
    mark = owner.folder / root / beside
    mark.parent.mkdir()
    mark.write_text("{}")
    for name in (f"{root}/a.parquet", f"{root}/data"):
        with pytest.raises(SourceRefused) as refused:
            check_source(owner.server, owner.source(name, [V]), allowed=owner.allowed)
        assert refused.value.problem is Problem.TABLE_FORMAT
    with pytest.raises(DataNotOpened):
        engine.reach()


def test_a_class_that_a_file_names_is_never_looked_up_here(
    owner: Owner, monkeypatch: pytest.MonkeyPatch
) -> None:
    """I4: the client would import it, in the process that answers."""
    called: list[str] = []
    monkeypatch.setitem(sys.modules, "antigravity", _Trap(called))
    table = pa.table({"v": pa.array([1])}).replace_schema_metadata({FORM: CLASS})
    pq.write_table(table, owner.folder / "s.parquet")
    assert _refused(owner, owner.source("s.parquet", [V])) == (Problem.TYPE, "v")
    assert called == []


class _Trap:
    def __init__(self, called: list[str]) -> None:
        self._called = called

    def __getattr__(self, name: str) -> object:
        self._called.append(name)
        raise AttributeError(name)


def test_a_form_that_changes_after_registration_is_found_before_anything_is_read(
    owner: Owner,
) -> None:
    """I4: another type, and no file at all."""
    path = owner.has("s.parquet", {"v": pa.array([1])})
    engine = owner.engine("s.parquet", [V])
    assert engine.answer(COUNT) == ((1,),)
    owner.has("s.parquet", {"v": pa.array(["1"])})
    with pytest.raises(DataNotOpened):
        engine.answer(COUNT)
    path.unlink()
    with pytest.raises(DataNotOpened):
        engine.answer(COUNT)
