"""M2: synthetic rows as files: of released tables alone, marked, free, the same every time."""

import csv
import io
import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any
from uuid import UUID

import pyarrow.parquet as pq
import pytest
from django.test import Client
from rest_framework.test import APIClient

from dpgov.datasets.models import Dataset
from dpgov.privacy.answer import fitting
from dpgov.queries.models import Query, Release
from dpgov.queries.wording.synthetic import tables_together
from dpgov.tenants.models import Membership, Role
from tests.cast import join
from tests.integration.queries.asking.test_table_sets import PAIRS, send
from tests.integration.queries.web.test_quote_page import text_of
from tests.made_once import made_once

Unchanged = Callable[[], AbstractContextManager[None]]


@made_once
def api(analyst: Membership, api_for: Callable[[Membership], APIClient]) -> APIClient:
    """The analyst's notebook."""
    return api_for(analyst)


@made_once
def asked(api: APIClient, dataset: Dataset) -> list[str]:
    """The questions of a set of three tables, which wait."""
    queries = send(api, PAIRS | {"method": "separate_tables"}).json()["queries"]
    return [one["id"] for one in queries]


@made_once
def released(asked: list[str], answer_now: Callable[[], int]) -> list[str]:
    answer_now()
    return asked


def rows_of(content: bytes) -> tuple[str, list[dict[str, str]]]:
    """The first line and the rows."""
    first, _, rest = content.decode().partition("\n")
    return first, list(csv.DictReader(io.StringIO(rest)))


def test_the_file_says_that_it_is_synthetic_in_its_name_and_its_first_line(
    api: APIClient, released: list[str]
) -> None:
    """M2: nobody takes it for people."""
    answer = api.get(f"/api/v1/queries/{released[0]}/synthetic/")
    assert answer.status_code == 200
    assert 'filename="synthetic-visits-' in answer["Content-Disposition"]
    first, rows = rows_of(answer.content)
    assert first.startswith("# Synthetic rows: made of noisy counts, no row is a person.")
    assert set(rows[0]) == {"sex", "education", "age"}
    assert f"{len(rows)} rows stand for {len(rows)} of visits." in first


@pytest.mark.parametrize("fmt", ["csv", "parquet"])
def test_the_file_is_the_same_for_who_reads_german(
    browser: Client, released: list[str], fmt: str
) -> None:
    address = f"/queries/{released[0]}/synthetic/{fmt}/"
    english, german = (
        browser.get(address, headers={"Accept-Language": language}) for language in ("en-gb", "de")
    )
    assert german["Content-Language"] == "de"
    assert german.content == english.content


def test_a_parquet_file_says_it_in_its_metadata_and_holds_the_same_rows(
    api: APIClient, released: list[str]
) -> None:
    found = api.get(f"/api/v1/queries/{released[0]}/synthetic/?file=parquet")
    assert '.parquet"' in found["Content-Disposition"]
    table = pq.read_table(io.BytesIO(found.content))
    assert table.schema.metadata[b"synthetic"] == b"true"
    assert b"no row is a person" in table.schema.metadata[b"about"]
    _, rows = rows_of(api.get(f"/api/v1/queries/{released[0]}/synthetic/").content)
    assert table.to_pylist() == rows


def test_rows_agree_with_the_released_counts_and_are_free(
    api: APIClient, released: list[str], unchanged: Unchanged
) -> None:
    """M2: nothing but releases is read, nothing is spent, and it is the same file every time."""
    with unchanged():
        files = {
            api.get(f"/api/v1/queries/{one}/synthetic/").content for one in [*released, released[0]]
        }
    (content,) = files
    _, rows = rows_of(content)
    (release,) = Release.objects.filter(query_id=UUID(released[0]))
    body = json.loads(release.body)
    men = sum(row["sex"] == "Male" for row in rows)
    place = body["groups"][0]["bins"].index("Male")
    wide = len(body["groups"][1]["bins"])
    cells = body["statistics"][0]["cells"][place * wide : (place + 1) * wide]
    assert abs(men - sum(cell["value"] for cell in cells)) < 25


def test_there_is_no_file_before_every_table_is_answered(
    api: APIClient, browser: Client, asked: list[str]
) -> None:
    waiting = api.get(f"/api/v1/queries/{asked[0]}/synthetic/")
    assert (waiting.status_code, waiting.json()["errors"][0]["code"]) == (409, "not_ready")
    page = browser.get(f"/queries/{asked[0]}/synthetic/csv/", follow=True)
    assert "Not all tables" in text_of(page.content)


