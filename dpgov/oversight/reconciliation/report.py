"""Runs every check of one tenant in one snapshot and puts what it finds into sentences.

What is stored stands as views that live for one reconciliation, under the names that the log's
facts have, so that every comparison reads the same way round.
"""

import re
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.backends.utils import CursorWrapper
from django.db.models import Q

from dpgov.budgets.findings import ledger_findings
from dpgov.budgets.models import Budget
from dpgov.budgets.words import amount
from dpgov.oversight.reconciliation.checks import CHECKS, Check
from dpgov.oversight.reconciliation.dialect import ReconciliationSql, dialect
from dpgov.oversight.reconciliation.facts import gather
from dpgov.privacy.accounting.loss import PURE, Currency
from dpgov.queries.models import Query
from dpgov.tenants.models import Tenant

_DECISION = """
    CASE state WHEN 'approved' THEN 'CHANGE_APPROVED' WHEN 'rejected' THEN 'CHANGE_REJECTED'
               WHEN 'withdrawn' THEN 'CHANGE_WITHDRAWN' WHEN 'stale' THEN 'CHANGE_LAPSED'
               ELSE 'CHANGE_REQUESTED' END"""
_ENDING = """
    CASE WHEN reuse THEN 'QUERY_REUSED' ELSE
    CASE state WHEN 'released' THEN 'QUERY_RELEASED' WHEN 'failed' THEN 'QUERY_FAILED'
               WHEN 'voided' THEN 'QUERY_VOIDED' WHEN 'expired' THEN 'QUERY_EXPIRED'
               ELSE '' END END"""


def show(cursor: CursorWrapper, say: ReconciliationSql, tenant_id: UUID) -> list[str]:
    """Make the views `our_…` of this tenant; returns their names."""
    made = []
    for name, body in _views().items():
        named = body.replace("{tenant}", f"'{say.key(tenant_id)}'")
        cursor.execute(f"CREATE TEMPORARY VIEW our_{name} AS SELECT {named}")
        made.append(f"our_{name}")
    return made


def hash_answers(cursor: CursorWrapper, say: ReconciliationSql, tenant_id: UUID) -> str:
    """Make `our_answer`, a table, so that each answer is hashed once; returns its name."""
    cursor.execute(
        "CREATE TEMPORARY TABLE our_answer AS SELECT query_id AS query, sha256,"
        f" {say.sha256('body')} AS computed"
        f" FROM queries_release WHERE tenant_id = '{say.key(tenant_id)}'"
    )
    say.finish(cursor, "our_answer", "query")
    return "our_answer"


def _views() -> dict[str, str]:
    charged = "query_id AS query, budget_id AS budget, amount_nano AS nano"
    guest = "budget_id AS budget, amount_nano AS nano FROM {table} WHERE tenant_id <> {{tenant}}"
    return {
        "question": f"id AS query, state, {_ENDING} AS ending, cost_nano AS nano"
        " FROM queries_query WHERE tenant_id = {tenant}",
        "charge": f"{charged} FROM budgets_charge WHERE tenant_id = {{tenant}}",
        "hold": f"{charged}, state FROM budgets_reservation WHERE tenant_id = {{tenant}}",
        "correction": "kind, budget_id AS budget, amount_nano AS nano,"
        " COALESCE(query_id, budget_id) AS about"
        " FROM budgets_correction WHERE tenant_id = {tenant}",
        "request": f"id AS request, state, {_DECISION} AS decision"
        " FROM approvals_changerequest WHERE tenant_id = {tenant}",
        "look": "v.dataset_id AS dataset, CAST(v.number AS text) AS version"
        " FROM datasets_look l JOIN datasets_datasetversion v ON v.id = l.version_id"
        " WHERE l.tenant_id = {tenant} AND l.by_id IS NOT NULL AND l.outcome = 'goes_on'",
        "budget": "id AS budget, kind, label, spent_nano, EXISTS (SELECT 1"
        " FROM budgets_budgetpart p WHERE p.dataset_budget_id = budgets_budget.id) AS divided"
        " FROM budgets_budget WHERE tenant_id = {tenant}",
        "limit": "b.id AS budget, b.kind, b.label, c.before_nano, c.after_nano"
        " FROM budgets_limitchange c JOIN budgets_budget b ON b.id = c.budget_id"
        " WHERE b.tenant_id = {tenant} AND b.kind <> 'partition'",
        "part": "p.budget_id AS budget, b.limit_nano AS nano, d.limit_nano AS whole_nano"
        " FROM budgets_budgetpart p JOIN budgets_budget b ON b.id = p.budget_id"
        " JOIN budgets_budget d ON d.id = p.dataset_budget_id WHERE p.tenant_id = {tenant}",
        "guest": guest.format(table="budgets_charge")
        + f" UNION ALL SELECT {guest.format(table='budgets_correction')}",
    }


