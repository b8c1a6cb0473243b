"""M103: a prepared statement finds what its queryset finds, for whoever asks, and keeps nothing."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection, connections, transaction
from django.db.models import QuerySet
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from dpgov.operation import clock
from dpgov.operation.prepared import Prepared, Shaped, among
from dpgov.tenants.models import Membership, Role, Tenant
from dpgov.tenants.roles import having
from dpgov.tenants.selectors import membership_in, memberships_of, places_of
from tests.cast import join

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _is_not_of_the_product(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test prepares is nothing that a guard of the house would find."""
    monkeypatch.setattr(Shaped, "known", [])


@pytest.fixture
def made() -> list[str]:
    """Each time that a statement is put together."""
    return []


@pytest.fixture
def since(made: list[str]) -> Prepared[..., Membership]:
    """The members of a tenant who have had one of these roles since a moment."""

    def build(tenant_id: UUID, moment: datetime, *, role: Role) -> QuerySet[Membership]:
        made.append(role)
        found = Membership.objects.filter(having(role), tenant=tenant_id, role_since__gte=moment)
        return found.select_related("user", "tenant").order_by("user__email")

    return Prepared(build)


def test_it_finds_what_its_queryset_finds_and_is_put_together_once(
    since: Any, made: list[str], tenant: Tenant, owner: Membership, stranger: Membership
) -> None:
    """M103: with the values of each call, and nothing of an earlier one."""
    before, after = (timezone.now() + timedelta(days=days) for days in (-1, 1))
    assert since(tenant.pk, before, role=Role.OWNER) == [owner]
    assert since(tenant.pk, after, role=Role.OWNER) == []
    assert since(stranger.tenant_id, before, role=Role.OWNER) == [stranger]
    assert since(uuid4(), before, role=Role.OWNER) == []
    assert made == [Role.OWNER]
    assert since(tenant.pk, before, role=Role.ADMIN) == []
    assert made == [Role.OWNER, Role.ADMIN]


def test_it_reads_anew_each_time_in_one_statement(since: Any, tenant: Tenant) -> None:
    """M103: who came a moment ago is there, and who left is not."""
    before = timezone.now() - timedelta(days=1)
    assert since(tenant.pk, before, role=Role.OFFICER) == []
    officer = join(tenant, Role.OFFICER, "olga")
    with CaptureQueriesContext(connection) as asked:
        (found,) = since(tenant.pk, before, role=Role.OFFICER)
        assert (found.user.name, found.tenant.name) == ("Olga", tenant.name)
    assert len(asked) == 1
    officer.delete()
    assert since(tenant.pk, before, role=Role.OFFICER) == []


def _roles(tenant_id: UUID) -> QuerySet[Membership, Any]:
    return Membership.objects.filter(tenant=tenant_id).order_by("role")


@pytest.mark.parametrize(
    "shape",
    [
        lambda rows: rows.values_list("role", "user__name"),
        lambda rows: rows.values_list("role", flat=True),
        lambda rows: rows.values_list("role", "user__name", named=True),
        lambda rows: rows.values("role", "tenant__name"),
        lambda rows: rows.prefetch_related("tokens"),
        lambda rows: rows.order_by().union(rows.order_by()).order_by("role"),
        lambda rows: rows[:1],
        lambda rows: rows.none(),
    ],
)
def test_rows_come_in_every_shape_that_querysets_have(
    shape: Callable[[Any], Any], tenant: Tenant, owner: Membership, analyst: Membership
) -> None:
    def build(tenant_id: UUID) -> QuerySet[Any, Any]:
        rows: QuerySet[Any, Any] = shape(_roles(tenant_id))
        return rows

    found = Prepared(build)(tenant.pk)
    assert found == list(shape(_roles(tenant.pk)))
    assert {type(one) for one in found} == {type(one) for one in shape(_roles(tenant.pk))}