def test_the_answer_page_leads_to_the_other_tables_and_to_the_files(
    browser: Client, released: list[str]
) -> None:
    page = browser.get(f"/queries/{released[0]}/")
    text = page.content.decode()
    assert "Asked together" in text_of(page.content)
    assert all(f'href="/queries/{one}/"' in text for one in released[1:])
    file = browser.get(f"/queries/{released[0]}/synthetic/csv/")
    assert file["Content-Type"] == "text/csv; charset=utf-8"
    assert "attachment" in file["Content-Disposition"]
    assert browser.get(f"/queries/{released[0]}/synthetic/parquet/").status_code == 200
    assert browser.get(f"/queries/{released[0]}/synthetic/exe/").status_code == 404


def test_one_full_table_makes_rows_too(
    api: APIClient, dataset: Dataset, answer_now: Callable[[], int]
) -> None:
    body = PAIRS | {"method": "one_full_table", "epsilon": 2}
    (one,) = send(api, body).json()["queries"]
    answer_now()
    first, rows = rows_of(api.get(f"/api/v1/queries/{one['id']}/synthetic/").content)
    assert first.startswith("# Synthetic")
    assert 150 < len(rows) < 250


def test_other_questions_have_none(
    api: APIClient, dataset: Dataset, stored: Callable[..., Query], browser: Client
) -> None:
    mean = stored({"statistics": ({"statistic": "mean", "column": "age"},)})
    refused = api.get(f"/api/v1/queries/{mean.pk}/synthetic/")
    assert (refused.status_code, refused.json()["errors"][0]["code"]) == (409, "no_tables")
    page = browser.get(f"/queries/{mean.pk}/synthetic/csv/", follow=True)
    assert "made of counts by groups" in text_of(page.content)
    assert "Synthetic rows" not in text_of(browser.get(f"/queries/{mean.pk}/").content)


def test_free_answers_and_counts_that_leave_rows_out_by_groups_are_no_tables(
    api: APIClient, released: list[str]
) -> None:
    """M2: noise would count twice, or two tables would count different rows."""
    count = {"statistics": [{"statistic": "count"}], "group_by": [{"column": "sex"}]}
    headers = {"Idempotency-Key": "free-1"}
    plan = count | {"epsilon": 0.1}
    free = api.post("/api/v1/datasets/visits/reuse/", plan, format="json", headers=headers).json()
    refused = api.get(f"/api/v1/queries/{free['id']}/synthetic/")
    assert (refused.status_code, refused.json()["errors"][0]["code"]) == (409, "no_tables")
    assert tables_together(Query(plan=count | {"per_unit": {"groups": 1}})) == []


def test_tables_of_other_rows_or_other_bins_are_not_put_together(
    api: APIClient, dataset: Dataset, answer_now: Callable[[], int]
) -> None:
    """M2: counts under another filter are no marginals of the same table."""
    count: dict[str, Any] = {"statistics": [{"statistic": "count"}]}
    by_sex = count | {"group_by": [{"column": "sex"}]}
    coarse = count | {"group_by": [{"column": "age", "edges": [0, 50, 100]}]}
    fine = count | {"group_by": [{"column": "age", "edges": [0, 25, 50, 100]}]}
    young = by_sex | {"where": [{"column": "age", "op": "<", "value": 30}]}
    body = {"epsilon": 4, "plans": [coarse, by_sex, fine, young, count]}
    asked = [one["id"] for one in send(api, body).json()["queries"]]
    answer_now()
    for one in asked[:2]:
        together = tables_together(Query.objects.get(pk=one))
        assert [str(query.pk) for query in together] == asked[:2]
        _, rows = rows_of(api.get(f"/api/v1/queries/{one}/synthetic/").content)
        assert set(rows[0]) == {"age", "sex"}
        assert {row["age"] for row in rows} <= {"[0, 50)", "[50, 100]", "other"}


def test_a_table_of_too_many_cells_is_refused_with_what_would_do(
    api: APIClient, browser: Client, released: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fitting, "MAX_CELLS", 10)
    refused = api.get(f"/api/v1/queries/{released[0]}/synthetic/")
    assert (refused.status_code, refused.json()["errors"][0]["code"]) == (409, "too_large")
    page = browser.get(f"/queries/{released[0]}/synthetic/csv/", follow=True)
    assert "fewer columns or wider bins" in text_of(page.content)


def test_another_file_format_is_refused(api: APIClient, released: list[str]) -> None:
    assert api.get(f"/api/v1/queries/{released[0]}/synthetic/?file=xlsx").status_code == 400


def test_a_colleague_s_tables_look_missing(
    analyst: Membership,
    released: list[str],
    api_for: Callable[[Membership], APIClient],
    client_for: Callable[[Membership], Client],
) -> None:
    """H1: like the answers that they are made of."""
    colleague = join(analyst.tenant, Role.ANALYST, "carl")
    assert api_for(colleague).get(f"/api/v1/queries/{released[0]}/synthetic/").status_code == 404
    assert client_for(colleague).get(f"/queries/{released[0]}/synthetic/csv/").status_code == 404
