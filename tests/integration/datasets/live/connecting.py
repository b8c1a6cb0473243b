"""What an owner does in the browser to register a live table, as short calls."""

from typing import Any

from django.test import Client
from django.urls import reverse

from dpgov.datasets.models import Dataset, Upload
from tests.eager import arrived
from tests.unit.engines.postgres.owner import READER, Owner

NAMES = ("id", "age", "sex")


def typed(server: Owner, **changes: str) -> dict[str, str]:
    """What is typed into the page that connects."""
    place = {
        "host": server.server.host,
        "port": str(server.server.port),
        "database": server.server.database,
        "schema": "public",
        "table": "people",
        "role": READER,
        "password": server.server.password,
    }
    return place | changes


def connect(browser: Client, server: Owner, **changes: str) -> Any:
    """Post that page."""
    return browser.post(reverse("datasets:connect"), typed(server, **changes))


def connected(browser: Client, server: Owner, **changes: str) -> Upload:
    """The same, where it is taken."""
    response = connect(browser, server, **changes)
    assert response.status_code == 302, response.content.decode()
    return Upload.objects.get(pk=response.url.rstrip("/").rsplit("/", 1)[1])


def declared(**changes: str) -> dict[str, str]:
    """What is typed into the registration page; `column__field` for a column's own field."""
    data = {
        "name": "Live people",
        "description": "Invented people.",
        "unit": "row",
        "neighbouring": "add_remove",
        "group_size": "1",
        "max_rows": "1000",
        "public_rows": "",
        "epsilon_limit": "3",
        "epsilon_per_query": "1",
        **column("id"),
        **column("age", kind="number", lower="0", upper="120", step="1", missing="drop"),
        **column("sex", kind="category", categories="f\r\nm\r\n", missing="drop"),
    }
    return data | {_posted(name): value for name, value in changes.items()}


def column(name: str, **fields: str) -> dict[str, str]:
    """The fields of a column as they are posted."""
    fields = {"kind": ""} | fields
    return {_posted(f"{name}__{field}"): value for field, value in fields.items()}


def _posted(name: str) -> str:
    of, _, field = name.partition("__")
    return f"column-{NAMES.index(of)}-{field}" if field else name


def register(browser: Client, upload: Upload, **changes: str) -> Any:
    """Post the registration page, and look where it leads once the table was looked at."""
    address = reverse("datasets:register", args=[upload.pk])
    return arrived(browser, browser.post(address, declared(**changes)))


def registered(browser: Client, server: Owner, **changes: str) -> Dataset:
    """A dataset over the table `people`, which anybody can ask about or which is held."""
    response = register(browser, connected(browser, server), **changes)
    assert response.status_code == 302, response.content.decode()
    return Dataset.objects.latest("created_at")
