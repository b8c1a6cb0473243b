"""A busy installation, filled by COPY: many datasets, questions with their charges, a long log.

The rows are what the services would have written: running balances add up, sums are those of the
questions, audit entries carry their true hashes. Only triggers and foreign keys are not asked for
each row. Half of all questions are about the first dataset, the others about all the rest.
"""

import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import psycopg

from bench.cast import Cast
from bench.plans import plan_of
from dpgov.datasets.models import Dataset, DatasetVersion
from dpgov.queries.kinds import kind_of

YEAR = timedelta(days=365)
_COSTS = (100_000, 200_000, 500_000)
_BODY = '{"answers":[{"scale":"20000","statistic":"count","value":117}],"format":1}'
_QUERY = (
    "id, tenant_id, dataset_id, version_id, analyst_id, plan, kind, cost_nano, canonical_sha256,"
    " reuse, sources, idempotency_key, body_hash, state, attempts, fence, opened_at, submitted_at,"
    " ended_at, visible_at, counted, by_owner, heavy, turn, sends, request_id"
)
_HOLD = (
    "tenant_id, budget_id, query_id, amount_nano, factor, state, created_at, ended_at, counted_on"
)
_CHARGE = "tenant_id, budget_id, query_id, amount_nano, spent_after_nano, created_at"
_RELEASE = "query_id, tenant_id, body, sha256, created_at"
_SUMS = (
    "INSERT INTO queries_tally (tenant_id, dataset_id, analyst_id, kind, nano)"
    " SELECT tenant_id, dataset_id, analyst_id, kind,"
    " coalesce(sum(cost_nano) FILTER (WHERE state IN ('released', 'failed')), 0)"
    " FROM queries_query WHERE counted GROUP BY 1, 2, 3, 4 ON CONFLICT DO NOTHING",
    "INSERT INTO queries_daytally (tenant_id, dataset_id, day, nano)"
    " SELECT tenant_id, dataset_id, (submitted_at AT TIME ZONE 'UTC')::date, sum(cost_nano)"
    " FROM queries_query WHERE counted AND state IN ('released', 'failed') AND NOT reuse"
    " GROUP BY 1, 2, 3 ON CONFLICT DO NOTHING",
)


@dataclass(frozen=True, slots=True)
class Asked:
    """One question as the log tells of it."""

    id: UUID
    at: datetime
    dataset: str
    email: str
    person: UUID
    nano: int
    state: str


@dataclass(slots=True)
class _Rows:
    queries: list[tuple[Any, ...]] = field(default_factory=list)
    holds: list[tuple[Any, ...]] = field(default_factory=list)
    charges: list[tuple[Any, ...]] = field(default_factory=list)
    releases: list[tuple[Any, ...]] = field(default_factory=list)
    spent: Counter[UUID] = field(default_factory=Counter)
    asked: list[Asked] = field(default_factory=list)


def fill_questions(connection: psycopg.Connection, cast: Cast, number: int) -> list[Asked]:
    """So many questions over a year, with holds, charges and answers; oldest first."""
    rows, chance = _Rows(), random.Random(number)
    versions = dict(DatasetVersion.objects.values_list("dataset_id", "pk"))
    people = [cast.analyst, *cast.colleagues]
    start = datetime.now(UTC).replace(microsecond=0) - YEAR
    for n in range(number):
        dataset = _which(cast.datasets, n)
        member = people[n // 2 % len(people)]
        at = start + (YEAR - timedelta(hours=1)) * n / number
        _add(rows, dataset, versions[dataset.pk], member, at, n, chance)
    _store(connection, rows)
    return rows.asked


def _which(datasets: Sequence[Dataset], n: int) -> Dataset:
    return datasets[1 + n // 2 % (len(datasets) - 1)] if n % 2 else datasets[0]


def _add(
    rows: _Rows,
    dataset: Dataset,
    version: UUID,
    member: Any,
    at: datetime,
    n: int,
    chance: random.Random,
) -> None:
    query, state, plan = UUID(int=chance.getrandbits(128)), _state(n), _plan(dataset, n, chance)
    reuse = state == "reused"
    nano = 0 if reuse else chance.choice(_COSTS)
    ended = at + timedelta(milliseconds=300)
    text = json.dumps(plan)
    rows.queries.append(
        (
            *(query, dataset.tenant_id, dataset.pk, version, member.user_id, text, kind_of(plan)),
            *(nano, _form(plan), reuse, "[]", f"busy {n}", "0" * 64),
            *("released" if reuse else state, 0 if reuse else 1, 1),
            *(None if reuse or state == "voided" else at, at, ended, ended, True),
            *(False, False, 0, 0, ""),
        )
    )
    rows.asked.append(
        Asked(query, at, dataset.slug, member.user.email, member.user_id, nano, state)
    )
    if state in ("released", "reused"):
        rows.releases.append((query, dataset.tenant_id, _BODY, "0" * 64, ended))
    if reuse:
        return
    budget = dataset.budget_id
    done = "voided" if state == "voided" else "settled"
    rows.holds.append((dataset.tenant_id, budget, query, nano, 1, done, at, ended, at.date()))
    if state != "voided":
        rows.spent[budget] += nano
        after = rows.spent[budget]
        rows.charges.append((dataset.tenant_id, budget, query, nano, after, ended))


def _state(n: int) -> str:
    return {17: "failed", 39: "voided", 56: "reused", 81: "reused"}.get(n % 100, "released")


def _plan(dataset: Dataset, n: int, chance: random.Random) -> dict[str, Any]:
    """A count, a mean or a histogram of people above some age: a few hundred different ones."""
    plan = plan_of(dataset.slug, n % 3)
    where = [{"column": "age", "op": ">=", "value": chance.randrange(100)}]
    if n % 5 == 0:
        where.append({"column": "sex", "op": "in", "value": ["female"]})
    return {**plan, "where": where if n % 7 else []}


def _form(plan: dict[str, Any]) -> str:
    """Equal for equal questions, as the true form is; nothing here is ever reused."""
    text = json.dumps([plan["where"], plan["statistics"], plan["group_by"]])
    return text.encode().hex()[-64:].rjust(64, "0")


def _store(connection: psycopg.Connection, rows: _Rows) -> None:
    copy(connection, "queries_query", _QUERY, rows.queries)
    copy(connection, "budgets_reservation", _HOLD, rows.holds)
    copy(connection, "budgets_charge", _CHARGE, rows.charges)
    copy(connection, "queries_release", _RELEASE, rows.releases)
    connection.cursor().executemany(
        "UPDATE budgets_budget SET spent_nano = %s WHERE id = %s",
        [(nano, budget) for budget, nano in rows.spent.items()],
    )
    for statement in _SUMS:
        connection.execute(statement)


def copy(
    connection: psycopg.Connection, table: str, columns: str, rows: Iterable[Sequence[Any]]
) -> None:
    """COPY the rows into a table."""
    with connection.cursor().copy(f"COPY {table} ({columns}) FROM STDIN") as writer:
        for row in rows:
            writer.write_row(row)


def in_order(asked: Sequence[Asked], steps: int) -> Iterator[tuple[Asked, int]]:
    """Each question, and how many entries of a log of so many `steps` belong to its time."""
    for n, one in enumerate(asked):
        yield one, (n + 1) * steps // len(asked) - n * steps // len(asked)
