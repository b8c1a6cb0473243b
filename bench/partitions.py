"""A year of the log in one table, as it is, beside the same in partitions by month.

`uv run bench/partitions.py [--entries 300000] [--rounds 21]`: a throw-away PostgreSQL and two
copies of one organisation's log with the indexes that the product has. The second has a partition
for each month, and the moment in its unique key, as PostgreSQL wants it. Each statement is asked of
both in turn, unprepared as Django asks, and its ratio is the median of theirs. At the end the
first whole month leaves: the one table by DELETE and VACUUM, the other by DETACH. What it shows is
weighed in decision 51.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Iterator
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import psycopg

from bench.rig import installation, set_up_django

_LOG = "audit_auditentry"
_ONE, _MONTHS = "log_in_one", "log_by_month"
_ASKED_FOR = f"""
SELECT min(at), max(at), max(sequence) / 2, min(tenant_id::text), max(dataset) FROM {_LOG}
"""
# The unique key is what differs.
_INDEXES = """
SELECT indexname, indexdef FROM pg_indexes
WHERE tablename = %s AND indexname NOT IN ('audit_entry_sequence', 'audit_auditentry_pkey')
"""
_COLUMNS = """
    tenant_id, sequence, at, actor_kind, actor_id, actor_label, action, subject, dataset, detail,
    leaf_hash
"""
_APPEND = f"""
INSERT INTO {{table}} ({_COLUMNS}) SELECT tenant_id, nextval('added'), at, actor_kind, actor_id,
    actor_label, action, subject, dataset, detail, leaf_hash FROM newest
