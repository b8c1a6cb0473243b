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
    settings.DPGOV_UPLOAD_MAX_BYTES = 7
    file = tmp_path / "file"
    for megabytes in (0, 1, 2_048):
        with file.open("wb") as written:
            written.truncate(megabytes * 1_000_000)
        assert limits_of(file, {}) == Limits(10**9, 300 + megabytes, 7)


def test_an_archive_has_the_time_of_what_is_in_it(tmp_path: Path, settings: Any) -> None:
    """I1, M102: and no more than ten times that of its own size, whatever it says."""
    settings.DPGOV_INGEST_SECONDS = 300
    file = tmp_path / "file"
    file.write_bytes(bytes(2_000_000))
    said = {0: 2, 1_000_000: 2, 15_000_000: 15, 10**12: 20}
    given = {size: limits_of(file, {"unpacked_bytes": size}).seconds - 300 for size in said}
    assert given == said


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
