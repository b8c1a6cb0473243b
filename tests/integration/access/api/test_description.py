"""J2: the description of the API, which is open to everybody."""

import pytest
from django.test import Client

pytestmark = pytest.mark.django_db


def test_the_description_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes a second of the processor, and anybody may ask for it as often as they like."""
    accept = {"Accept": "application/json"}
    first = Client().get("/api/schema/", headers=accept)

    def fail(*_: object, **__: object) -> None:
        raise AssertionError

    monkeypatch.setattr("drf_spectacular.generators.SchemaGenerator.get_schema", fail)
    again = Client().get("/api/schema/", headers=accept)
    assert again.content == first.content
    assert "/api/v1/queries/" in again.json()["paths"]
