"""D1, D9: a filter that nothing passes is a filter, and no name of a table."""

from decimal import Decimal

import pytest

from dpgov.privacy.plan.bins import CodeGrouping, EvenRanges
from dpgov.privacy.plan.request import (
    AllOf,
    AnyOf,
    CodeFilter,
    ExactRequest,
    Measure,
    MeasureKind,
    RowFilter,
)
from dpgov.privacy.plan.schema import ColumnSpec, MissingRule, NumericDomain, PrivacyUnit
from tests.unit.engines.cases.drawn import INTEGER, array_of
from tests.unit.engines.spark.owner import Owner

pytestmark = pytest.mark.spark
NOTHING = CodeFilter(0, (), missing_passes=False)


@pytest.mark.parametrize(
    "passing", [NOTHING, AllOf((NOTHING,)), AnyOf((AllOf((NOTHING,)),)), AllOf((AnyOf(()),))]
)
def test_what_nothing_passes_is_counted_as_nothing(owner: Owner, passing: RowFilter) -> None:
    """Spark takes what stands in brackets behind a table and WHERE for names of its columns."""
    domain = NumericDomain(Decimal(0), Decimal(10), Decimal(1))
    spec = ColumnSpec("c0", domain, MissingRule.DROP)
    owner.has("t.parquet", {"c0": array_of(INTEGER, ("1", "2"))})
    groups = (CodeGrouping(0, EvenRanges(10, 5)),)
    request = ExactRequest((passing,), groups, (Measure(MeasureKind.ROWS),))
    answer = owner.engine("t.parquet", [spec], PrivacyUnit()).answer(request)
    assert {int(count) for (count,) in answer} == {0}
