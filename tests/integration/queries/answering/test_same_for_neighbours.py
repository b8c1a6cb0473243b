"""E1, E4: only the released numbers may depend on the data.

The same questions are asked of a table, of its neighbour without one row, and of an empty table;
whatever comes back must have the same status, headers, shape and price.
"""

import csv
import io
import json
from collections.abc import Callable
from typing import Any

import duckdb
import pytest
from django.test import Client
from rest_framework.test import APIClient

from dpgov.budgets.models import Charge
from dpgov.datasets import storage
from dpgov.datasets.models import Dataset
from dpgov.engines.files import DuckDBEngine
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from tests.count_again import count_again
from tests.made_once import made_once
from tests.small_dataset import register_small_dataset

COUNT = {"statistic": "count"}
SUM = {"statistic": "sum", "column": "hours"}
MEAN = {"statistic": "mean", "column": "age"}
ONE_ROW = {"column": "age", "op": "=", "value": 0}
NO_ROW = {"column": "age", "op": "between", "value": [99, 100]}
AGES = {"column": "age", "edges": [0, 1, 50, 99, 100]}
EDUCATION = {"column": "education", "categories": ["Tertiary"]}
QUESTIONS: list[dict[str, Any]] = [
    {"statistics": [COUNT], "epsilon": 0.01},
    {"statistics": [COUNT, SUM, MEAN], "epsilon": 0.3},
    {"statistics": [MEAN], "where": [NO_ROW], "epsilon": 0.1},
    {"statistics": [SUM], "where": [ONE_ROW], "epsilon": 0.1},
    {"statistics": [COUNT], "group_by": [AGES], "epsilon": 0.1},
    {"statistics": [MEAN], "group_by": [AGES, EDUCATION], "where": [ONE_ROW], "epsilon": 0.2},
    {"statistics": [COUNT], "where": [{"column": "age", "op": "is_missing"}], "epsilon": 0.1},
    {"statistics": [MEAN], "epsilon": 5},
    {"statistics": [{"statistic": "mean", "column": "salary"}], "epsilon": 0.1},
]


@made_once
def tables(owner: Membership) -> list[Dataset]:
    """A table, its neighbour without the first row, and nobody at all."""
    named = [register_small_dataset(owner, name=name) for name in ("Whole", "Less", "Empty")]
    _delete(named[1], "rowid = 0")
    _delete(named[2], "true")
    return named


def _delete(dataset: Dataset, which: str) -> None:
    path = storage.data_path(dataset.versions.get().pk)
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"DELETE FROM data WHERE {which}")
    count_again(path)


# Worked out from released numbers, even in which words or nulls it holds.
_UNSHAPED = {"warning_code": "a code", "fit": "a fit"}


def shape_of(value: Any) -> Any:
    """The structure of a JSON value without its numbers; other texts stay.

    The bound of a mean is worked out from its released noisy parts, so it counts as a number; and
    so does the warning that such a number leaves nothing out, and what is said of a fit: whether it
    was held back, under which condition its errors are bounds, and where it would lie.
    """
    if isinstance(value, dict):
        if "confidence_level" in value:
            return value["confidence_level"], set(value) - {"provided"}
        said = {name: item for name, item in value.items() if name != "interval"}
        return {name: _UNSHAPED.get(name) or shape_of(item) for name, item in said.items()}
    if isinstance(value, list):
        return [shape_of(item) for item in value]
    return "number" if isinstance(value, int | float) else value


def price(api: APIClient, dataset: Dataset, question: dict[str, Any]) -> Any:
    """Everything that a client can see of a quote."""
    response = api.post(f"/api/v1/datasets/{dataset.slug}/quote/", question, format="json")
    return _plain(response, dataset)


