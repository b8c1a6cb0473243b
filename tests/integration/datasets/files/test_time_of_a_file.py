"""I1: how long a file may be read follows its size, and nothing else that is in it."""

from pathlib import Path
from typing import Any

import pytest

from dpgov.datasets.services.files.uploads import limits_of
from dpgov.engines import child
from dpgov.engines.child import Limits
from dpgov.tenants.models import Membership
from tests.integration.datasets.filing import as_file, columns, people, registered


def test_a_megabyte_gives_a_second(tmp_path: Path, settings: Any) -> None:
    """I1: the largest upload, on a machine that is fifty times as slow as one of today."""
    settings.DPGOV_INGEST_SECONDS, settings.DPGOV_INGEST_MEMORY_BYTES = 300, 10**9
    file = tmp_path / "file"
    for megabytes in (0, 1, 2_048):
        with file.open("wb") as written:
            written.truncate(megabytes * 1_000_000)
        assert limits_of(file) == Limits(10**9, 300 + megabytes)


@pytest.mark.django_db
def test_a_file_that_is_registered_has_the_time_of_its_size(
    owner: Membership, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """I1: of the file that is read, wherever it was kept meanwhile."""
    settings.DPGOV_INGEST_SECONDS = 300
    given: list[Limits] = []
    read = child.ingest

    def noted(source: Path, target: Path, **more: Any) -> Any:
        given.append(more["limits"])
        return read(source, target, **more)

    monkeypatch.setattr(child, "ingest", noted)
    padding = b"\n" * 3_000_000
    registered(owner, as_file(people(("North",), ("South",))) + padding, columns())
    assert [limits.seconds for limits in given] == [303]
