"""What an owner does in the browser, as short calls."""

from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from dpgov.datasets.models import Upload
from tests.eager import arrived

CSV = b"age,sex,city\n30,f,Basel\n45,m,Bern\n99,x,\n,f,Basel\n"
NAMES = ("age", "sex", "city")


def send_file(client: Client, content: bytes = CSV, name: str = "people.csv") -> Any:
    """Post a file to the upload page."""
    return client.post(reverse("datasets:upload"), {"file": SimpleUploadedFile(name, content)})


def uploaded(client: Client, content: bytes = CSV) -> Upload:
    """Post a file that is taken, and find it again."""
    response = send_file(client, content)
    assert response.status_code == 302, response.content.decode()
    return Upload.objects.get(pk=response.url.rstrip("/").rsplit("/", 1)[1])


def declared(**changes: str) -> dict[str, str]:
    """What is typed into the registration page; `column__field` for a column's own field."""
    data = {
        "name": "People",
        "description": "Invented people.",
        "unit": "row",
        "neighbouring": "add_remove",
        "group_size": "1",
        "max_rows": "1000",
        "public_rows": "",
        "epsilon_limit": "3",
        "epsilon_per_query": "1",
        **_column("age", kind="number", lower="0", upper="120", step="1", missing="drop"),
        **_column("sex", kind="category", categories="f\r\nm\r\n", missing="drop"),
        **_column("city", kind=""),
    }
    return data | {_posted(name): value for name, value in changes.items()}


def _column(name: str, **fields: str) -> dict[str, str]:
    return {_posted(f"{name}__{field}"): value for field, value in fields.items()}


def _posted(name: str) -> str:
    column, _, field = name.partition("__")
    return f"column-{NAMES.index(column)}-{field}" if field else name


def register(client: Client, upload: Upload, **changes: str) -> Any:
    """Post the registration page, and look where it leads once the file was read."""
    address = reverse("datasets:register", args=[upload.pk])
    return arrived(client, client.post(address, declared(**changes)))
