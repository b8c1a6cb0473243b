"""The API describes itself, completely and under the strict content policy."""

import io
import json
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from dpgov.privacy.plan.statistics import StatisticKind


@pytest.fixture
def schema() -> dict[str, Any]:
    text = io.StringIO()
    call_command(
        "spectacular",
        "--api-version",
        "v1",
        "--fail-on-warn",
        "--validate",
        "--format",
        "openapi-json",
        stdout=text,
    )
    found: dict[str, Any] = json.loads(text.getvalue())
    return found


def test_the_schema_is_made_without_a_warning_and_is_valid(schema: dict[str, Any]) -> None:
    assert "/api/v1/datasets/{slug}/queries/" in schema["paths"]


def test_submitting_documents_its_key_its_refusals_and_examples(schema: dict[str, Any]) -> None:
    post = schema["paths"]["/api/v1/datasets/{slug}/queries/"]["post"]
    key = next(p for p in post["parameters"] if p["name"] == "Idempotency-Key")
    assert key["required"] is True
    assert {"202", "400", "401", "403", "404", "409"} <= set(post["responses"])
    assert post["requestBody"]["content"]["application/json"]["examples"]
    assert post["security"] != [{}]


@pytest.mark.django_db
def test_the_page_of_the_docs_has_no_inline_script(client: Client) -> None:
    """J1: inline scripts would be blocked by the content policy."""
    page = client.get("/api/docs/").content.decode()
    assert "<script>" not in page
    assert client.get("/api/docs/?script").status_code == 200


def test_every_statistic_and_filters_of_any_depth_are_described(schema: dict[str, Any]) -> None:
    shapes = schema["components"]["schemas"]
    statistic = shapes["Statistic"]["properties"]["statistic"]
    named = statistic.get("$ref") or statistic["allOf"][0]["$ref"]
    assert set(shapes[named.rsplit("/", 1)[1]]["enum"]) == {kind.value for kind in StatisticKind}
    inner = shapes["Filter"]["properties"]
    assert inner["or"]["items"]["$ref"] == "#/components/schemas/Filter"
    assert {"epsilon", "rho", "accuracy"} <= set(shapes["WantedPlan"]["properties"])
    assert "accuracy" not in shapes["Plan"]["properties"]
