"""Measures the journey of a question on the embedded default, and prints tables for the docs.

`uv run bench/journey.py [--rows 1000000] [--questions 100] [--at-once 200]`: invents a table,
registers it through the services, starts a real worker, asks and waits as a browser does; then
times the engine against plain DuckDB over the original Parquet file, in pairs within the same run.
"""

import argparse
import atexit
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

ROOT = Path(__file__).resolve().parent.parent
HOME = Path(tempfile.mkdtemp(prefix="dpgov-bench-"))
atexit.register(shutil.rmtree, HOME, ignore_errors=True)
os.environ |= {
    "DPGOV_HOME": str(HOME),
    "DPGOV_HTTPS": "0",
    "DJANGO_SETTINGS_MODULE": "dpgov.settings",
}
sys.path.insert(0, str(ROOT))

import django  # noqa: E402

django.setup()

import duckdb  # noqa: E402
from django.core.management import call_command  # noqa: E402

from dpgov.datasets.declaration import Declaration  # noqa: E402
from dpgov.datasets.models import Dataset  # noqa: E402
from dpgov.datasets.selectors import current_version, schema_of  # noqa: E402
from dpgov.datasets.services import engine_for, receive_upload, register_dataset  # noqa: E402
from dpgov.privacy.accounting.decimals import NANO  # noqa: E402
from dpgov.privacy.answer.blueprint import prepare  # noqa: E402
from dpgov.privacy.plan.domains import category_domain, column_spec, numeric_domain  # noqa: E402
from dpgov.privacy.plan.parsing.plans import parse_plan  # noqa: E402
from dpgov.privacy.plan.schema import DatasetSchema, MissingRule, Neighbouring, PrivacyUnit  # noqa: E402
from dpgov.queries.answering.publisher import Publisher  # noqa: E402
from dpgov.queries.asking.submit import submit  # noqa: E402
from dpgov.queries.models import Query  # noqa: E402
from dpgov.queries.selectors import PublicState, public_state  # noqa: E402
from dpgov.tenants.models import Membership, Role, Tenant, User  # noqa: E402

AGE_EDGES = list(range(0, 101, 10))
STATISTICS: dict[str, tuple[dict[str, Any], str]] = {
    "count (hours >= 40)": (
        {
            "statistics": [{"statistic": "count"}],
            "where": [{"column": "hours", "op": ">=", "value": 40}],
        },
        "SELECT count(*) FROM t WHERE hours >= 40",
    ),
    "sum of hours": (
        {"statistics": [{"statistic": "sum", "column": "hours"}]},
        "SELECT sum(greatest(least(hours, 80), 0)) FROM t",
    ),
    "mean of age": (
        {"statistics": [{"statistic": "mean", "column": "age"}]},
        "SELECT sum(greatest(least(age, 100), 0)), count(age) FROM t",
    ),
    "histogram of age": (
        {
            "statistics": [{"statistic": "count"}],
            "group_by": [{"column": "age", "edges": AGE_EDGES}],
        },
        "SELECT CASE WHEN age >= 0 AND age <= 100 THEN least(age // 10, 9) ELSE 10 END AS bin, "
        "count(*) FROM t GROUP BY bin",
    ),
}


