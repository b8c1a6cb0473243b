"""A long history by SQL: so many questions answered, charged and logged on one dataset.

The rows are what the services would have written, the audit entries with their true hashes; only
the triggers and foreign keys are not asked for each row.
"""

import json
from datetime import timedelta
from urllib.parse import urlsplit, urlunsplit

import psycopg

from bench.cast import COST_NANO, Cast
from bench.plans import plan_of
from dpgov.audit.entry import fragments
from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import current_version
from dpgov.queries.kinds import kind_of

_BETWEEN = timedelta(seconds=30)
_MOMENTS = """
    SELECT n, md5('question ' || n)::uuid AS id,
           date_trunc('second', now()) - interval '1 hour' - (%(rows)s - n) * %(between)s AS at
    FROM generate_series(1, %(rows)s) n
"""
_QUERIES = """
INSERT INTO queries_query (id, tenant_id, dataset_id, version_id, analyst_id, plan, kind,
    cost_nano, canonical_sha256, reuse, sources, idempotency_key, body_hash, state, attempts, fence,
    opened_at, submitted_at, ended_at, visible_at, counted, heavy, turn, sends, request_id,
    by_owner)
SELECT id, %(tenant)s, %(dataset)s, %(version)s, (%(analysts)s::uuid[])[1 + n %% %(people)s],
    (%(plans)s::jsonb[])[1 + n %% 3], (%(kinds)s::text[])[1 + n %% 3],
    %(cost)s, encode(sha256(id::text::bytea), 'hex'), false, '[]', 'seed ' || n, repeat('0', 64),
    'released', 1, 1,
    at, at, at + interval '100 ms', at + interval '500 ms', true,
    false, 0, 0, '', false
FROM moments
"""
_TALLIES = """
INSERT INTO queries_tally (tenant_id, dataset_id, analyst_id, kind, nano)
SELECT tenant_id, dataset_id, analyst_id, kind, sum(cost_nano) FROM queries_query
WHERE counted GROUP BY 1, 2, 3, 4
"""
_DAYS = """
INSERT INTO queries_daytally (tenant_id, dataset_id, day, nano)
SELECT tenant_id, dataset_id, (submitted_at AT TIME ZONE 'UTC')::date, sum(cost_nano)
FROM queries_query WHERE counted GROUP BY 1, 2, 3
"""
_HOLDS = """
INSERT INTO budgets_reservation
    (tenant_id, budget_id, query_id, amount_nano, factor, state, created_at, ended_at, counted_on)
SELECT %(tenant)s, %(budget)s, id, %(cost)s, 1, 'settled', at, at + interval '100 ms',
    (at AT TIME ZONE 'UTC')::date
FROM moments
"""
_CHARGES = """
INSERT INTO budgets_charge
    (tenant_id, budget_id, query_id, amount_nano, spent_after_nano, created_at)
SELECT %(tenant)s, %(budget)s, id, %(cost)s, %(spent)s + n * %(cost)s::bigint,
    at + interval '100 ms'
FROM moments
"""
_RELEASES = """
INSERT INTO queries_release (query_id, tenant_id, body, sha256, created_at)
SELECT id, %(tenant)s, %(body)s, encode(sha256(%(body)s::bytea), 'hex'), at FROM moments
"""
_ENTRIES = """
INSERT INTO audit_auditentry (tenant_id, sequence, at, actor_kind, actor_id, actor_label, action,
    subject, dataset, detail, leaf_hash)
SELECT %(tenant)s, %(first)s + n, visible, 'system', 'worker', 'worker', 'QUERY_RELEASED',
    'query:' || id, %(slug)s, %(detail)s, sha256('\\x00'::bytea || convert_to(
        %(before_at)s || to_char(visible AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US')
        || '+00:00' || %(before_sequence)s || (%(first)s + n)
        || replace(%(rest)s, 'query:', 'query:' || id), 'UTF8'))
FROM (SELECT n, id, at + interval '500 ms' AS visible FROM moments) entries
"""
_COUNTERS = (
    "UPDATE budgets_budget SET spent_nano = %(spent)s + %(rows)s * %(cost)s::bigint"
    " WHERE id = %(budget)s",
    "UPDATE audit_audithead SET sequence = %(first)s + %(rows)s WHERE tenant_id = %(tenant)s",
)
_BODY = '{"answers":[{"scale":"20000","statistic":"count","value":117}],"format":1}'


def as_admin(url: str) -> psycopg.Connection:
    """A superuser's connection to this database of a throw-away server."""
    parts = urlsplit(url)
    place = "admin:" + parts.netloc.split(":", 1)[1]
    return psycopg.connect(urlunsplit(("postgresql", place, parts.path, "", "")), autocommit=True)


def seed(connection: psycopg.Connection, cast: Cast, dataset: Dataset, rows: int) -> None:
    """So many questions on the dataset, the newest an hour old; by every analyst in turn."""
    values = _values(connection, cast, dataset, rows)
    connection.execute("SET session_replication_role = replica")
    connection.execute(
        psycopg.ClientCursor(connection).mogrify(
            f"CREATE TEMPORARY TABLE moments AS {_MOMENTS}", values
        )
    )
    cursor = psycopg.ClientCursor(connection)
    for statement in (_QUERIES, _TALLIES, _DAYS, _HOLDS, _CHARGES, _RELEASES, _ENTRIES, *_COUNTERS):
        cursor.execute(statement, values)
    connection.execute("DROP TABLE moments")
    connection.execute("SET session_replication_role = origin")
    connection.execute("VACUUM ANALYZE")


def _values(
    connection: psycopg.Connection, cast: Cast, dataset: Dataset, rows: int
) -> dict[str, object]:
    tenant = cast.tenant.pk
    found = connection.execute(
        "SELECT sequence FROM audit_audithead WHERE tenant_id = %s", [tenant]
    ).fetchone()
    detail = json.dumps({"epsilon": "0.0001", "release_sha256": "0" * 64}, separators=(",", ":"))
    parts = fragments(
        {
            "tenant_id": tenant,
            "actor_kind": "system",
            "actor_id": "worker",
            "actor_label": "worker",
            "action": "QUERY_RELEASED",
            "subject": "query:",
            "dataset": dataset.slug,
            "detail": detail,
        }
    )
    analysts = [cast.analyst.user_id, *(member.user_id for member in cast.colleagues)]
    plans = [plan_of(dataset.slug, kind) for kind in range(3)]
    return {
        "rows": rows,
        "between": _BETWEEN,
        "tenant": tenant,
        "dataset": dataset.pk,
        "version": current_version(dataset).pk,
        "budget": dataset.budget_id,
        "analysts": analysts,
        "people": len(analysts),
        "plans": [json.dumps(plan) for plan in plans],
        "kinds": [kind_of(plan) for plan in plans],
        "cost": COST_NANO,
        "body": _BODY,
        "slug": dataset.slug,
        "detail": detail,
        "spent": _spent(connection, dataset),
        "first": found[0] if found else 0,
        "before_at": parts.before_at,
        "before_sequence": parts.before_sequence,
        "rest": parts.rest,
    }


def _spent(connection: psycopg.Connection, dataset: Dataset) -> int:
    found = connection.execute(
        "SELECT spent_nano FROM budgets_budget WHERE id = %s", [dataset.budget_id]
    ).fetchone()
    return int(found[0]) if found else 0
