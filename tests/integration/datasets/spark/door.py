"""What an owner types to register Parquet files, as short calls; names are those of live tables."""

from typing import Any

from django.test import Client
from django.urls import reverse

from dpgov.datasets.models import Dataset, Upload
from tests.integration.datasets.live.connecting import register

TOKEN = "of-the-owner-s-cluster"  # noqa: S105 - invented
ADDRESS, ROOT = "spark.example.org:15002", "s3a://hospital/data/"


def typed(**changes: str) -> dict[str, str]:
    """What is typed into the page that connects."""
    host, _, port = ADDRESS.partition(":")
    place = {"host": host, "port": port, "path": f"{ROOT}people", "password": TOKEN}
    return place | changes


def connect(browser: Client, **changes: str) -> Any:
    """Post that page."""
    return browser.post(f"{reverse('datasets:connect')}?from=spark", typed(**changes))


def connected(browser: Client, **changes: str) -> Upload:
    """The same, where it is taken."""
    response = connect(browser, **changes)
    assert response.status_code == 302, response.content.decode()
    return Upload.objects.get(pk=response.url.rstrip("/").rsplit("/", 1)[1])


def registered(browser: Client, name: str, **changes: str) -> Dataset:
    """A dataset over these files, which anybody can ask about or which is held."""
    response = register(browser, connected(browser, **changes), name=name)
    assert response.status_code == 302, response.content.decode()
    return Dataset.objects.get(name=name)
