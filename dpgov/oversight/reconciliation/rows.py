"""What is stored about one tenant, as views that live for one reconciliation.

Under the names that the log's facts have, so that every comparison reads the same way round.
"""

from uuid import UUID

from django.db.backends.utils import CursorWrapper

from dpgov.oversight.reconciliation.dialect import Dialect

_DECISION = """
    CASE state WHEN 'approved' THEN 'CHANGE_APPROVED' WHEN 'rejected' THEN 'CHANGE_REJECTED'
               WHEN 'withdrawn' THEN 'CHANGE_WITHDRAWN' WHEN 'stale' THEN 'CHANGE_LAPSED'
               ELSE 'CHANGE_REQUESTED' END"""
_ENDING = """
    CASE WHEN reuse THEN 'QUERY_REUSED' ELSE
    CASE state WHEN 'released' THEN 'QUERY_RELEASED' WHEN 'failed' THEN 'QUERY_FAILED'
               WHEN 'voided' THEN 'QUERY_VOIDED' WHEN 'expired' THEN 'QUERY_EXPIRED'
               ELSE '' END END"""


def show(cursor: CursorWrapper, say: Dialect, tenant_id: UUID) -> list[str]:
    """Make the views `our_…` of this tenant; returns their names."""
    made = []
    for name, body in _views().items():
        named = body.replace("{tenant}", f"'{say.key(tenant_id)}'")
        cursor.execute(f"CREATE TEMPORARY VIEW our_{name} AS SELECT {named}")
        made.append(f"our_{name}")
    return made


def hash_answers(cursor: CursorWrapper, say: Dialect, tenant_id: UUID) -> str:
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
