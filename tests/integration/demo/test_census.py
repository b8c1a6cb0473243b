"""The demonstration data goes through the same doors as any other file."""

from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import current_version, schema_of
from dpgov.datasets.services import engine_for
from dpgov.demo.census.adult import columns, ensure_adult
from dpgov.privacy.plan.request import ExactRequest, Measure, MeasureKind
from dpgov.tenants.models import Membership


def test_it_is_registered_once_with_its_declarations(owner: Membership) -> None:
    """14 columns and 48,842 rows, none of which needs the rest bin of its declared list."""
    dataset = ensure_adult(owner)
    assert ensure_adult(owner) == dataset
    assert Dataset.objects.count() == 1
    version = current_version(dataset)
    assert schema_of(version).columns == columns()
    request = ExactRequest((), (), (Measure(MeasureKind.ROWS), Measure(MeasureKind.PRESENT, 0)))
    assert engine_for(version).answer(request) == ((48_842, 48_842),)
