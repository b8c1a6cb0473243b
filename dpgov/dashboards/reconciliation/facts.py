"""What the log says happened, as tables that live for one reconciliation.

Read once from the entries of one tenant; everything else is then compared set by set, so that a
million entries take seconds.
"""

from collections.abc import Iterator
from uuid import UUID

from django.db.backends.utils import CursorWrapper

from dpgov.dashboards.reconciliation.dialect import Dialect
from dpgov.dashboards.reconciliation.facts_rare import booked, moved

_INDEXED = {
    "asked": "query",
    "line": "query, budget",
    "ended": "query",
    "moved": "budget",
    "booked": "budget",
    "decided": "request",
    "registered": "name",
}


def gather(cursor: CursorWrapper, say: Dialect, tenant_id: UUID) -> list[str]:
    """Make the tables `said_…` from the log of this tenant; returns their names."""
    entries = f"audit_auditentry e {{join}} WHERE e.tenant_id = '{say.key(tenant_id)}'"
    for table, statement in _statements(say, entries):
        cursor.execute(f"CREATE TEMPORARY TABLE said_{table} AS {statement}")
    cursor.execute(_lines_of_old_entries(say))
    for table, columns in _INDEXED.items():
        cursor.execute(f"CREATE INDEX said_{table}_key ON said_{table} ({columns})")
        if say.analyze:
            cursor.execute(say.analyze.format(table=f"said_{table}"))
    return [f"said_{table}" for table in _INDEXED]


def _statements(say: Dialect, entries: str) -> Iterator[tuple[str, str]]:
    plain, each_line = entries.format(join=""), entries.format(join=say.each("e.detail", "lines"))
    query = "replace(substr(e.subject, 7), '-', '') AS query"
    asked = "e.action = 'QUERY_SUBMITTED'"

    def facts(columns: str, source: str, where: str) -> str:
        return f"SELECT {columns} FROM {source} AND {where}"

    epsilon = say.nano(say.get("e.detail", "epsilon"))
    has_lines = "e.detail LIKE '%\"lines\":[%' AS has_lines"
    yield "asked", facts(f"{query}, {epsilon} AS nano, {has_lines}", plain, asked)
    line = f"{say.undashed(say.item('budget'))} AS budget, {say.nano(say.item('epsilon'))} AS nano"
    yield "line", facts(f"{query}, {line}", each_line, asked)
    yield (
        "ended",
        facts(
            f"{query}, e.action, {say.get('e.detail', 'release_sha256')} AS sha256,"
            f" {say.get('e.detail', 'never_read')} AS never_read,"
            " e.action IN ('QUERY_RELEASED', 'QUERY_FAILED') AS charged",
            plain,
            "e.action IN ('QUERY_RELEASED', 'QUERY_FAILED', 'QUERY_VOIDED', 'QUERY_EXPIRED')",
        ),
    )
    yield "moved", " UNION ALL ".join(moved(say, entries))
    yield "booked", " UNION ALL ".join(booked(say, entries))
    request = say.undashed(say.get("e.detail", "request"))
    yield (
        "decided",
        facts(f"{request} AS request, e.action", plain, "substr(e.action, 1, 7) = 'CHANGE_'"),
    )
    limit = say.nano(say.get("e.detail", "limit_epsilon"))
    yield (
        "registered",
        facts(
            f"DISTINCT e.dataset AS name, {limit} AS nano",
            plain,
            "e.action = 'DATASET_REGISTERED'",
        ),
    )


def _lines_of_old_entries(say: Dialect) -> str:
    """Entries from before there were several limits: all of it on the dataset's budget."""
    return (
        f"INSERT INTO said_line SELECT a.query, {say.hexed('d.budget_id')}, a.nano"
        f" FROM said_asked a JOIN queries_query q ON {say.hexed('q.id')} = a.query"
        " JOIN datasets_dataset d ON d.id = q.dataset_id"
        " WHERE NOT a.has_lines AND a.nano IS NOT NULL"
    )
