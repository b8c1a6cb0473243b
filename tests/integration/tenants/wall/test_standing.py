"""The wall stands after every migrate, and says when it does not."""

from collections.abc import Callable

import pytest
from django.db import OperationalError, connection

from dpgov.datasets.models import Dataset
from dpgov.operation.installed import ONE_AT_A_TIME, put_up
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.checks import one_role
from dpgov.tenants.wall.findings import findings
from dpgov.tenants.wall.raising import raise_wall
from tests.integration.tenants.wall.conftest import connected_as, rows

pytestmark = pytest.mark.django_db

_STANDING = (
    "SELECT 'policy', oid, xmin::text FROM pg_policy UNION ALL"
    " SELECT 'constraint', oid, xmin::text FROM pg_constraint UNION ALL"
    " SELECT 'table', oid, relkind::text FROM pg_class ORDER BY 1, 2"
)
HOT = {
    "queries_query": [
        "SELECT * FROM queries_query WHERE id = '{id}'",
        "SELECT * FROM queries_query WHERE tenant_id = '{tenant}'"
        " ORDER BY submitted_at DESC, id DESC LIMIT 50",
        "SELECT * FROM queries_query WHERE tenant_id = '{tenant}' AND analyst_id = '{id}'"
        " AND idempotency_key = 'k'",
    ],
    "queries_release": ["SELECT * FROM queries_release WHERE query_id = '{id}'"],
    "audit_auditentry": [
        "SELECT * FROM audit_auditentry WHERE tenant_id = '{tenant}'"
        " ORDER BY sequence DESC LIMIT 50",
    ],
    "budgets_budget": ["SELECT * FROM budgets_budget WHERE id = '{id}'"],
    "budgets_charge": [
        "SELECT * FROM budgets_charge WHERE query_id = '{id}'",
        "SELECT * FROM budgets_charge WHERE budget_id = '{id}' ORDER BY created_at DESC LIMIT 50",
    ],
    "tenants_membership": ["SELECT * FROM tenants_membership WHERE tenant_id = '{tenant}'"],
}


def test_raising_it_again_touches_nothing() -> None:
    """A running installation is not held up by a migrate that has nothing to do."""
    before = rows(_STANDING)
    raise_wall()
    assert rows(_STANDING) == before


@pytest.mark.parametrize("install", [put_up, raise_wall])
def test_two_that_migrate_at_once_wait_for_each_other(install: Callable[[], None]) -> None:
    """Else both would make the same function, and one of them fail."""
    with connected_as() as other:
        other.execute("BEGIN")
        other.execute(f"SELECT pg_advisory_xact_lock({ONE_AT_A_TIME})")
        rows("SET LOCAL lock_timeout = '50ms'")
        with pytest.raises(OperationalError, match="lock timeout"):
            install()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "damage",
    [
        "DROP POLICY wall_own ON {0}; DROP POLICY wall_every_tenant ON {0};"
        " DROP POLICY wall_audit ON {0}",
        "ALTER TABLE {0} NO FORCE ROW LEVEL SECURITY",
        "ALTER TABLE {0} DISABLE ROW LEVEL SECURITY",
    ],
)
def test_what_was_taken_down_is_found_and_put_up_again(damage: str) -> None:
    """H2: a table without policies, and one whose owner passes."""
    try:
        rows(damage.format("queries_query"))
        with acting_for(None):
            found = findings()
    finally:
        raise_wall()
    assert found == ["The table queries_query has no row-level security. Run migrate."]
    with acting_for(None):
        assert findings() == []


def test_running_as_the_owner_is_found_where_an_application_s_role_is_configured() -> None:
    """A7: readiness is refused to a process that connects as the wrong role."""
    found = " ".join(findings())
    assert "Connected as dpgov, but DPGOV_DATABASE_APP_ROLE is dpgov_app." in found
    assert "owns the tables" in found


def test_an_installation_with_one_role_is_told_what_it_does_without(settings: object) -> None:
    """Row-level security still holds there; a check says that privileges do not."""
    settings.DPGOV_DATABASE_APP_ROLE = ""  # type: ignore[attr-defined]
    assert findings() == []
    assert [warning.id for warning in one_role(databases=["default"])] == ["dpgov.W010"]
    settings.DPGOV_DATABASE_APP_ROLE = "dpgov_app"  # type: ignore[attr-defined]
    assert one_role(databases=["default"]) == []


@pytest.mark.parametrize("table", sorted(HOT))
def test_what_is_asked_most_still_finds_its_index(table: str, dataset: Dataset) -> None:
    """K3: as the application's role, with the policies in the plan."""
    connection.cursor().execute("SET LOCAL enable_seqscan = off")
    for statement in HOT[table]:
        with acting_for(dataset.tenant_id):
            known = statement.format(tenant=dataset.tenant_id, id=dataset.pk)
            plan = "\n".join(line for (line,) in rows(f"EXPLAIN {known}"))
        assert f"Seq Scan on {table}" not in plan, plan
        assert "Index" in plan, plan
