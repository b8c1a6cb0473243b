"""What the log says happened, as tables that live for one reconciliation.

Read once from the entries of one tenant; everything else is then compared set by set, so that a
million entries take seconds.
"""

import json
from collections.abc import Iterator
from itertools import islice
from uuid import UUID

from django.db.backends.utils import CursorWrapper

from dpgov.audit.actions import OPENING_A_BUDGET
from dpgov.audit.archive.reading import archived_lines, archived_to
from dpgov.audit.bounded import CUT
from dpgov.oversight.reconciliation.dialect import ReconciliationSql, amount_of, amount_of_item
from dpgov.oversight.reconciliation.facts_rare import booked, moved

_KEYS = {
    "cut": "query",
    "asked": "query",
    "line": "query, budget",
    "ended": "query",
    "rare": "action",
    "cut_rare": "subject",
    "moved": "budget",
    "booked": "budget",
    "decided": "request",
    "looked": "dataset",
    "registered": "name",
}
# A reuse is asked for and answered by one entry.
_REUSED = "QUERY_REUSED"
# What a question costs is what was asked for, and what its doublings added.
_EXTENDED = "QUERY_EXTENDED"
# As text, so that few details are parsed for it; in no text of a detail is the quote not escaped.
_WAS_CUT = f"detail LIKE '%\"{CUT}\":%'"
_AT_ONCE = 5_000
_INSERT = "INSERT INTO said_archived VALUES (%s, %s, %s, %s, %s)"
_ENDINGS = ("QUERY_RELEASED", "QUERY_FAILED", "QUERY_VOIDED", "QUERY_EXPIRED", _REUSED)


def gather(cursor: CursorWrapper, say: ReconciliationSql, tenant_id: UUID) -> list[str]:
    """Make the tables `said_…` from the log of this tenant; returns their names.

    Raises ArchiveAway, BrokenArchive where the log needs a file that is not there.
    """
    made = [_archived(cursor, say, tenant_id)]
    for table, statement in _statements(say, say.key(tenant_id)):
        cursor.execute(f"CREATE TEMPORARY TABLE said_{table} AS {statement}")
        say.finish(cursor, f"said_{table}", _KEYS[table])
        made.append(f"said_{table}")
    return made


def _statements(say: ReconciliationSql, tenant: str) -> Iterator[tuple[str, str]]:
    """In this order: each may build on those before it."""
    yield from _of_questions(say, tenant)
    questions = ("QUERY_SUBMITTED", _EXTENDED, *_ENDINGS)
    others = "action NOT IN ({})".format(", ".join(map(repr, questions)))
    yield "rare", f"SELECT * FROM {_entries(say, tenant, others)}"
    was_cut = f"{say.get('e.detail', CUT)} IS NOT NULL"
    yield "cut_rare", f"SELECT e.action, e.subject FROM said_rare e WHERE {was_cut}"
    yield "moved", " UNION ALL ".join(moved(say))
    yield "booked", " UNION ALL ".join(booked(say))
    request = say.identity(say.get("e.detail", "request"))
    yield (
        "decided",
        f"SELECT {request} AS request, e.action FROM said_rare e"
        " WHERE substr(e.action, 1, 7) = 'CHANGE_'",
    )
    dataset = say.identity("substr(e.subject, 9)")
    version, also = (say.get("e.detail", name) for name in ("version", "also"))
    yield (
        "looked",
        f"SELECT {dataset} AS dataset, CAST({version} AS text) AS version,"
        f" {also} IS NOT NULL AS has_more FROM said_rare e WHERE e.action = 'DATASET_LOOKED_AT'",
    )
    limit = amount_of(say, "limit_epsilon")
    opening = ", ".join(f"'{action.value}'" for action in OPENING_A_BUDGET)
    yield (
        "registered",
        f"SELECT DISTINCT e.dataset AS name, {limit} AS nano FROM said_rare e"
        f" WHERE e.action IN ({opening})",
    )


def _of_questions(say: ReconciliationSql, tenant: str) -> Iterator[tuple[str, str]]:
    query = f"{say.identity('substr(e.subject, 7)')} AS query"
    asking = f"action IN ('QUERY_SUBMITTED', '{_EXTENDED}', '{_REUSED}')"
    asked = _entries(say, tenant, asking)
    yield "cut", _cut(say, _entries(say, tenant, f"{asking} AND {_WAS_CUT}"), query)
    stated = say.stated(say.get("e.detail", "beginning"))
    ended = _entries(say, tenant, "action IN ({})".format(", ".join(map(repr, _ENDINGS))))
    yield (
        "asked",
        "SELECT query, CASE WHEN count(nano) = count(*) THEN CAST(sum(nano) AS bigint) END AS nano"
        f" FROM (SELECT {query}, COALESCE({amount_of(say, 'epsilon')}, {stated}) AS nano"
        f" FROM {asked}) each_step GROUP BY query",
    )
    yield (
        "line",
        "SELECT query, budget, CAST(sum(nano) AS bigint) AS nano FROM ("
        f"SELECT {query}, {say.identity(say.item('budget'))} AS budget,"
        f" {amount_of_item(say, 'epsilon')} AS nano"
        f" FROM {asked} {say.each('e.detail', 'lines')}) each_line"
        " WHERE query NOT IN (SELECT query FROM said_cut) GROUP BY query, budget",
    )
    yield (
        "ended",
        f"SELECT {query}, e.action, {say.get('e.detail', 'release_sha256')} AS sha256,"
        f" {say.get('e.detail', 'never_read')} AS never_read,"
        f" e.action IN ('QUERY_RELEASED', 'QUERY_FAILED') AS charged FROM {ended}",
    )


def _cut(say: ReconciliationSql, entries: str, query: str) -> str:
    """The questions of which an entry was cut, so that not all of its lines are known."""
    whole, lines = (say.get("e.detail", *path, CUT) for path in ((), ("lines",)))
    found = f"{whole} IS NOT NULL OR {lines} IS NOT NULL"
    return f"SELECT DISTINCT {query} FROM {entries} WHERE {found}"


def _entries(say: ReconciliationSql, tenant: str, condition: str) -> str:
    """The tenant's entries of some actions; OFFSET 0 keeps each detail from being parsed twice."""
    columns = "action, subject, dataset, detail"
    return (
        f"(SELECT action, subject, dataset, {say.detail} FROM ("
        f"SELECT {columns} FROM audit_auditentry WHERE tenant_id = '{tenant}' AND {condition}"
        f" UNION ALL SELECT {columns} FROM said_archived WHERE {condition}) each_entry"
        " LIMIT 9223372036854775807 OFFSET 0) e"
    )


def _archived(cursor: CursorWrapper, say: ReconciliationSql, tenant_id: UUID) -> str:
    """What has left the log, out of the files of the archive."""
    cursor.execute(
        "CREATE TEMPORARY TABLE said_archived"
        " (number bigint, action text, subject text, dataset text, detail text)"
    )
    last = archived_to(tenant_id)
    lines = archived_lines(tenant_id, after=0, upto=last)
    while part := list(islice(lines, _AT_ONCE)):
        cursor.executemany(_INSERT, [_row(number, line) for number, line in part])
    cursor.execute(
        "DELETE FROM said_archived WHERE number IN (SELECT sequence FROM audit_auditentry"
        f" WHERE tenant_id = '{say.key(tenant_id)}' AND sequence <= {last})"
    )
    return "said_archived"


def _row(number: int, line: bytes) -> tuple[int | str, ...]:
    said = json.loads(line)
    return number, said["action"], said["subject"], said["dataset"], said["detail"]
