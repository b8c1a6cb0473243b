"""Every page of a busy installation: SQL queries, milliseconds of the server, kilobytes of HTML.

`uv run bench/pages.py [--rounds 30] [--questions 100000] [--entries 1000000] [--datasets 200]
[--copies 0] [--members 9]`: a throw-away PostgreSQL with two tenants, asked as the application's
role, row-level security and all. Copies are datasets that nobody asks, members are analysts. The
aims: at most 12 SQL queries, 100 ms for 95 of 100 requests, 300 KB. With `--paint 40` the slowest
40 pages are also opened in a browser, each as the role for which it is slowest: something is to be
seen within a second, and layout shifts are to stay at or below 0.05.
"""

import argparse
import gc
import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.rig import Installation, as_application, installation, set_up_django

_QUERIES, _MS, _KB = 12, 100, 300
# Other filters, sorts and places of the long lists, by the roles that use them.
_FURTHER = (
    *[("dashboards:history", "owner", f"?sort={name}") for name in ("cost_nano", "analyst")],
    ("dashboards:history", "analyst", "?statistic=mean"),
    ("dashboards:history", "owner", "?state=failed"),
    ("dashboards:history", "officer", "?page=20"),
    ("dashboards:history", "officer", "?since=2020-01-01&until=2024-01-01"),
    ("oversight:audit_log", "officer", "?before=500000"),
    *[
        ("oversight:audit_log", "officer", f"?q={text}")
        for text in (
            "actor:worker",
            "actor:officer@harbour.example.org",
            "actor:nobody@example.org",
            "action:POLICY_CHANGED",
            "action:QUERY_SUBMITTED actor:analyst@harbour.example.org",
            "action:QUERY_VOIDED dataset:harbour-150",
            "action:DATASETS_FROZEN",
            "dataset:harbour-150",
            "dataset:harbour-0 actor:officer@harbour.example.org",
            "since:2026-01-01 actor:admin@harbour.example.org",
            "ε:>0.4",
            "ε:>0.9",
            "ε:0.0005 dataset:harbour-7",
        )
    ],
    ("oversight:month", "officer", "?month={earlier}"),
    ("datasets:find", "analyst", "?q=harbour+age"),
    ("datasets:find", "analyst", "?q=nothing+here"),
    ("notices:list", "officer", "?page=5"),
    *[("dashboards:search", role, "?q=harbour+budget") for role in ("owner", "analyst")],
    ("dashboards:search", "officer", "?q=colleague"),
    ("dashboards:suggest", "owner", "?of=datasets&q=harbour"),
    ("dashboards:suggest", "owner", "?of=holders&q=colleague"),
    ("dashboards:portfolio", "owner", "?page=300"),
    ("people:members", "admin", "?page=15"),
    ("people:members", "admin", "?q=colleague-7"),
)


@dataclass(frozen=True, slots=True)
class Measured:
    """One page as one role opens it. Times in milliseconds; `processor` is this process's own."""

    name: str
    role: str
    url: str
    queries: int
    p50: float
    p95: float
    processor: float
    size: float
    is_page: bool = True

    @property
    def falls_short(self) -> bool:
        """Whether one of the aims is missed."""
        return self.queries > _QUERIES or self.p95 > _MS or self.size > _KB


def main() -> None:
    """Fill, measure and print the table, the slowest first."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    for name, default in (
        *(("rounds", 30), ("datasets", 200), ("questions", 100_000), ("entries", 1_000_000)),
        *(("paint", 0), ("copies", 0), ("members", 9)),
    ):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--only", default="", help="what the names begin with")
    options = parser.parse_args()
    with installation(durable=False) as made:
        set_up_django()
        guests = prepare(made, options)
        as_application()
        measured = measure_all(guests, options.rounds, options.only)
        print_table(measured)
        if options.paint:
            from bench.paint import paint

            paint(
                made,
                guests,
                [one for one in slowest(measured).values() if one.is_page][: options.paint],
            )


def prepare(made: Installation, options: Any) -> Any:
    """Two tenants; the first is the busy one."""
    from bench.busy import fill_questions
    from bench.busy_datasets import fill_datasets
    from bench.busy_desks import fill_desks
    from bench.busy_log import fill_log
    from bench.cast import make_cast
    from bench.seed import as_admin
    from bench.visits import invite

    started = time.perf_counter()
    cast = make_cast("harbour", datasets=options.datasets, colleagues=options.members)
    make_cast("elsewhere", datasets=3)
    guests = invite(cast)
    fill_desks(cast)
    guests.things["allocation_id"] = _grant_of(cast)
    with as_admin(made.owner_url) as admin:
        admin.execute("SET session_replication_role = replica")
        fill_datasets(admin, cast, options.copies)
        asked = fill_questions(admin, cast, options.questions)
        fill_log(admin, cast, asked, options.entries)
        admin.execute("VACUUM ANALYZE")
    _sign(cast)
    print(f"filled in {time.perf_counter() - started:.0f} s", file=sys.stderr)
    return guests


def _grant_of(cast: Any) -> Any:
    """Where the example's address is one of the first dataset."""
    from dpgov.budgets.models import Allocation

    first = Allocation.objects.filter(dataset_budget=cast.datasets[0].budget)
    return first.values_list("pk", flat=True)[0]


