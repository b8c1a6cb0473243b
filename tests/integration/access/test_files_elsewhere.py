"""Only the upload page takes files."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from dpgov.tenants.models import Membership

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("name", ["account_login", "tenants:tokens", "tenants:switch"])
def test_a_file_sent_to_another_page_is_not_stored(
    analyst: Membership,
    client_for: Callable[[Membership], Client],
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    settings: Any,
) -> None:
    """I1: nobody fills the disk through a form that asks for no file."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    settings.FILE_UPLOAD_TEMP_DIR = str(tmp_path)
    spooled: list[str] = []
    opened = tempfile.NamedTemporaryFile

    def watch(*args: Any, **kwargs: Any) -> Any:
        spooled.append("a file")
        return opened(*args, **kwargs)

    monkeypatch.setattr(tempfile, "NamedTemporaryFile", watch)
    huge = SimpleUploadedFile("huge.csv", b"x" * 3_000_000)
    response = client_for(analyst).post(reverse(name), {"name": "ok", "file": huge})
    assert response.status_code < 500
    assert not response.wsgi_request.FILES
    assert spooled == []
    assert list(tmp_path.iterdir()) == []