@pytest.mark.parametrize("number", [0, 1, 2, 9])
def test_lists_of_any_length_find_theirs(
    number: int, owner: Membership, analyst: Membership, officer: Membership
) -> None:
    """M103: a short list has a place for each, a long one is asked as Django does."""

    def build(ids: tuple[UUID, ...], tenant_id: UUID) -> QuerySet[Membership]:
        return Membership.objects.filter(among("pk", ids), tenant=tenant_id).order_by("role")

    prepared = Prepared(build)
    ids = (owner.pk, analyst.pk, *(uuid4() for _ in range(7)))[:number]
    there = [one for one in (analyst, owner) if one.pk in ids]
    assert prepared(ids, owner.tenant_id) == there
    assert prepared(ids, uuid4()) == []


@pytest.mark.parametrize(
    "look",
    [
        lambda place: f"member:{place}",
        str,
        lambda place: place == "",
        lambda place: place in ("", None),
        lambda place: {place},
        lambda place: Membership.objects.all() if place else None,
    ],
)
def test_what_looks_into_a_value_fails_when_it_is_put_together(
    look: Callable[[Any], Any], owner: Membership
) -> None:
    """M103: else the first call would decide what all later ones ask."""

    def build(user_id: UUID) -> QuerySet[Membership]:
        look(user_id)
        return Membership.objects.filter(user=user_id)

    with pytest.raises(TypeError, match="not known while a statement is put together"):
        Prepared(build)(owner.user_id)


def test_nothing_is_asked_without_a_value(since: Any, owner: Membership) -> None:
    """A statement with “= NULL” finds nothing, and would not say so."""
    with pytest.raises(TypeError, match="a value for each of"):
        since(owner.tenant_id, None, role=Role.OWNER)
    with pytest.raises(TypeError, match="a value for each of"):
        since(owner.tenant_id, role=Role.OWNER)


@pytest.mark.production
@pytest.mark.django_db(transaction=True)
def test_a_row_is_locked_within_a_transaction_alone(owner: Membership) -> None:
    """M103: also by a statement that was put together within an earlier one."""

    def build(user_id: UUID) -> QuerySet[Membership]:
        return Membership.objects.select_for_update().filter(user=user_id)

    locked = Prepared(build)
    with transaction.atomic(), CaptureQueriesContext(connection) as asked:
        assert locked(owner.user_id) == [owner]
    assert asked[0]["sql"].endswith(" FOR UPDATE")
    with pytest.raises(transaction.TransactionManagementError):
        locked(owner.user_id)


def test_where_the_clock_is_moved_each_moment_is_its_own(
    since: Any, made: list[str], owner: Membership, monkeypatch: pytest.MonkeyPatch
) -> None:
    """M103: there the moment is a part of the statement."""
    moment = timezone.now() - timedelta(days=1)
    since(owner.tenant_id, moment, role=Role.OWNER)
    monkeypatch.setattr(clock, "moved_to", lambda: moment)
    assert since(owner.tenant_id, moment, role=Role.OWNER) == [owner]
    assert len(made) == 2


@pytest.mark.django_db(transaction=True)
def test_of_many_who_ask_at_once_each_gets_their_own(
    owner: Membership, analyst: Membership, stranger: Membership
) -> None:
    """M103: one statement, and values that belong to a call."""
    people = [owner, analyst, stranger]

    def theirs(number: int) -> Iterator[bool]:
        one = people[number % len(people)]
        try:
            yield from (memberships_of(one.user) == [one] for _ in range(50))
        finally:
            connections.close_all()

    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(lambda number: list(theirs(number)), range(6)))
    assert found == [[True] * 50] * 6


def test_a_reader_is_told_by_ids_and_roles(owner: Membership) -> None:
    told = membership_in(*places_of(owner), owner.roles_code)
    assert (told.pk, told.tenant_id, told.user_id) == places_of(owner)
    assert told.roles == owner.roles
    two = membership_in(*places_of(owner), "owner+analyst")
    assert two.roles == (Role.OWNER, Role.ANALYST)
