"""What somebody with full access to the database can do, and the product cannot."""

from collections.abc import Generator
from contextlib import contextmanager

from django.db import connection

from dpgov.operation import installed

APPEND_ONLY = (
    "audit_auditarchive",
    "audit_auditcheckpoint",
    "audit_auditentry",
    "audit_auditkey",
    "audit_auditleaves",
    "audit_auditsubtree",
    "budgets_charge",
    "budgets_correction",
    "budgets_limitchange",
    "datasets_acceptance",
    "datasets_column",
    "datasets_termsofuse",
    "joint_share",
    "queries_release",
)
GUARDED = (
    "approvals_changerequest",
    "budgets_budget",
    "budgets_budgetpart",
    "budgets_sharedbudgetmember",
    "datasets_dataset",
    "datasets_look",
    "datasets_viewer",
    "joint_jointquestion",
    "joint_party",
    "queries_budgetrequest",
    "queries_query",
    "surveys_survey",
    "surveys_surveytoken",
    "surveys_tally",
    "tenants_membership",
    "tenants_tenant",
)


@contextmanager
def without_triggers(*tables: str) -> Generator[None]:
    """Neither append-only nor guarded: these tables, or every one (on SQLite always)."""
    tables = tables or (*APPEND_ONLY, *GUARDED)
    if connection.vendor == "sqlite":
        installed.take_down()
        try:
            yield
        finally:
            installed.put_up()
        return
    _switch("DISABLE", tables)
    try:
        yield
    finally:
        _switch("ENABLE", tables)


def _switch(how: str, tables: tuple[str, ...]) -> None:
    with connection.cursor() as cursor:
        # No table may be altered while the foreign keys of new rows are still to be looked at.
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")
        for table in tables:
            cursor.execute(f"ALTER TABLE {table} {how} TRIGGER USER")
