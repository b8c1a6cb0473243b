"""E1, E5: every statistic, under every promise, tells neighbours apart by its numbers alone.

The tables differ by all that the promise hides: one row, a group of rows, or all rows of a person.
"""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import duckdb
import pytest
from django.test import Client
from rest_framework.test import APIClient

from dpgov.datasets import storage
from dpgov.datasets.models import Dataset
from dpgov.privacy.accounting.loss import Currency, Mode
from dpgov.privacy.plan.schema import Neighbouring
from dpgov.privacy.plan.statistics import StatisticKind
from dpgov.tenants.models import Membership
from tests.count_again import count_again
from tests.integration.datasets.registering import register, uploaded
from tests.integration.queries.answering.test_same_for_neighbours import outcome, price
from tests.integration.queries.wording.test_all_statistics import statistic
from tests.small_dataset import register_small_dataset

ZCDP = Currency(Mode.ZCDP, Decimal("1e-6"))
# The promise about one row in pure ε is asked after in test_same_for_neighbours.py.
PROMISES: dict[str, dict[str, Any]] = {
    "a row, as ρ": {"currency": ZCDP},
    "three changed rows, pure": {"neighbouring": Neighbouring.CHANGE_ONE, "group_size": 3},
}
# 40 people, whose rows are of one person each or, for every fourth, three of the same.
VISITS = "age,sex,city,hours\n" + "".join(
    f"{(7 * person + row) % 90},{'fm'[person % 2]},P{person},{(3 * person + 11 * row) % 80}\n"
    for person in range(40)
    for row in range(1 if person % 4 else 3)
)
WITH_THREE_ROWS = "SELECT min(u) FROM (SELECT u FROM data GROUP BY u HAVING count(*) = 3)"
NAMED = {"unit": "person", "private_id": "city", "max_rows_per_unit": "2"}
HOURS = {"kind": "number", "lower": "0", "upper": "80", "step": "1", "missing": "drop"}
BY_AGE = {"column": "age", "edges": [0, 20, 40, 90]}
BY_HOURS = {"column": "hours", "edges": [0, 30, 80]}
BY_SEX = {"column": "sex", "categories": ["Female", "Male"]}


def question(kind: StatisticKind, by: list[dict[str, Any]]) -> dict[str, Any]:
    """This statistic, of groups that the tables do not all have."""
    along = [BY_HOURS, BY_AGE][-kind.facts.along :] if kind.facts.along else []
    groups = [] if kind.facts.takes_predictors else [*by, *along]
    return {"statistics": [statistic(kind)], "group_by": groups, "epsilon": 0.5}


def _changed(dataset: Dataset, statement: str) -> Dataset:
    path = storage.data_path(dataset.versions.get().pk)
    with duckdb.connect(str(path)) as connection:
        connection.execute(statement)
    count_again(path)
    return dataset


@pytest.mark.parametrize("kind", list(StatisticKind))
@pytest.mark.parametrize("promise", list(PROMISES))
def test_each_statistic_reads_the_same_for_neighbouring_rows(
    kind: StatisticKind,
    promise: str,
    owner: Membership,
    analyst: Membership,
    api_for: Callable[[Membership], APIClient],
    answer_now: Callable[[], int],
) -> None:
    """E1, E5"""
    whole = register_small_dataset(owner, name="Wholetable", **PROMISES[promise])
    other = register_small_dataset(owner, name="Lesstable", **PROMISES[promise])
    group = PROMISES[promise].get("group_size", 1)
    if "neighbouring" in PROMISES[promise]:
        _changed(other, f"UPDATE data SET c0 = 100 - c0, c1 = 0 WHERE rowid < {group}")
    else:
        _changed(other, f"DELETE FROM data WHERE rowid < {group}")
    asked, api = question(kind, [BY_SEX]), api_for(analyst)
    assert price(api, whole, asked) == price(api, other, asked)
    assert outcome(api, whole, asked, answer_now) == outcome(api, other, asked, answer_now)


@pytest.mark.parametrize("kind", list(StatisticKind))
def test_each_statistic_reads_the_same_without_one_person(
    kind: StatisticKind,
    owner: Membership,
    analyst: Membership,
    client_for: Callable[[Membership], Client],
    api_for: Callable[[Membership], APIClient],
    answer_now: Callable[[], int],
) -> None:
    """D6, E1: also the rows of this person that were beyond the limit."""
    whole, other = (_of_people(client_for(owner), name) for name in ("Wholetable", "Lesstable"))
    kept = storage.data_path(whole.versions.get().pk)
    rows = duckdb.connect(str(kept), read_only=True).execute("SELECT * FROM data").fetchall()
    _changed(other, f"DELETE FROM data WHERE u = ({WITH_THREE_ROWS})")
    left = storage.data_path(other.versions.get().pk)
    fewer = duckdb.connect(str(left), read_only=True).execute("SELECT * FROM data").fetchall()
    assert len(rows) - len(fewer) == 3
    asked, api = question(kind, []), api_for(analyst)
    assert price(api, whole, asked) == price(api, other, asked)
    assert outcome(api, whole, asked, answer_now) == outcome(api, other, asked, answer_now)


def _of_people(browser: Client, name: str) -> Dataset:
    hours = {f"column-3-{field}": value for field, value in HOURS.items()}
    upload = uploaded(browser, VISITS.encode())
    response = register(browser, upload, **NAMED, **hours, name=name)
    assert response.status_code == 302, response.content.decode()
    return Dataset.objects.get(name=name)