"""
_NEWEST = "SELECT * FROM {table} WHERE tenant_id = %(tenant)s"
_IN_ORDER = " ORDER BY sequence DESC LIMIT 50"
_READS = {
    "an entry by its number": _NEWEST + " AND sequence = %(middle)s",
    "256 hashes, for a proof": (
        "SELECT leaf_hash FROM {table} WHERE tenant_id = %(tenant)s"
        " AND sequence BETWEEN %(middle)s AND %(middle)s + 255 ORDER BY sequence"
    ),
    "the newest 50": _NEWEST + _IN_ORDER,
    "the newest 50 of a dataset": _NEWEST + " AND dataset = %(dataset)s" + _IN_ORDER,
    "50 from the middle on": _NEWEST + " AND sequence < %(middle)s" + _IN_ORDER,
    "how many in the first whole month": (
        "SELECT count(*) FROM {table} WHERE tenant_id = %(tenant)s"
        " AND at >= %(start)s AND at < %(end)s"
    ),
}


def main() -> None:
    """Fill both, ask both, take a month out of both."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--entries", type=int, default=300_000)
    parser.add_argument("--rounds", type=int, default=21)
    options = parser.parse_args()
    with installation(durable=False) as made:
        set_up_django()
        from bench.archive import filled
        from bench.seed import as_admin

        filled(made, options.entries // 3, options.entries)
        with as_admin(made.owner_url) as admin:
            admin.prepare_threshold = None
            values, months = _copied(admin)
            print(f"\n{options.entries:,} entries, {months} months\n")
            print("| | one table | by month | ratio |\n|---|---|---|---|")
            for name, words in {"an entry appended": _APPEND, **_READS}.items():
                _print_row(admin, name, words, values, options.rounds)
            _print_leaving(admin, values)


def _copied(admin: psycopg.Connection) -> tuple[dict[str, Any], int]:
    """Both copies; what the statements ask for, and how many months there are."""
    oldest, newest, middle, tenant, dataset = _found(admin, _ASKED_FOR)
    starts = [*_months(oldest, newest)]
    like = f"(LIKE {_LOG} INCLUDING GENERATED)"
    admin.execute(f"CREATE TABLE {_ONE} {like}")
    admin.execute(f"CREATE TABLE {_MONTHS} {like} PARTITION BY RANGE (at)")
    for number, (start, end) in enumerate(pairwise(starts)):
        admin.execute(
            f"CREATE TABLE {_MONTHS}_{number} PARTITION OF {_MONTHS}"
            f" FOR VALUES FROM ('{start}') TO ('{end}')"
        )
    _fill(admin, _ONE, "tenant_id, sequence")
    _fill(admin, _MONTHS, "tenant_id, sequence, at")
    admin.execute("CREATE TEMPORARY SEQUENCE added START 1000000000")
    admin.execute(f"CREATE TEMPORARY TABLE newest AS SELECT * FROM {_LOG} ORDER BY at DESC LIMIT 1")
    values = {
        "tenant": tenant,
        "middle": middle,
        "dataset": dataset,
        "start": starts[1],
        "end": starts[2],
    }
    return values, len(starts) - 1


def _months(oldest: datetime, newest: datetime) -> Iterator[datetime]:
    """The first moment of each month, and of the one after the last."""
    start = oldest.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    while start <= newest:
        yield start
        start = _month_after(start)
    yield start


def _month_after(start: datetime) -> datetime:
    return start.replace(year=start.year + start.month // 12, month=start.month % 12 + 1)


def _fill(admin: psycopg.Connection, table: str, key: str) -> None:
    admin.execute(f"ALTER TABLE {table} ALTER id DROP NOT NULL")
    admin.execute(f"INSERT INTO {table} ({_COLUMNS}) SELECT {_COLUMNS} FROM {_LOG} ORDER BY id")
    admin.execute(f"CREATE UNIQUE INDEX ON {table} ({key})")
    for name, index in admin.execute(_INDEXES, [_LOG]).fetchall():
        admin.execute(index.replace(f" {name} ", " ").replace(f"public.{_LOG}", table))
    admin.execute(f"VACUUM (ANALYZE) {table}")


def _print_row(
    admin: psycopg.Connection, name: str, words: str, values: dict[str, Any], rounds: int
) -> None:
    """Medians of the rounds, and the median of their ratios; the first round warms."""
    asked = [words.format(table=table) for table in (_ONE, _MONTHS)]
    pairs = [[_seconds(admin, each, values) for each in asked] for _ in range(rounds + 1)][1:]
    one, months = (1000 * statistics.median(column) for column in zip(*pairs, strict=True))
    ratio = statistics.median(slow / fast for fast, slow in pairs)
    print(f"| {name} | {one:.2f} ms | {months:.2f} ms | {ratio:.1f} |", flush=True)


def _print_leaving(admin: psycopg.Connection, values: dict[str, Any]) -> None:
    """How long the first whole month takes to leave, and what the disk has back then."""
    leaving = {
        _ONE: (
            f"DELETE FROM {_ONE} WHERE at >= %(start)s AND at < %(end)s",
            f"VACUUM (ANALYZE) {_ONE}",
        ),
        _MONTHS: (
            f"ALTER TABLE {_MONTHS} DETACH PARTITION {_MONTHS}_1 CONCURRENTLY",
            f"DROP TABLE {_MONTHS}_1",
        ),
    }
    took, back = [], []
    for table, statements in leaving.items():
        before = _megabytes(admin, table)
        took.append(sum(_seconds(admin, each, values) for each in statements))
        back.append(f"{before - _megabytes(admin, table):.0f} of {before:.0f} MB")
    print(f"| the first whole month leaves | {took[0]:.1f} s | {took[1]:.2f} s | |")
    print(f"| which the disk has back | {' | '.join(back)} | |")


def _megabytes(admin: psycopg.Connection, table: str) -> float:
    size = "SELECT sum(pg_total_relation_size(relid)) FROM pg_partition_tree(%s)"
    whole = "SELECT pg_total_relation_size(%s::regclass)"
    return float(_found(admin, size if table == _MONTHS else whole, table)[0]) / 1e6


def _seconds(admin: psycopg.Connection, words: str, values: dict[str, Any]) -> float:
    start = time.perf_counter()
    admin.execute(words, values if "%(" in words else None)
    return time.perf_counter() - start


def _found(admin: psycopg.Connection, words: str, *values: object) -> tuple[Any, ...]:
    row = admin.execute(words, values or None).fetchone()
    if row is None:
        raise SystemExit("nothing was found")
    return tuple(row)


if __name__ == "__main__":
    main()
