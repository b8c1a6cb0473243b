"""B2: a process that dies between the file and the database leaves nothing behind for long."""

import os
import time
from pathlib import Path
from unittest.mock import patch
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from dpgov.datasets import storage
from dpgov.datasets.models import Arrival, Dataset, Upload
from dpgov.datasets.selectors import current_version
from dpgov.datasets.services import remove_orphans
from tests.eager import read_waiting, refused
from tests.integration.datasets.registering import register, uploaded


class Died(BaseException):
    """Stands for a process that is gone: nothing after it runs."""


def age(*paths: Path) -> None:
    """Make files look two hours old."""
    then = time.time() - 7200
    for path in paths:
        os.utime(path, (then, then))


def files() -> set[Path]:
    folder = storage.data_path(uuid4()).parent
    return {*folder.iterdir(), *folder.with_name("uploads").iterdir()}


@pytest.fixture
def died(browser: Client, upload: Upload) -> set[Path]:
    """What is left of a registration whose process was killed before its transaction, and what one
    leaves that was killed earlier.
    """
    before = files()
    with (
        patch("dpgov.datasets.services.registration.queue_up", side_effect=Died),
        patch.object(Path, "unlink", lambda path, **_: None),
        pytest.raises(Died),
    ):
        register(browser, upload)
    (data,) = (path for path in files() - before if path.suffix == ".duckdb")
    (data.with_name(f"{data.name}.draft.aside") / "more").mkdir(parents=True)
    return files() - before


def test_a_registration_that_broke_off_is_cleared_up_after_an_hour(
    browser: Client, upload: Upload, died: set[Path]
) -> None:
    """B2: not before, because it may still be going on; the upload can be used again."""
    assert {path.suffix for path in died} == {".duckdb", ".arriving", ".aside"}
    assert remove_orphans() == 0
    age(*died)
    assert remove_orphans() == 1
    assert not died & files()
    Arrival.objects.update(lease_until=timezone.now())
    assert read_waiting() == 1
    assert Dataset.objects.count() == 1


def test_what_was_recorded_is_never_deleted(browser: Client, upload: Upload) -> None:
    """B2: not even when the process died before it could take the mark away."""
    register(browser, upload)
    version = current_version(Dataset.objects.get())
    data, mark = storage.data_path(version.pk), storage.arriving_path(version.pk)
    assert not mark.exists()
    mark.touch()
    age(data, mark)
    assert remove_orphans() == 0
    assert data.exists()
    assert not mark.exists()


def test_a_data_file_without_a_mark_is_left_alone_whatever_the_database_says(db: None) -> None:
    """B2: so that a wrong or an old database costs nobody their data."""
    path = storage.data_path(uuid4())
    path.write_bytes(b"recorded elsewhere")
    age(path)
    assert remove_orphans() == 0
    assert path.exists()
    path.unlink()


def test_a_raw_file_goes_once_it_is_registered_or_unknown(browser: Client, upload: Upload) -> None:
    """B2: the one that waits stays, however old it is."""
    waiting, unknown = storage.upload_path(upload.pk), storage.upload_path(uuid4())
    unknown.write_bytes(b"a,b\n")
    registered = uploaded(browser)
    raw = storage.upload_path(registered.pk)
    kept = raw.read_bytes()
    register(browser, registered)
    raw.write_bytes(kept)
    age(waiting, unknown, raw)
    assert remove_orphans() == 2
    assert waiting.exists()
    assert not unknown.exists()
    assert not raw.exists()


def test_the_sweeper_does_it(db: None) -> None:
    """B2: in its ordinary rounds."""
    unknown = storage.upload_path(uuid4())
    unknown.write_bytes(b"a,b\n")
    age(unknown)
    call_command("sweep")
    assert not unknown.exists()


def test_a_refused_file_leaves_no_mark(browser: Client, upload: Upload) -> None:
    before = files()
    assert refused(register(browser, upload, max_rows="3"))
    assert files() == before
