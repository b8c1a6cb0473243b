"""Public tables beside the small file, as an owner brings them in the browser."""

from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from dpgov.datasets import storage
from dpgov.datasets.models import Dataset, Upload
from tests.integration.datasets.registering import register, uploaded

TOWNS = b"town,area,people\nBasel,north,178\nBern,middle,134\n"
OTHER = b"town,area,people\nBasel,south,178\nBern,middle,134\n"
AREA = {
    "column-3-kind": "category",
    "column-3-categories": "north\r\nmiddle\r\nsouth",
    "column-3-missing": "drop",
}
CHOICE = {"key": "city", "public_key": "town", "columns": ["area"], "decimal": "."}


def towns(content: bytes = TOWNS) -> dict[str, Any]:
    """A public table as it is posted."""
    return {"file": SimpleUploadedFile("towns.csv", content)}


def send(browser: Client, upload: Upload, content: bytes = TOWNS) -> Any:
    """Post a public table for the file."""
    address = reverse("datasets:join", args=[upload.pk])
    return browser.post(address, towns(content))


def choose(browser: Client, upload: Upload, **changes: Any) -> Any:
    """Choose the keys and the columns."""
    return browser.post(reverse("datasets:join_columns", args=[upload.pk]), CHOICE | changes)


def is_there(upload: Upload) -> bool:
    """Whether its raw file still lies on the disk."""
    return storage.upload_path(upload.pk).exists()


def joined_upload(browser: Client, content: bytes = TOWNS) -> Upload:
    """The small file with a public table beside it."""
    upload = uploaded(browser)
    assert send(browser, upload, content).status_code == 302
    assert choose(browser, upload).status_code == 302
    upload.refresh_from_db()
    return upload


def registered(browser: Client, content: bytes = TOWNS, **changes: str) -> Dataset:
    """The small file with the area of each city, registered."""
    upload = joined_upload(browser, content)
    response = register(browser, upload, **AREA, **changes)
    assert response.status_code == 302, response.content.decode()
    return Dataset.objects.latest("created_at")
