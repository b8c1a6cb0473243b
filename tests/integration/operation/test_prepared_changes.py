"""M103: a prepared change changes what `QuerySet.update` would, and keeps nothing of a call."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models import F
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from dpgov.operation import clock
from dpgov.operation.prepared import Change, PreparedChange, Shaped
from dpgov.tenants.models import Membership, Tenant

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _is_not_of_the_product(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Shaped, "known", [])


@pytest.fixture
def made() -> list[bool]:
    """Each time that a statement is put together."""
    return []


@pytest.fixture
def renamed(made: list[bool]) -> PreparedChange[...]:
    """An organisation gets this name, and its address or none."""

    def build(tenant_id: UUID, name: str, since: datetime, *, named: bool) -> Change:
        made.append(named)
        return Tenant.objects.filter(pk=tenant_id, created_at__lte=since), {
            "name": name if named else F("slug"),
            "practice_of": None,
        }

    return PreparedChange(build)


def test_it_changes_the_rows_of_each_call_in_one_statement(
    renamed: Any, made: list[bool], tenant: Tenant, stranger: Membership
) -> None:
    """M103: and is put together once, for each shape."""
    later = timezone.now() + timedelta(days=1)
    with CaptureQueriesContext(connection) as asked:
        assert renamed(tenant.pk, "North", later, named=True) == 1
    assert len(asked) == 1
    assert renamed(stranger.tenant_id, "South", later, named=True) == 1
    assert _names(tenant, stranger.tenant) == ["North", "South"]
    assert renamed(tenant.pk, "Nobody", later - timedelta(days=99), named=True) == 0
    assert renamed(uuid4(), "Nobody", later, named=True) == 0
    assert made == [True]
    assert renamed(tenant.pk, "", later, named=False) == 1
    assert _names(tenant, stranger.tenant) == [tenant.slug, "South"]
    assert made == [True, False]


def _names(*tenants: Tenant) -> list[str]:
    return [Tenant.objects.get(pk=tenant.pk).name for tenant in tenants]


def test_text_is_a_value_whatever_it_says(renamed: Any, tenant: Tenant) -> None:
    """M103: no sign in it belongs to the statement."""
    later = timezone.now() + timedelta(days=1)
    for name in ("100 %s %% 'x'; --", "Ä\u0301 ☂", ""):
        assert renamed(tenant.pk, name, later, named=True) == 1
        assert _names(tenant) == [name]


def test_a_change_that_the_database_refuses_ends_the_transaction(
    tenant: Tenant, stranger: Membership
) -> None:
    """M103: as Django's own does, so that nobody goes on in one that is half done."""

    def build(tenant_id: UUID, slug: str) -> Change:
        return Tenant.objects.filter(pk=tenant_id), {"slug": slug}

    change = PreparedChange(build)
    with pytest.raises(transaction.TransactionManagementError), transaction.atomic():
        with pytest.raises(IntegrityError):
            change(tenant.pk, stranger.tenant.slug)
        Tenant.objects.exists()


def test_nothing_is_changed_without_a_value_or_by_what_looks_into_one(
    renamed: Any, tenant: Tenant
) -> None:
    """M103: a missing one would find no row, or empty a field."""
    with pytest.raises(TypeError, match="a value for each of"):
        renamed(tenant.pk, None, timezone.now(), named=True)

    def looks(tenant_id: UUID, name: str) -> Change:
        return Tenant.objects.filter(pk=tenant_id), {"name": name or "Nobody"}

    with pytest.raises(TypeError, match="not known while a statement is put together"):
        PreparedChange(looks)(tenant.pk, "")


def test_what_finds_nothing_changes_nothing_and_a_part_of_it_cannot_be_asked_for(
    tenant: Tenant,
) -> None:
    def none(tenant_id: UUID) -> Change:
        return Tenant.objects.filter(pk=tenant_id).none(), {"name": "North"}

    def some(tenant_id: UUID) -> Change:
        return Tenant.objects.filter(pk=tenant_id)[:1], {"name": "North"}

    assert PreparedChange(none)(tenant.pk) == 0
    with pytest.raises(TypeError, match="all rows that are found"):
        PreparedChange(some)(tenant.pk)
    assert _names(tenant) == [tenant.name]


def test_rows_that_are_found_through_others_change_in_one_statement_too(
    owner: Membership, analyst: Membership
) -> None:
    def build(email: str, moment: datetime) -> Change:
        return Membership.objects.filter(user__email=email), {"role_since": moment}

    moment = timezone.now() - timedelta(days=3)
    with CaptureQueriesContext(connection) as asked:
        assert PreparedChange(build)(owner.user.email, moment) == 1
    assert len(asked) == 1
    assert Membership.objects.get(role_since=moment) == owner


def test_where_the_clock_is_moved_each_moment_is_its_own(
    renamed: Any, made: list[bool], tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """M103: there the moment is a part of the statement."""
    later = timezone.now() + timedelta(days=1)
    renamed(tenant.pk, "North", later, named=True)
    monkeypatch.setattr(clock, "moved_to", lambda: later)
    assert renamed(tenant.pk, "East", later, named=True) == 1
    assert (made, _names(tenant)) == ([True, True], ["East"])
