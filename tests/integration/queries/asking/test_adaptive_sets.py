"""M14 to M18: tables that are chosen adaptively, through the whole way: quoted, asked, answered
once, read again for nothing.
"""

import csv
import io
import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any
from uuid import uuid4

import pyarrow.parquet as pq
from django.test import Client
from rest_framework.test import APIClient

from dpgov.budgets.models import Charge
from dpgov.datasets.models import Dataset
from dpgov.privacy.accounting.decimals import NANO
from dpgov.queries.models import Query, Release
from dpgov.tenants.models import Membership
from tests.cast import Ask
from tests.integration.queries.asking.test_table_sets import BATCHES, PAIRS, QUOTES
from tests.integration.queries.web.test_quote_page import text_of
from tests.made_once import made_once

ROUNDS: dict[str, Any] = PAIRS | {"method": "adaptive", "rounds": 3, "epsilon": 2}
QUOTE = "/api/v1/datasets/visits/quote/"
REUSE = "/api/v1/datasets/visits/reuse/"
Unchanged = Callable[[], AbstractContextManager[None]]


@made_once
def api(analyst: Membership, api_for: Callable[[Membership], APIClient]) -> APIClient:
    """The analyst's notebook."""
    return api_for(analyst)


@made_once
def answered(api: APIClient, dataset: Dataset, answer_now: Callable[[], int]) -> Query:
    """The question, with its release."""
    sent = api.post(BATCHES, ROUNDS, format="json", headers={"Idempotency-Key": "r-1"})
    assert sent.status_code == 202
    assert answer_now() == 1
    return Query.objects.get()


def body_of(query: Query) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(Release.objects.get(query=query).body)
    return body


def test_a_quote_says_what_is_known_and_that_no_error_of_the_whole_is(
    api: APIClient, dataset: Dataset, unchanged: Unchanged
) -> None:
    """M16: rounds, candidates, the error of a drawn count, and the fixed ways beside them."""
    with unchanged():
        quoted = api.post(QUOTES, ROUNDS, format="json").json()
    tables = quoted["tables"]
    assert (quoted["accepted"], quoted["cost_epsilon"]) == (True, 2)
    assert (tables["method"], tables["rmse"]) == ("adaptive", None)
    assert (tables["adaptive"]["rounds"], tables["adaptive"]["candidates"]) == (3, 3)
    assert tables["adaptive"]["rmse"] > tables["adaptive"]["fixed_rmse"] > 0
    assert [way["method"] for way in tables["ways"]] == [
        "separate_tables",
        "one_full_table",
        "larger_tables",
    ]
    assert tables["work"]["answers_seconds"] > tables["work"]["fits_seconds"] > 0


def test_it_is_one_question_with_one_charge_and_one_release_of_all_rounds(
    answered: Query, api: APIClient
) -> None:
    """M14, M15: each round in its order, as it was drawn; the whole price and no more."""
    assert [charge.amount_nano for charge in Charge.objects.all()] == [2 * NANO]
    # M15: it waits in the lane of heavy questions, however small its tables are.
    assert answered.heavy
    body = body_of(answered)
    assert len(body["rounds"]) == 3
    asked = answered.plan["adaptive"]["tables"]
    for one in body["rounds"]:
        assert [group["column"] for group in one["groups"]] == asked[one["place"]]
    assert body["statistics"] == []
    read = api.get(f"/api/v1/queries/{answered.pk}/release/").json()
    assert read == body
    words = api.get(f"/api/v1/queries/{answered.pk}/").json()["in_words"]
    assert "in 3 tables chosen adaptively among 3 of sex, education and age" in words


def test_each_drawn_table_and_what_it_tells_is_free_afterwards(
    answered: Query, api: APIClient
) -> None:
    """M17: reuse reads each drawn table as a count of its own, out of the released numbers."""
    body, spent = body_of(answered), Charge.objects.count()
    for number, one in enumerate(body["rounds"]):
        asked = {key: one["plan"][key] for key in ("statistics", "group_by")} | {"epsilon": 0.1}
        assert api.post(QUOTE, asked, format="json").json()["free"]
        headers = {"Idempotency-Key": f"free-{number}"}
        taken = api.post(REUSE, asked, format="json", headers=headers)
        assert taken.status_code == 201
        assert taken.json()["sources"] == [str(answered.pk)]
        again = json.loads(Release.objects.get(query=taken.json()["id"]).body)
        assert again["made_from"] == [str(answered.pk)]
        same = [d for d in body["rounds"] if d["place"] == one["place"]]
        values = [cell["value"] for cell in again["statistics"][0]["cells"]]
        drawn = [[cell["value"] for cell in d["statistics"][0]["cells"]] for d in same]
        if len(same) == 1:
            assert values == drawn[0]
        else:
            means = [sum(each) / len(each) for each in zip(*drawn, strict=True)]
            known = zip(values, means, strict=True)
            assert values in drawn or all(abs(v - mean) <= 1 for v, mean in known)
    assert Charge.objects.count() == spent


