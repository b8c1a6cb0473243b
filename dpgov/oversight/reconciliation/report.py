"""Runs every check of one tenant in one snapshot and puts what it finds into sentences."""

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
from dpgov.oversight.reconciliation.dialect import Dialect, dialect
from dpgov.oversight.reconciliation.facts import gather
from dpgov.oversight.reconciliation.rows import hash_answers, show
from dpgov.privacy.accounting.loss import PURE, Currency
from dpgov.queries.models import Query
from dpgov.tenants.models import Tenant

_MOST = 50
_IDENTITY = re.compile(r"[0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class Report:
    """What was compared, and each sentence about what does not agree."""

    questions: int
    findings: tuple[str, ...]


def reconcile(tenant: Tenant) -> Report:
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
    return Report(questions, tuple(found))


def _sentences(cursor: CursorWrapper, check: Check) -> list[str]:
    """One sentence for each row; of very many only the first, and that there are more."""
    cursor.execute(f"{check.statement} LIMIT {_MOST + 1}")
    rows = cursor.fetchall()
    found = [_sentence(check, row) for row in rows[:_MOST]]
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
def _one_moment(cursor: CursorWrapper, say: Dialect) -> Generator[None]:
    """A transaction of our own that is given up in the end; within another one, that one."""
    if connection.in_atomic_block:
        yield
        return
    cursor.execute(say.begin)
    try:
        yield
    finally:
        cursor.execute("ROLLBACK")
