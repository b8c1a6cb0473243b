"""What is stored about one tenant, as views that live for one reconciliation.

Ids as 32 hexadecimal digits, amounts as whole nano-ε: then every comparison reads the same on
both databases.
"""

from collections.abc import Iterator
from uuid import UUID

from django.db.backends.utils import CursorWrapper

from dpgov.dashboards.reconciliation.dialect import Dialect

_DECISION = """
    CASE state WHEN 'approved' THEN 'CHANGE_APPROVED' WHEN 'rejected' THEN 'CHANGE_REJECTED'
               WHEN 'withdrawn' THEN 'CHANGE_WITHDRAWN' WHEN 'stale' THEN 'CHANGE_LAPSED'
               ELSE 'CHANGE_REQUESTED' END"""
_ENDING = """
    CASE state WHEN 'released' THEN 'QUERY_RELEASED' WHEN 'failed' THEN 'QUERY_FAILED'
               WHEN 'voided' THEN 'QUERY_VOIDED' WHEN 'expired' THEN 'QUERY_EXPIRED'
               ELSE '' END"""


def show(cursor: CursorWrapper, say: Dialect, tenant_id: UUID) -> list[str]:
    """Make the views `our_…` of this tenant; returns their names."""
    made = []
    for name, columns, rest in _views(say):
        body = f"SELECT {columns} FROM {rest}".replace("{tenant}", f"'{say.key(tenant_id)}'")
        cursor.execute(f"CREATE TEMPORARY VIEW our_{name} AS {body}")
        made.append(f"our_{name}")
    return made


def _views(say: Dialect) -> Iterator[tuple[str, str, str]]:
    own, query, budget = "tenant_id = {tenant}", say.hexed("query_id"), say.hexed("budget_id")
    key = say.hexed("id")
    yield (
        "question",
        f"{key} AS query, state, {_ENDING} AS ending, cost_nano AS nano",
        f"queries_query WHERE {own}",
    )
    charged = f"{query} AS query, {budget} AS budget, amount_nano AS nano"
    yield "charge", charged, f"budgets_charge WHERE {own}"
    yield "hold", f"{charged}, state", f"budgets_reservation WHERE {own}"
    yield (
        "answer",
        f"{query} AS query, sha256, {say.sha256('body')} AS computed",
        f"queries_release WHERE {own}",
    )
    yield (
        "correction",
        f"kind, {budget} AS budget, amount_nano AS nano, COALESCE({query}, '') AS query",
        f"budgets_correction WHERE {own}",
    )
    yield (
        "request",
        f"{key} AS request, state, {_DECISION} AS decision",
        f"approvals_changerequest WHERE {own}",
    )
    yield from _views_of_budgets(say, own)


def _views_of_budgets(say: Dialect, own: str) -> Iterator[tuple[str, str, str]]:
    yield (
        "budget",
        f"{say.hexed('id')} AS budget, kind, label, spent_nano, EXISTS (SELECT 1"
        " FROM budgets_partitionline p WHERE p.dataset_budget_id = budgets_budget.id) AS divided",
        f"budgets_budget WHERE {own}",
    )
    yield (
        "limit",
        f"{say.hexed('b.id')} AS budget, b.kind, b.label, c.before_nano, c.after_nano",
        "budgets_limitchange c JOIN budgets_budget b ON b.id = c.budget_id"
        f" WHERE b.{own} AND b.kind <> 'partition'",
    )
    yield (
        "part",
        f"{say.hexed('p.budget_id')} AS budget, b.limit_nano AS nano, d.limit_nano AS whole_nano",
        "budgets_partitionline p JOIN budgets_budget b ON b.id = p.budget_id"
        f" JOIN budgets_budget d ON d.id = p.dataset_budget_id WHERE p.{own}",
    )
    foreign = f"{say.hexed('budget_id')} AS budget, amount_nano AS nano"
    yield (
        "guest",
        foreign,
        "budgets_charge WHERE tenant_id <> {tenant}"
        f" UNION ALL SELECT {foreign} FROM budgets_correction WHERE tenant_id <> {{tenant}}",
    )
