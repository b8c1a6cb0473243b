"""What a request to the API takes beside a bare Django view that makes one query.

`uv run bench/overhead.py [--rows 1000] [--warm 500] [--requests 300] [--stored 200]`: the embedded
default, and a bare view over the same database; each behind gunicorn with one process and an open
connection, in turns. Medians and 95 of 100, from the first byte sent to the last one read, once
each of the process's eight threads has answered some. The last row is a quote of a dataset with so
many stored answers, of other plans, each of which might answer it for nothing. The aims: a quote
within 30 ms, and read and quote within twice the bare view.
"""

import argparse
import http.client
import json
import os
import statistics
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import cycle, islice, product
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from django.core.management import call_command
from django.utils import timezone

from bench.journey import HOME, ROOT, ask, invent, register
from bench.served import served
from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import current_version, schema_of
from dpgov.privacy.plan.canonical import canonical_sha256
from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from tests.cast import make_token
from tests.triggers import without_triggers

# As the product is served, but for what it loads.
_LIKE_OURS = ("-k", "gthread", "--threads", "8", "--keep-alive", "130")
_SLOWEST = 0.95
_PLAN = {"statistics": [{"statistic": "mean", "column": "age"}], "epsilon": 0.1}
# What the stored answers are of: every statistic, with every grouping, of all rows or of some.
_ASKED = (
    {"statistic": "count"},
    {"statistic": "sum", "column": "hours"},
    {"statistic": "mean", "column": "age"},
    {"statistic": "mean", "column": "hours"},
    {"statistic": "sum", "column": "age"},
)
_GROUPED: tuple[list[dict[str, Any]], ...] = (
    [],
    [{"column": "sex"}],
    *([{"column": "age", "edges": list(range(0, 101, width))}] for width in (5, 10, 20, 25)),
)
_FILTERED: tuple[list[dict[str, Any]], ...] = (
    [],
    *([{"column": "hours", "op": ">=", "value": value}] for value in (30, 40, 50)),
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A request, as often as one likes."""

    name: str
    connection: http.client.HTTPConnection
    method: str
    path: str
    body: str | None
    headers: Mapping[str, str]

    def seconds(self) -> float:
        """Of one; the process ends where it is refused."""
        begun = time.perf_counter()
        self.connection.request(self.method, self.path, self.body, dict(self.headers))
        answer = self.connection.getresponse()
        answer.read()
        spent = time.perf_counter() - begun
        if answer.status != http.client.OK:
            raise SystemExit(f"{self.name}: {answer.status}")
        return spent


def main() -> None:
    """Register, ask in turns, print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000)
    parser.add_argument("--warm", type=int, default=500)
    parser.add_argument("--requests", type=int, default=300)
    parser.add_argument("--stored", type=int, default=200)
    options = parser.parse_args()
    call_command("migrate", verbosity=0, interactive=False)
    dataset, analyst = register(invent(options.rows), options.rows)
    _, token = make_token(analyst, "bench")
    with _asked(dataset.slug, token) as asked:
        quote = asked[-1]
        rows = _in_turns(asked, options.warm, options.requests)
        _store(dataset, analyst, options.stored)
        known = replace(quote, name=f"quote, {options.stored} stored answers")
        rows += _in_turns([known], options.warm, options.requests)
    print("\n| request | median | 95 of 100 within | of the bare view |")
    print("|---|---|---|---|")
    for name, median, slow in rows:
        ratio = median / rows[0][1]
        print(f"| {name} | {1000 * median:.1f} ms | {1000 * slow:.1f} ms | {ratio:.1f} |")


def _in_turns(asked: Sequence[Asked], warm: int, requests: int) -> list[tuple[str, float, float]]:
    """Of each its name, its median and what 95 of 100 stay within, after some to get warm."""
    turns = [[each.seconds() for each in asked] for _ in range(warm + requests)]
    spent = [sorted(each) for each in zip(*turns[warm:], strict=True)]
    return [
        (each.name, statistics.median(found), found[int(len(found) * _SLOWEST)])
        for each, found in zip(asked, spent, strict=True)
    ]


def _store(dataset: Dataset, analyst: Membership, number: int) -> None:
    """Rows of released questions, each of another plan or price; a price never reads an answer."""
    asked, schema = ask(dataset, analyst), schema_of(current_version(dataset))
    fields = {f.attname: getattr(asked, f.attname) for f in Query._meta.concrete_fields}
    del fields["id"]
    now, plans = timezone.now(), cycle(product(_FILTERED, _GROUPED, _ASKED))
    stored = []
    for place, (where, group_by, statistic) in enumerate(islice(plans, number)):
        plan = dict(asked.plan, statistics=[statistic], where=where, group_by=group_by)
        form = canonical_sha256(parse_plan(plan, schema, dataset=dataset.slug), schema)
        stored.append(
            Query(
                **fields
                | {
                    "plan": plan,
                    "canonical_sha256": form,
                    "cost_nano": asked.cost_nano + place,
                    "idempotency_key": str(uuid4()),
                    "state": Query.State.RELEASED,
                    "due_at": now,
                    "visible_at": now,
                }
            )
        )
    with without_triggers():
        Query.objects.bulk_create(stored)


@contextmanager
def _asked(slug: str, token: str) -> Iterator[list[Asked]]:
    plain = os.environ | {"PYTHONPATH": str(ROOT)}
    over = plain | {"BARE_DATABASE": str(HOME / "dpgov.sqlite3")}
    ours = plain | {"DPGOV_LOG_LEVEL": "ERROR", "DPGOV_RATE_PERSON": "1000000"}
    ours |= {"DPGOV_RATE_ORGANISATION": "1000000"}
    headers = {"Authorization": f"Token {token}", "Content-Type": "application/json"}
    one = f"/api/v1/datasets/{slug}/"
    with (
        served("bench.bare", over, processes=1, answers="/", options=_LIKE_OURS) as bare,
        served("dpgov.wsgi", ours, processes=1, answers="/healthz") as site,
    ):
        there = http.client.HTTPConnection(urlsplit(site).netloc)
        yield [
            Asked(
                "bare view", http.client.HTTPConnection(urlsplit(bare).netloc), "GET", "/", None, {}
            ),
            Asked("read a dataset", there, "GET", one, None, headers),
            Asked("quote", there, "POST", f"{one}quote/", json.dumps(_PLAN), headers),
        ]


if __name__ == "__main__":
    main()