def test_what_was_not_drawn_is_not_free(
    api: APIClient, dataset: Dataset, answer_now: Callable[[], int]
) -> None:
    """M17: of one round one table is known; no other is made of it but its own margins."""
    single = ROUNDS | {"rounds": 1, "tables": [["sex", "age"], ["education"]]}
    api.post(BATCHES, single, format="json", headers={"Idempotency-Key": "one"})
    answer_now()
    (one,) = body_of(Query.objects.get())["rounds"]
    drawn = {group["column"] for group in one["groups"]}
    for column in PAIRS["columns"]:
        count = {"statistics": [{"statistic": "count"}], "group_by": [column], "epsilon": 0.1}
        free = api.post(QUOTE, count, format="json").json()["free"]
        assert bool(free) is (column["column"] in drawn)


def test_the_same_set_twice_is_asked_once(answered: Query, api: APIClient) -> None:
    again = api.post(BATCHES, ROUNDS, format="json", headers={"Idempotency-Key": "r-1"})
    assert [one["id"] for one in again.json()["queries"]] == [str(answered.pk)]
    assert Query.objects.count() == 1


def test_no_other_door_takes_a_plan_that_chooses(
    answered: Query, api: APIClient, unchanged: Unchanged
) -> None:
    """M16: its rules are those of a set of tables, and are looked at there alone."""
    with unchanged():
        sent = api.post(QUOTE, answered.plan, format="json")
    assert sent.status_code == 400
    assert "adaptive" in [error["attr"] for error in sent.json()["errors"]]


def test_synthetic_rows_are_made_of_the_drawn_tables_and_marked(
    answered: Query, api: APIClient
) -> None:
    """M18: with the columns that were drawn, and free."""
    drawn = {group["column"] for one in body_of(answered)["rounds"] for group in one["groups"]}
    address = f"/api/v1/queries/{answered.pk}/synthetic/"
    text = api.get(address).content.decode()
    assert text.startswith("# Synthetic rows")
    assert set(next(csv.reader([text.splitlines()[1]]))) == drawn
    table = pq.read_table(io.BytesIO(api.get(f"{address}?file=parquet").content))
    assert set(table.column_names) == drawn
    assert table.schema.metadata[b"synthetic"] == b"true"


def test_files_of_the_answer_have_every_round(answered: Query, browser: Client) -> None:
    """M14: a line for each released count, with its round and its bins."""
    address = f"/queries/{answered.pk}/download"
    lines = list(csv.DictReader(io.StringIO(browser.get(f"{address}/csv/").content.decode())))
    body = body_of(answered)
    counted = [cell["value"] for one in body["rounds"] for cell in one["statistics"][0]["cells"]]
    assert [int(line["value"]) for line in lines] == counted
    for line in lines:
        columns = {group["column"] for group in body["rounds"][int(line["round"]) - 1]["groups"]}
        assert {name for name in ("sex", "education", "age") if line[name]} == columns
    assert browser.get(f"{address}/pdf/").content.startswith(b"%PDF")


def test_the_page_shows_the_drawn_tables_in_their_order(answered: Query, browser: Client) -> None:
    page = browser.get(f"/queries/{answered.pk}/")
    text = text_of(page.content)
    places = [text.index(f"Round {number}: ") for number in (1, 2, 3)]
    assert places == sorted(places)
    assert "3 tables were chosen and drawn, in this order." in text
    assert "A tenth of the price paid for choosing." in text
    assert "Synthetic rows as CSV" in text
    assert "Ask again" not in text
    assert "3 tables chosen adaptively" in text_of(browser.get("/history/").content)


def test_an_officer_can_look_for_patterns_among_such_questions(
    answered: Query, client_for: Callable[[Membership], Client], officer: Membership
) -> None:
    assert client_for(officer).get("/datasets/visits/patterns/").status_code == 200


def test_the_form_of_one_question_opens_no_set(
    api: APIClient, dataset: Dataset, browser: Client
) -> None:
    """M16: neither by the question's name nor by its key, as one large table."""
    key = str(uuid4())
    sent = api.post(BATCHES, ROUNDS, format="json", headers={"Idempotency-Key": key})
    (asked,) = sent.json()["queries"]
    assert browser.get(f"/datasets/visits/ask/?again={asked['id']}").status_code == 404
    Query.objects.filter(pk=asked["id"]).update(idempotency_key=key)
    begun = browser.get(f"/datasets/visits/ask/?asked={key}")
    assert begun.status_code == 200
    assert "education" not in begun.context["form"].data.values()


def test_an_owner_is_not_offered_to_publish_what_cannot_be_published(
    answered: Query,
    ask: Ask,
    analyst: Membership,
    owner: Membership,
    browser: Client,
    client_for: Callable[[Membership], Client],
) -> None:
    """M16: a set is listed under nothing that was asked before, and is missing by its address."""
    single = ask(analyst)
    new = "/datasets/visits/ready-made/new/"
    page = client_for(owner).get(new)
    assert [known for known, _words in page.context["asked"]] == [single.pk]
    assert client_for(owner).get(f"{new}?from={single.pk}").status_code == 200
    assert client_for(owner).get(f"{new}?from={answered.pk}").status_code == 404


def test_doors_of_other_answers_say_that_there_is_nothing_for_them(
    answered: Query, api: APIClient, browser: Client
) -> None:
    """M14: a release without numbers of its own beside its rounds breaks no reader."""
    assert browser.get(f"/datasets/visits/compare/?answer={answered.pk}").status_code == 200
    assert browser.get(f"/queries/{answered.pk}/receipt/").status_code == 200
    groups = api.get(f"/api/v1/queries/{answered.pk}/groups/?first=2")
    assert (groups.status_code, groups.json()["rows"]) == (200, [])
