"""H2: raw SQL as the application's role finds its own tenant's rows and no other."""

import pytest
from django.db import DatabaseError, transaction

from dpgov.queries.models import Query
from dpgov.tenants.boundary import acting_as, acting_for
from dpgov.tenants.models import Membership
from dpgov.tenants.wall.policies import protected_tables
from dpgov.tenants.wall.registry import has_tenant, our_models, walled
from dpgov.tenants.wall.rules import WITHOUT_TENANT
from tests.integration.tenants.wall.conftest import rows

pytestmark = pytest.mark.django_db
Two = tuple[Membership, Membership]

WITH_TENANT = sorted(m._meta.db_table for m, _ in walled() if has_tenant(m))


def test_every_table_of_ours_is_behind_the_wall_or_says_why_not() -> None:
    """H2: a new table is protected by having a tenant; any other needs a reason."""
    behind = {model._meta.label for model, _ in walled()}
    assert {model._meta.label for model in our_models()} - behind == set(WITHOUT_TENANT)


def test_every_table_behind_the_wall_is_forced_and_has_policies() -> None:
    """H2: enumerated in the database itself; FORCE, because the owner passes otherwise."""
    found = rows(
        "SELECT relname, relrowsecurity AND relforcerowsecurity,"
        " (SELECT count(*) FROM pg_policy WHERE polrelid = pg_class.oid) >= 2"
        " FROM pg_class WHERE relname = ANY (%s)",
        protected_tables(),
    )
    assert sorted(found) == [(table, True, True) for table in sorted(protected_tables())]


def test_a_tenant_sees_its_own_rows_only(two_tenants: Two) -> None:
    """H2: in no table any other, whatever it is asked for."""
    for member in two_tenants:
        own = "SELECT count(*) FROM {} WHERE tenant_id = %s"
        mine = {table: rows(own.format(table), member.tenant_id) for table in WITH_TENANT}
        foreign = own.replace("=", "<>")
        with acting_for(member.tenant_id):
            assert {table: rows(f"SELECT count(*) FROM {table}") for table in WITH_TENANT} == mine
            others = {table: rows(foreign.format(table), member.tenant_id) for table in WITH_TENANT}
            assert others == {table: [(0,)] for table in WITH_TENANT}


def test_nobody_sees_nothing(two_tenants: Two) -> None:
    """H2: in no table, without a tenant; most of them are not empty."""
    full = [table for table in protected_tables() if rows(f"SELECT 1 FROM {table} LIMIT 1")]
    assert len(full) >= 12
    with acting_for(None):
        seen = [table for table in full if rows(f"SELECT 1 FROM {table} LIMIT 1")]
    assert seen == []


@pytest.mark.parametrize("word", ["all", ""])
def test_the_application_cannot_say_that_it_sees_everybody(word: str, two_tenants: Two) -> None:
    """H2: the word is the owner's; and the settings are no way around it."""
    with acting_for(None):
        rows("SELECT set_config('dpgov.tenant', %s, false)", word)
        rows("SET search_path = pg_catalog, public, pg_temp, dpgov_every_tenant")
        assert rows("SELECT count(*) FROM queries_query") == [(0,)]


def test_a_foreign_row_is_neither_changed_nor_removed_nor_locked(two_tenants: Two) -> None:
    """H2: also by its id, as if somebody had guessed it."""
    ours, theirs = two_tenants
    theirs_id = Query.objects.filter(tenant=theirs.tenant).values_list("pk", flat=True)[0]
    with acting_for(ours.tenant_id):
        assert not Query.objects.filter(pk=theirs_id).update(cost_nano=1)
        assert not Query.objects.select_for_update().filter(pk=theirs_id).exists()
        assert not Membership.objects.filter(pk=theirs.pk).delete()[0]
    assert Membership.objects.filter(pk=theirs.pk).exists()


def test_nothing_is_written_for_another_tenant(two_tenants: Two) -> None:
    """H2: neither a new row nor a row that moves away."""
    ours, theirs = two_tenants
    new = "INSERT INTO tenants_project (id, tenant_id, name, created_at)"
    for statement in (
        f"{new} VALUES (gen_random_uuid(), '{theirs.tenant_id}', 'x', now())",
        f"UPDATE tenants_project SET tenant_id = '{theirs.tenant_id}'",
        f"UPDATE tenants_membership SET tenant_id = '{theirs.tenant_id}'",
    ):
        with (
            pytest.raises(DatabaseError, match="row-level security"),
            transaction.atomic(),
            acting_for(ours.tenant_id, user_id=ours.user_id),
        ):
            rows(statement)


def test_a_person_sees_their_memberships_and_can_give_themselves_none(two_tenants: Two) -> None:
    """H2: before a tenant is chosen; and only to look."""
    ours, theirs = two_tenants
    new = "INSERT INTO tenants_membership (id, tenant_id, user_id, role, created_at)"
    with acting_as(ours.user_id):
        assert rows("SELECT id FROM tenants_membership") == [(ours.pk,)]
        assert rows("SELECT id FROM tenants_tenant") == [(ours.tenant_id,)]
        assert rows("SELECT count(*) FROM queries_query") == [(0,)]
        assert not Membership.objects.filter(pk=ours.pk).update(role="admin")
        with pytest.raises(DatabaseError, match="row-level security"), transaction.atomic():
            rows(
                f"{new} VALUES (gen_random_uuid(), %s, %s, 'admin', now())",
                theirs.tenant_id,
                ours.user_id,
            )