def main() -> None:
    """Run everything and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--at-once", type=int, default=200)
    parser.add_argument("--pairs", type=int, default=31)
    options = parser.parse_args()
    call_command("migrate", verbosity=0, interactive=False)
    source = invent(options.rows)
    dataset, analyst = register(source, options.rows)
    print(f"\n{options.rows:,} rows, SQLite, filesystem broker, one worker\n")
    publisher = Publisher()
    publisher.start()
    with worker() as pool:
        print_journey(dataset, analyst, (options.questions, options.at_once), pool)
    publisher.stop()
    print_engine(dataset, source, options.pairs)


def invent(rows: int) -> Path:
    """The original file, as an owner would have it: generated, the same at every run."""
    path = HOME / "original.parquet"
    duckdb.sql(f"""
        COPY (SELECT CAST(16 + hash(i) % 75 AS BIGINT) AS age,
                     CAST(hash(i * 7) % 81 AS BIGINT) AS hours,
                     CASE hash(i * 3) % 2 WHEN 0 THEN 'Female' ELSE 'Male' END AS sex,
                     'person ' || i AS name
              FROM range({rows}) r(i)) TO '{path}' (FORMAT parquet)
    """)
    return path


def register(source: Path, rows: int) -> tuple[Dataset, Membership]:
    """The dataset, through the services, with a budget that no benchmark uses up."""
    tenant = Tenant.objects.create(slug="bench", name="Bench")
    people = {}
    for role in (Role.OWNER, Role.ANALYST):
        user = User.objects.create_user(f"{role}@example.org")
        people[role] = Membership.objects.create(tenant=tenant, user=user, role=role)
    owner = people[Role.OWNER].user
    columns = (
        column_spec("age", numeric_domain("0", "100", "1"), MissingRule.DROP, ""),
        column_spec("hours", numeric_domain("0", "80", "1"), MissingRule.DROP, ""),
        column_spec("sex", category_domain(["Female", "Male"]), MissingRule.DROP, ""),
    )
    schema = DatasetSchema(columns, PrivacyUnit(), Neighbouring.ADD_REMOVE, 1, 2 * rows)
    declaration = Declaration("People", "Invented people.", schema, 1000 * NANO, NANO)
    start = time.perf_counter()
    with source.open("rb") as file:
        chunks = iter(lambda: file.read(1 << 20), b"")
        upload = receive_upload(tenant=tenant, uploader=owner, name="people.parquet", chunks=chunks)
    dataset = register_dataset(
        tenant=tenant, owner=owner, upload=upload, declaration=declaration
    ).dataset
    print(f"upload and registration: {time.perf_counter() - start:.1f} s")
    return dataset, people[Role.ANALYST]


@contextmanager
def worker() -> Iterator[subprocess.Popen[bytes]]:
    """A real worker, as the demonstration starts it."""
    command = [sys.executable, "-m", "celery", "-A", "dpgov", "worker", "--concurrency", "1"]
    log = HOME / "worker.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*command, "--loglevel", "INFO", "--without-gossip", "--without-mingle"],
            cwd=ROOT,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    try:
        while b" ready." not in log.read_bytes():
            time.sleep(0.05)
        yield process
    finally:
        process.terminate()
        process.wait()


def print_journey(
    dataset: Dataset,
    analyst: Membership,
    numbers: tuple[int, int],
    pool: subprocess.Popen[bytes],
) -> None:
    """Latency of one question at a time, then the rate of many at once: so many of each."""
    questions, at_once = numbers
    for _ in range(5):
        ask_and_wait(dataset, analyst)
    waits = [ask_and_wait(dataset, analyst) for _ in range(questions)]
    print("| from submit to | p50 | p95 |\n|---|---|---|")
    for name, column in (("sealed answer", 0), ("visible answer", 1)):
        seconds = sorted(wait[column] for wait in waits)
        p95 = seconds[int(0.95 * len(seconds))]
        print(f"| {name} | {statistics.median(seconds) * 1000:.0f} ms | {p95 * 1000:.0f} ms |")
    print(f"\nanswers per second with one worker: {rate(dataset, analyst, at_once, pool):.0f}\n")


def ask(dataset: Dataset, analyst: Membership) -> Query:
    """Submit a mean with a small ε."""
    plan = {
        "dataset": dataset.slug,
        "statistics": [{"statistic": "mean", "column": "age"}],
        "where": [],
        "group_by": [],
        "epsilon": 0.1,
    }
    key = str(uuid4())
    return submit(membership=analyst, dataset=dataset, raw_plan=plan, idempotency_key=key).query


def ask_and_wait(dataset: Dataset, analyst: Membership) -> tuple[float, float]:
    """Seconds from before submit to the sealed answer, and to the one that a person may see."""
    start = time.perf_counter()
    query = ask(dataset, analyst)
    stored = _wait(query, start, lambda: query.state != Query.State.QUEUED and bool(query.due_at))
    visible = _wait(query, start, lambda: public_state(query) is PublicState.RELEASED)
    return stored, visible


def _wait(query: Query, start: float, there: Callable[[], bool]) -> float:
    while True:
        query.refresh_from_db(fields=["state", "due_at"])
        if there():
            return time.perf_counter() - start
        time.sleep(0.001)


def rate(
    dataset: Dataset, analyst: Membership, questions: int, pool: subprocess.Popen[bytes]
) -> float:
    """Questions wait while the worker is held; then how many it answers in a second."""
    os.killpg(pool.pid, signal.SIGSTOP)
    waiting = [ask(dataset, analyst).pk for _ in range(questions)]
    os.killpg(pool.pid, signal.SIGCONT)
    start = time.perf_counter()
    while Query.objects.filter(pk__in=waiting, due_at=None).exists():
        time.sleep(0.01)
    return questions / (time.perf_counter() - start)


def print_engine(dataset: Dataset, source: Path, pairs: int) -> None:
    """The engine's scan against the same aggregate over the original file, pair by pair."""
    version = current_version(dataset)
    engine, schema = engine_for(version), schema_of(version)
    plain = duckdb.connect(config={"threads": 2})
    plain.execute(f"CREATE VIEW t AS SELECT * FROM '{source}'")
    print("| statistic | engine | plain DuckDB on Parquet | ratio |\n|---|---|---|---|")
    for name, (question, sql) in STATISTICS.items():
        raw = {"dataset": dataset.slug, "where": [], "group_by": [], "epsilon": 0.1} | question
        request = prepare(parse_plan(raw, schema, dataset=dataset.slug), schema).requests[0]
        timed = [
            (_seconds(engine.answer, request), _seconds(_fetch, plain, sql)) for _ in range(pairs)
        ][1:]
        ours, theirs = (statistics.median(column) for column in zip(*timed, strict=True))
        ratio = statistics.median(a / b for a, b in timed)
        print(f"| {name} | {ours * 1000:.2f} ms | {theirs * 1000:.2f} ms | {ratio:.2f} |")


def _fetch(connection: duckdb.DuckDBPyConnection, sql: str) -> object:
    return connection.execute(sql).fetchall()


def _seconds(work: Callable[..., object], *arguments: object) -> float:
    start = time.perf_counter()
    work(*arguments)
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
