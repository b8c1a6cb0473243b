"""A column of dates from the owner's file to an analyst's line by month."""

import html
import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from dpgov.datasets.declaration import column_fields, column_of
from dpgov.datasets.models import Column, Dataset
from dpgov.datasets.selectors import current_version, schema_of
from dpgov.privacy.plan.schema import DateDomain
from dpgov.tenants.models import Membership
from tests.eager import refused
from tests.integration.datasets.registering import register, uploaded
from tests.made_once import made_once

# A hundred visits in each of three months of spring, some more without a day that can be read.
DAYS = [f"{1 + row % 28:02}.{3 + row % 3:02}.2024" for row in range(300)] + ["31.02.2024", ""] * 10
VISITS = ("age,sex,city\n" + "".join(f"30,f,{day}\n" for day in DAYS)).encode()
DATED = {
    "city__kind": "date",
    "city__lower": "2024-01-01",
    "city__upper": "2024-12-31",
    "city__period": "day",
    "city__date_format": "TT.MM.JJJJ",
    "city__missing": "drop",
}


@made_once
def visits(browser: Client) -> Dataset:
    """The file with its days declared as they are written."""
    response = register(browser, uploaded(browser, VISITS), **DATED)
    assert response.status_code == 302, response.context["problems"]
    return Dataset.objects.get()


def test_what_was_declared_is_kept_shown_and_read_again(
    visits: Dataset,
    browser: Client,
    analyst: Membership,
    api_for: Callable[[Membership], APIClient],
) -> None:
    """The same domain in the row, in the label, in the API and for the next version."""
    spec = schema_of(current_version(visits)).columns[2]
    assert isinstance(spec.domain, DateDomain)
    assert (spec.domain.text(0), spec.domain.top, spec.domain.layout) == (
        "2024-01-01",
        365,
        "DD.MM.YYYY",
    )
    assert column_of(column_fields(spec)) == spec
    page = browser.get(reverse("datasets:detail", args=[visits.slug])).content.decode()
    assert "2024-01-01 to 2024-12-31 in steps of one day" in " ".join(page.split())
    told = api_for(analyst).get(f"/api/v1/datasets/{visits.slug}/").json()["columns"][2]
    assert told == {
        "name": "city",
        "type": "date",
        "lower": "2024-01-01",
        "upper": "2024-12-31",
        "step": "day",
        "time_zone": "UTC",
        "missing": "drop",
        "impute": None,
    }


def test_what_the_page_for_sql_says_of_dates_can_be_asked(
    visits: Dataset, analyst: Membership, client_for: Callable[[Membership], Client]
) -> None:
    client, page = client_for(analyst), reverse("queries:ask_sql", args=[visits.slug])
    reference = html.unescape(client.get(page).text).partition("SQL reference")[2]
    assert "one of day, week, month, quarter, year" in reference
    for group in ("DATE_TRUNC('period', city)", "EXTRACT(YEAR FROM city)"):
        assert group in reference
        text = f"SELECT COUNT(*) FROM visits GROUP BY {group.replace('period', 'week')}"
        assert client.post(page, {"sql": text, "epsilon": "0.5"}).status_code == 200


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"city__lower": ""}, "Give the first date"),
        ({"city__upper": "31.12.2024"}, "is no date"),
        ({"city__date_format": "DD.MM.YY"}, "four digits"),
        ({"city__time_zone": "Europe/Atlantis"}, "no time zone"),
        ({"city__missing": "impute", "city__impute": "2025-01-01"}, "within the bounds"),
    ],
)
def test_what_cannot_be_declared_comes_back_with_what_to_type(
    browser: Client, changes: dict[str, str], words: str
) -> None:
    """D5: at its own field."""
    response = register(browser, uploaded(browser, VISITS), **DATED | changes)
    assert refused(response)
    assert any(words in problem["message"] for problem in response.context["problems"])
    assert not Column.objects.exists()


def test_visits_by_month_are_asked_answered_and_drawn(
    visits: Dataset,
    analyst: Membership,
    api_for: Callable[[Membership], APIClient],
    client_for: Callable[[Membership], Client],
    answer_all: Callable[[], int],
) -> None:
    """D4: what is missing or no day is in the last group, and counts nowhere else."""
    api = api_for(analyst)
    plan: dict[str, Any] = {
        "statistics": [{"statistic": "count"}, {"statistic": "median", "column": "city"}],
        "group_by": [{"column": "city", "by": "month"}],
        "epsilon": 1,
    }
    address = f"/api/v1/datasets/{visits.slug}/queries/"
    asked = api.post(address, plan, format="json", headers={"Idempotency-Key": "by-month"})
    assert asked.status_code in (201, 202), asked.content
    assert answer_all() == 1
    body = api.get(f"/api/v1/queries/{asked.json()['id']}/release/").json()
    (group,) = body["groups"]
    assert group["bins"] == [*(f"2024-{month:02}" for month in range(1, 13)), "other"]
    counts = [cell["value"] for cell in body["statistics"][0]["cells"]]
    near = [0, 0, 100, 100, 100, *[0] * 7, 20]
    assert all(abs(one - other) < 60 for one, other in zip(counts, near, strict=True))
    assert body["statistics"][1]["cells"][2]["date"].startswith("2024-")
    page = client_for(analyst).get(reverse("queries:detail", args=[asked.json()["id"]]))
    text = page.content.decode()
    assert "along time" in text
    assert "Mar 2024" in text
    assert json.dumps("tonexty") in text


def test_a_form_asks_for_the_last_months_of_the_declared_range(
    visits: Dataset, analyst: Membership, client_for: Callable[[Membership], Client]
) -> None:
    """The same months whatever the file holds, and the form comes back as it was asked."""
    browser = client_for(analyst)
    address = reverse("queries:ask", args=[visits.slug])
    typed = {
        "epsilon": "0.1",
        "by": "epsilon",
        "key": "a-key-of-this-form",
        "statistic": "0",
        "statistic-0-kind": "count",
        "filter": "0",
        "filter-0-column": "city",
        "filter-0-op": "last_3",
        "group": "0",
        "group-0-column": "city",
        "group-0-by": "month",
    }
    page = browser.post(address, typed | {"action": "quote"}).content.decode()
    assert "city is at least 2024-10" in page
    assert "for each month of city" in page
