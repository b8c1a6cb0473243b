"""Answers as files: the stored bytes, and tables that no spreadsheet runs."""

import csv
import io
import json
from collections.abc import Callable

import pytest
from django.test import Client

from dpgov.datasets.models import Dataset
from dpgov.queries.models import Query, Release
from dpgov.tenants.models import Membership
from tests.declared import declare_otherwise
from tests.integration.queries.web.test_quote_page import text_of
from tests.made_once import made_once

Ask = Callable[..., Query]


@made_once
def answered(analyst: Membership, ask: Ask, answer_now: Callable[[], int]) -> Query:
    """A released count and mean for each education."""
    query = ask(
        analyst,
        statistics=({"statistic": "count"}, {"statistic": "mean", "column": "age"}),
        group_by=({"column": "education", "categories": ["Primary", "Tertiary"]},),
        epsilon=2,
    )
    answer_now()
    return query


def test_json_is_the_stored_bytes_every_time(browser: Client, answered: Query) -> None:
    stored = Release.objects.get(query=answered).body.encode()
    for _ in range(3):
        response = browser.get(f"/queries/{answered.pk}/download/json/")
        assert response.content == stored
        assert response["Content-Type"] == "application/json"


def test_csv_holds_the_numbers_of_the_json(browser: Client, answered: Query) -> None:
    response = browser.get(f"/queries/{answered.pk}/download/csv/")
    lines = list(csv.DictReader(io.StringIO(response.content.decode())))
    body = json.loads(Release.objects.get(query=answered).body)
    expected = [
        (statistic["statistic"], group, cell["value"])
        for statistic in body["statistics"]
        for group, cell in zip(("Primary", "Tertiary", "other"), statistic["cells"], strict=True)
    ]
    found = [(row["statistic"], row["education"], float(row["value"])) for row in lines]
    assert found == expected
    counts = [row for row in lines if row["statistic"] == "count"]
    assert [int(row["adjusted"]) for row in counts] == body["statistics"][0]["adjusted"]["values"]
    assert {row["adjusted"] for row in lines if row["statistic"] == "mean"} == {""}
    accuracy = body["statistics"][0]["cells"][0]["accuracy"]
    bounds = ["plus_minus_90", "plus_minus_95", "plus_minus_99"]
    assert [float(counts[0][name]) for name in bounds] == [item["value"] for item in accuracy]


@pytest.mark.parametrize("fmt", ["csv", "json"])
def test_downloads_are_attachments_that_browsers_do_not_guess_at(
    fmt: str, browser: Client, answered: Query
) -> None:
    """I2: never served inline."""
    response = browser.get(f"/queries/{answered.pk}/download/{fmt}/")
    name = f"visits-{answered.submitted_at:%Y-%m-%d-%H%M}"
    assert response["Content-Disposition"] == f'attachment; filename="{name}.{fmt}"'
    assert response["X-Content-Type-Options"] == "nosniff"


def test_an_unknown_format_is_missing(browser: Client, answered: Query) -> None:
    assert browser.get(f"/queries/{answered.pk}/download/exe/").status_code == 404


@pytest.mark.parametrize(
    ("evil", "harmless"),
    [
        ("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"),
        ("none;=cmd|' /C calc'!A0", "none;'=cmd|' /C calc'!A0"),
    ],
)
def test_a_formula_as_a_category_is_harmless_in_the_file_and_numbers_stay_numbers(
    browser: Client,
    dataset: Dataset,
    analyst: Membership,
    ask: Ask,
    answer_now: Callable[[], int],
    evil: str,
    harmless: str,
) -> None:
    """I3: through the whole journey, and where cells are parted at semicolons."""
    education = dataset.versions.get().columns.filter(name="education")
    declare_otherwise(education, categories=[evil, "b", "c"])
    query = ask(analyst, group_by=({"column": "education", "categories": [evil]},))
    answer_now()
    response = browser.get(f"/queries/{query.pk}/download/csv/")
    rows = list(csv.reader(io.StringIO(response.content.decode())))
    assert rows[1][0] == harmless
    assert (
        float(rows[1][3])
        == json.loads(Release.objects.get(query=query).body)["statistics"][0]["cells"][0]["value"]
    )


def test_a_citation_names_what_when_where_and_the_price(browser: Client, answered: Query) -> None:
    said = text_of(browser.get(f"/queries/{answered.pk}/").content)
    day = f"{answered.submitted_at:%Y-%m-%d}"
    cited = "Visits, Harbour Statistics Office. Differentially private answer"
    assert f"{cited} (ε {answered.cost_nano / 10**9:g}), {day}." in said
    assert f"http://testserver/queries/{answered.pk}/" in said


def test_the_receipt_is_a_page_with_a_code_of_the_answers_address(
    browser: Client, answered: Query
) -> None:
    """Its fingerprint is that of the stored bytes; nothing in it is style or script."""
    page = browser.get(f"/queries/{answered.pk}/receipt/").content.decode()
    assert answered.release.sha256 in page
    svg = page[page.index("<svg viewBox") : page.index("</svg>", page.index("<svg viewBox"))]
    assert "style" not in svg
    assert "script" not in svg
    assert f'href="/queries/{answered.pk}/receipt.json"' in page