_MOST = 50
_IDENTITY = re.compile(r"[0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """What was compared, and each sentence about what does not agree."""

    questions: int
    findings: tuple[str, ...]


def reconcile(tenant: Tenant) -> Reconciliation:
    """Hold this tenant's ledger against its log, its questions and its releases.

    The caller acts for the tenant. Right also while others are writing: on PostgreSQL every
    statement sees the same moment. Changes nothing. Raises DatabaseError for a log whose entries
    do not read as ours, which `verify_audit_log` can say more about.
    """
    say = dialect()
    with connection.cursor() as cursor, _one_moment(cursor, say):
        say.prepare(cursor)
        tables = [*gather(cursor, say, tenant.pk), hash_answers(cursor, say, tenant.pk)]
        views = show(cursor, say, tenant.pk)
        found = [sentence for check in CHECKS for sentence in _sentences(cursor, check)]
        cursor.execute("SELECT count(*) FROM said_asked")
        questions: int = cursor.fetchone()[0]
        found += ledger_findings(tenant)
        for kind, names in (("VIEW", views), ("TABLE", tables)):
            for name in names:
                cursor.execute(f"DROP {kind} {name}")
    return Reconciliation(questions, tuple(found))


def _sentences(cursor: CursorWrapper, check: Check) -> list[str]:
    """One sentence for each row; of very many only the first, and that there are more.

    In an order of their own: where a database keeps its rows changes with each update.
    """
    cursor.execute(f"{check.statement} ORDER BY 1 LIMIT {_MOST + 1}")
    rows = cursor.fetchall()
    found = sorted(_sentence(check, row) for row in rows[:_MOST])
    return [*found, "… and more of the same kind"] if len(rows) > _MOST else found


def _sentence(check: Check, row: Sequence[Any]) -> str:
    texts = [_text(value) for value in row if value is not None and not isinstance(value, int)]
    currency = _currency([UUID(text) for text in texts if _IDENTITY.fullmatch(text)])
    return check.sentence.format(*(_words(value, currency) for value in row))


def _currency(ids: Sequence[UUID]) -> Currency:
    """That of the budget, or of the question, which the row is about."""
    asked = Query.objects.filter(pk__in=ids).values("dataset__budget")
    about = Budget.objects.filter(Q(pk__in=ids) | Q(pk__in=asked)).order_by("mode")
    found = about.last()
    return PURE if found is None else found.currency


def _words(value: Any, currency: Currency) -> str:
    if value is None:
        return "nothing"
    return amount(value, currency) if isinstance(value, int) else _text(value)


def _text(value: Any) -> str:
    text = str(value)
    return str(UUID(text)) if _IDENTITY.fullmatch(text) else text


@contextmanager
def _one_moment(cursor: CursorWrapper, say: ReconciliationSql) -> Generator[None]:
    """A transaction of our own that is given up in the end; within another one, that one."""
    if connection.in_atomic_block:
        yield
        return
    cursor.execute(say.begin)
    try:
        yield
    finally:
        cursor.execute("ROLLBACK")
