"""Nobody waits in tests of what comes of it; when it comes, `test_moments` shows."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from dpgov.datasets.models import Dataset
from dpgov.datasets.services.derived import making
from dpgov.engines import child
from dpgov.engines.deriving import Parent, derive
from dpgov.engines.ingest.drafts import whole
from dpgov.privacy.plan.cubes import cubes_of
from dpgov.privacy.plan.schema import ColumnSpec
from dpgov.tenants.models import Membership
from tests.integration.datasets.derived.family import derived, parents
from tests.made_once import made_once

Derive = Callable[..., None]


def derive_here(
    first: Parent,
    second: Parent,
    target: Path,
    *,
    columns: Sequence[ColumnSpec],
    rows_of_unit: int,
    max_rows: int,
    **_: Any,
) -> None:
    """As the child process does it, in this one."""
    cubes, memory = cubes_of(columns, max_rows=max_rows, rows_of_unit=rows_of_unit), 500_000_000
    with whole(target) as draft:
        derive(first, second, draft, rows_of_unit=rows_of_unit, memory_bytes=memory, cubes=cubes)


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making, "await_moment", lambda *_: None)
    monkeypatch.setattr(child, "derive", derive_here)


@made_once
def visits_and_costs(owner: Membership) -> tuple[Dataset, Dataset]:
    return parents(owner)


@made_once
def both(owner: Membership, visits_and_costs: tuple[Dataset, Dataset]) -> Dataset:
    """The derived one."""
    return derived(owner)
