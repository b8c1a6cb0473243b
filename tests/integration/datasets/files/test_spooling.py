"""L13, R5: an upload goes straight into the state folder, and half of one leaves nothing."""

import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from dpgov.datasets import storage
from dpgov.datasets.models import Upload
from tests.integration.datasets.registering import CSV, send_file

UPLOADS = Path(settings.DPGOV_HOME) / "uploads"
LARGE = CSV + b"30,f,Basel\n" * 400_000
BOUNDARY = "b0undary"
HEAD = (
    f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="people.csv"\r\n'
    "Content-Type: text/csv\r\n\r\n"
).encode()


class GoesAway:
    """A browser that sends the beginning of a file and is gone."""

    def __init__(self) -> None:
        self._left = [HEAD, CSV * 2000]

    def read(self, size: int = -1) -> bytes:
        if not self._left:
            raise ConnectionResetError
        return self._left.pop(0)

    readline = read


def test_no_temporary_folder_is_needed(browser: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """L13, R5: a container's /tmp is smaller than what may be uploaded."""
    monkeypatch.setattr(tempfile, "tempdir", "/nowhere/at/all")
    response = send_file(browser, LARGE)
    assert response.status_code == 302
    upload = Upload.objects.get()
    assert (UPLOADS / str(upload.pk)).read_bytes() == LARGE
    assert upload.byte_size == len(LARGE)


def test_a_browser_that_goes_away_leaves_nothing(browser: Client) -> None:
    """L13: neither a file nor a row."""
    before = set(UPLOADS.iterdir())
    sent: dict[str, Any] = {
        "wsgi.input": GoesAway(),
        "CONTENT_LENGTH": "9000000",
        "CONTENT_TYPE": f"multipart/form-data; boundary={BOUNDARY}",
    }
    with pytest.raises(OSError):
        browser.generic("POST", reverse("datasets:upload"), **sent)
    assert set(UPLOADS.iterdir()) == before
    assert not Upload.objects.exists()


def test_a_full_disk_is_said_on_the_page_and_in_the_log(
    browser: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """L13, R12: 507, and nothing is left behind; there is nothing wrong with the file."""
    before = set(UPLOADS.iterdir())
    on_full = storage._new_file

    def full(path: Path) -> Any:
        on_full(path).close()
        return os.fdopen(os.open("/dev/full", os.O_WRONLY), "wb")

    monkeypatch.setattr(storage, "_new_file", full)
    response = send_file(browser, LARGE)
    assert response.status_code == 507
    assert "no room" in response.content.decode()
    assert "Export it again" not in response.content.decode()
    assert set(UPLOADS.iterdir()) == before
    assert not Upload.objects.exists()
    assert "no room for an upload" in caplog.text


def test_the_rest_of_the_form_is_read_past(browser: Client) -> None:
    """I1: a second file is not stored."""
    from django.core.files.uploadedfile import SimpleUploadedFile

    before = set(UPLOADS.iterdir())
    response = browser.post(
        reverse("datasets:upload"),
        {"file": SimpleUploadedFile("a.csv", CSV), "other": SimpleUploadedFile("b.csv", LARGE)},
    )
    assert response.status_code == 302
    assert len(set(UPLOADS.iterdir()) - before) == 1