def outcome(api: APIClient, dataset: Dataset, question: dict[str, Any], answer: Any) -> Any:
    """Everything that a client can see of one question, without names, ids and noise."""
    address = f"/api/v1/datasets/{dataset.slug}"
    asked = api.post(
        f"{address}/queries/",
        json.dumps(question),
        content_type="application/json",
        headers={"Idempotency-Key": f"key-{dataset.slug}"},
    )
    if asked.status_code != 202:
        return _plain(asked, dataset)
    assert answer() == 1
    query = Query.objects.get(pk=asked.json()["id"])
    charged = Charge.objects.get(query_id=query.pk).amount_nano
    release = api.get(asked.json()["links"]["release"])
    return query.state, query.cost_nano, charged, _shape(release, dataset)


def _plain(response: Any, dataset: Dataset) -> tuple[Any, ...]:
    text = response.content.decode().replace(dataset.slug, "*")
    return response.status_code, _headers(response), text


def _shape(response: Any, dataset: Dataset) -> tuple[Any, ...]:
    text = response.content.decode().replace(f'"{dataset.slug}"', '"*"')
    return response.status_code, _headers(response), shape_of(json.loads(text))


def _headers(response: Any) -> dict[str, str]:
    """All headers, but the length, which varies with the noise's digits, the request's id, and how
    many requests are left until when.
    """
    own = {"Content-Length", "X-Request-ID", "RateLimit"}
    return {name: value for name, value in response.items() if name not in own}


@pytest.mark.parametrize("question", QUESTIONS, ids=str)
def test_all_but_the_numbers_is_the_same_for_neighbours(
    question: dict[str, Any],
    tables: list[Dataset],
    analyst: Membership,
    api_for: Callable[[Membership], APIClient],
    answer_now: Callable[[], int],
) -> None:
    """E1, E4: same status, headers, groups, keys, lengths and charge."""
    api = api_for(analyst)
    prices = [price(api, table, question) for table in tables]
    assert prices[0] == prices[1] == prices[2]
    outcomes = [outcome(api, table, question, answer_now) for table in tables]
    assert outcomes[0] == outcomes[1] == outcomes[2]


def test_the_files_have_the_same_lines_for_neighbours(
    tables: list[Dataset],
    analyst: Membership,
    client_for: Callable[[Membership], Client],
    ask: Callable[..., Query],
    answer_now: Callable[[], int],
) -> None:
    """E1, E5: groups without rows are there too."""
    browser = client_for(analyst)
    queries = [
        ask(analyst, of=table, statistics=(COUNT, MEAN), group_by=(AGES, EDUCATION))
        for table in tables
    ]
    answer_now()
    files = [browser.get(f"/queries/{query.pk}/download/csv/") for query in queries]
    lines = [list(csv.reader(io.StringIO(file.content.decode()))) for file in files]
    labels = [[line[:4] for line in table] for table in lines]
    assert labels[0] == labels[1] == labels[2]
    assert len(labels[0]) == 1 + 2 * 5 * 2


def test_a_crash_in_the_engine_and_a_time_out_read_the_same(
    tables: list[Dataset],
    analyst: Membership,
    api_for: Callable[[Membership], APIClient],
    ask: Callable[..., Query],
    answer_now: Callable[[], int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """E3: both are charged, with one body."""
    api, seen = api_for(analyst), []
    for table, error in zip(tables, (OverflowError("canary 4711"), TimeoutError()), strict=False):
        query = ask(analyst, of=table)
        monkeypatch.setattr(DuckDBEngine, "answer", _raising(error))
        answer_now()
        address = f"/api/v1/queries/{query.pk}/release/"
        seen.append(_plain(api.get(address), table))
        assert api.get(f"/api/v1/queries/{query.pk}/").json()["state"] == "failed"
        assert Charge.objects.get(query_id=query.pk).amount_nano == query.cost_nano
    assert seen[0] == seen[1]
    assert seen[0][0] == 404
    assert "no_release" in seen[0][2]


def _raising(error: Exception) -> Callable[..., Any]:
    def answer(*_: object) -> Any:
        raise error

    return answer