def _sign(cast: Any) -> None:
    """As the sweeper would have done; the log is read whole, with its hashes."""
    from dpgov.audit.checkpoints.signing import make_checkpoint
    from dpgov.queries.answering.tally import tally_round

    make_checkpoint(tenant_id=cast.tenant.pk)
    tally_round()


def measure_all(guests: Any, rounds: int, only: str) -> list[Measured]:
    """Every page as every role that may open it, the slowest first."""
    chosen = [one for one in pages(guests) if one[0].startswith(only)]
    for _name, role, url in chosen:
        _visit(guests.browsers[role], url, role)
    # As a web process does once it has answered its first requests (`configuration.serving`).
    gc.collect()
    gc.freeze()
    found = [measure(guests.browsers[role], name, role, url, rounds) for name, role, url in chosen]
    return sorted(found, key=lambda one: -one.p95)


def pages(guests: Any) -> Iterator[tuple[str, str, str]]:
    """(name, role, address) of each."""
    from django.urls import reverse
    from django.utils import timezone

    from bench.visits import addresses
    from tests.integration.access.routes import ROLES, Kind

    things = {**guests.things, "period": "week"}
    for one in addresses(things, ROLES):
        if one.kind is Kind.PAGE:
            yield one.name, one.role, one.url
    earlier = timezone.now().replace(day=1) - timedelta(days=1)
    for name, role, query in _FURTHER:
        query = query.replace("{earlier}", f"{earlier:%Y-%m}")
        yield f"{name} {query}", role, reverse(name) + query


def measure(browser: Any, name: str, role: str, url: str, rounds: int) -> Measured:
    """One page, so many times."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as captured:
        size, is_page = _visit(browser, url, role)
        queries = len(captured)
    times, processor = [], []
    for _ in range(rounds):
        start, begun = time.perf_counter(), time.process_time()
        _visit(browser, url, role)
        times.append((time.perf_counter() - start) * 1000)
        processor.append((time.process_time() - begun) * 1000)
    p95 = statistics.quantiles(times, n=20, method="inclusive")[-1] if rounds > 1 else times[0]
    return Measured(
        *(name, role, url, queries, statistics.median(times), p95),
        *(statistics.median(processor), size / 1024, is_page),
    )


def _visit(browser: Any, url: str, role: str) -> tuple[int, bool]:
    """How many bytes came, and whether they are a page."""
    response = browser.get(url)
    if response.status_code not in (200, 302):
        raise RuntimeError(f"{url} answered {response.status_code} to the {role}")
    body = b"".join(response) if response.streaming else response.content
    return len(body), response.headers.get("Content-Type", "").startswith("text/html")


def slowest(measured: list[Measured]) -> dict[str, Measured]:
    """Each page once, as the role for which it is slowest; the slowest page first."""
    found: dict[str, Measured] = {}
    for one in measured:
        found.setdefault(one.name, one)
    return found


def print_table(measured: list[Measured]) -> None:
    """Each page once, as the role for which it is slowest."""
    print("| page | as | SQL queries | p50 | p95 | of it processor | KB |")
    print("|---|---|---|---|---|---|---|")
    for one in slowest(measured).values():
        mark = " **falls short**" if one.falls_short else ""
        times = f"{one.p50:.0f} ms | {one.p95:.0f} ms | {one.processor:.0f} ms"
        print(f"| {one.name}{mark} | {one.role} | {one.queries} | {times} | {one.size:.0f} |")
    most = max(measured, key=lambda one: one.queries)
    print(f"\n{len(measured)} pages and roles; most SQL queries: {most.queries} ({most.name})")


if __name__ == "__main__":
    main()
