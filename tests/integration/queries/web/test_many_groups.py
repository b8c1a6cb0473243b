"""An answer of very many groups through its doors: kept whole, shown in part, taken away whole.

What could leak: nothing is read but the stored release. What could fail: a page, a trial or a free
answer that makes each of a million cells while its reader waits; a file that lacks some.
"""

import csv
import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from django.conf import LazySettings
from django.test import Client
from rest_framework.test import APIClient

from dpgov.datasets.models import Dataset
from dpgov.privacy.answer.body import ALIKE, MAX_CELLS
from dpgov.queries.models import Query, Release
from dpgov.queries.wording.numbers import readable
from dpgov.tenants.models import Membership
from tests.integration.queries.web.test_quote_page import text_of
from tests.made_once import made_once

GROUPS = 101 * 81 * 3
BY_ALL: dict[str, Any] = {
    "statistics": [{"statistic": "count"}],
    "group_by": [
        {"column": "age", "edges": list(range(101))},
        {"column": "hours", "edges": list(range(81))},
        {"column": "sex", "categories": ["Female", "Male"]},
    ],
    "epsilon": "0.5",
}
Api = Callable[[Membership], APIClient]


@made_once
def query(stored: Callable[[dict[str, Any]], Query]) -> Query:
    return stored(BY_ALL)


def body_of(query: Query) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Release.objects.get(query=query).body)
    return found


def test_the_page_shows_the_largest_groups_and_says_how_many_there_are(
    browser: Client, query: Query
) -> None:
    page = browser.get(f"/queries/{query.pk}/")
    values = body_of(query)["statistics"][0]["values"]
    rows = page.context["table"].rows
    largest = sorted(values, reverse=True)[:200]
    assert [row.cells[0].value for row in rows] == [readable(value) for value in largest]
    assert len(page.context["answer"].labels) == len(rows)
    text = text_of(page.content)
    assert f"This answer has {readable(GROUPS)} groups" in text
    assert "Show all groups as released" not in text
    assert f"?answer={query.pk}" not in page.content.decode()

    declared = browser.get(f"/queries/{query.pk}/?sort=g1&first=3").context["table"].rows
    assert [row.labels for row in declared] == [("0", "0", s) for s in ("Female", "Male", "other")]
    refused = browser.get(f"/queries/{query.pk}/?ratio=1/1")
    assert refused.context["arrange_refusal"]
    assert len(refused.context["table"].rows) == 200


def test_files_and_the_api_have_every_group(
    browser: Client, api_for: Api, analyst: Membership, query: Query
) -> None:
    stored = Release.objects.get(query=query).body.encode()
    body = json.loads(stored)
    (statistic,) = body["statistics"]
    assert body["format"] == ALIKE
    assert len(statistic["values"]) == GROUPS
    assert browser.get(f"/queries/{query.pk}/download/json/").content == stored

    file = browser.get(f"/queries/{query.pk}/download/csv/")
    lines = list(csv.DictReader(io.StringIO(file.getvalue().decode())))
    assert [int(line["value"]) for line in lines] == statistic["values"]
    assert [int(line["adjusted"]) for line in lines] == statistic["adjusted"]["values"]
    assert {float(line["plus_minus_95"]) for line in lines} == {statistic["accuracy"][1]["value"]}
    assert (lines[-1]["age"], lines[-1]["sex"]) == ("other", "other")
    assert browser.get(f"/queries/{query.pk}/download/pdf/").content.startswith(b"%PDF")

    api = api_for(analyst)
    assert api.get(f"/api/v1/queries/{query.pk}/release/").content == stored
    some = api.get(f"/api/v1/queries/{query.pk}/groups/").json()
    assert len(some["rows"]) == MAX_CELLS
    assert some["left_out"] == GROUPS - MAX_CELLS
    assert some["rows"][0]["cells"][0]["value"] == max(statistic["values"])


def test_what_is_made_while_its_reader_waits_is_not_made_of_so_many(
    api_for: Api, analyst: Membership, dataset: Dataset, query: Query
) -> None:
    """No free answer out of it and no trial of it; it may be asked again at its price."""
    api, at = api_for(analyst), f"/api/v1/datasets/{dataset.slug}"
    quote = api.post(f"{at}/quote/", BY_ALL, format="json").json()
    assert (quote["accepted"], quote["free"]) == (True, [])
    part = BY_ALL | {"group_by": BY_ALL["group_by"][2:]}
    assert api.post(f"{at}/quote/", part, format="json").json()["free"] == []
    trial = api.post(f"{at}/mock/", BY_ALL, format="json")
    assert trial.status_code == 400
    assert f"at most {MAX_CELLS} are answered at once" in trial.content.decode()


@pytest.mark.parametrize(
    ("name", "value"), [("DPGOV_MOST_NUMBERS", 20_000), ("DPGOV_QUERY_MEMORY_BYTES", 10_000_000)]
)
def test_an_installation_says_in_the_quote_how_many_it_answers(
    name: str,
    value: int,
    settings: LazySettings,
    api_for: Api,
    analyst: Membership,
    dataset: Dataset,
) -> None:
    """By a setting of its own, and by the memory that its workers have."""
    setattr(settings, name, value)
    asked = api_for(analyst).post(f"/api/v1/datasets/{dataset.slug}/quote/", BY_ALL, format="json")
    assert asked.status_code == 400
    assert "at most 20000 are answered at once" in asked.content.decode()
