"""A9: what a restore has remembered of everybody, in a database of many organisations.

What could leak: answers of whoever is frozen late, while rows are written for each pair of them.
"""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction
from django.test.utils import CaptureQueriesContext

from dpgov.audit.checkpoints.signing import make_checkpoint
from dpgov.audit.outside import put
from dpgov.budgets.models import FreezeMark, RestoreSeen
from dpgov.budgets.services import freeze_tenant
from dpgov.budgets.services.restored import freeze_everything, freeze_if_restored
from dpgov.budgets.services.seen import WantedFreezes, hashed
from dpgov.operation import installed
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.crossing import KnownTenant
from dpgov.tenants.models import Tenant
from tests.integration.audit.worlds import Restored

pytestmark = pytest.mark.django_db(transaction=True)


def with_a_lost_log(slug: str) -> Tenant:
    """An organisation that shows a checkpoint of a log that the backup lacks."""
    tenant = Tenant.objects.create(slug=slug, name=slug)
    with pytest.raises(Restored), transaction.atomic():
        freeze_tenant(tenant_id=tenant.pk, reason="anything that makes an entry")
        lost = make_checkpoint(tenant_id=tenant.pk)
        assert lost is not None
        note = lost.note
        raise Restored
    put(tenant.pk, note)
    return tenant


def statements_to_freeze(organisations: int, named: str) -> int:
    """Of the round that freezes so many more, each of which shows the restore."""
    for number in range(organisations):
        with_a_lost_log(f"{named}-{number}")
    with CaptureQueriesContext(connection) as asked:
        freeze_if_restored()
    return len(asked)


def test_twice_the_organisations_are_twice_the_work_and_not_four_times(db: None) -> None:
    """A9: of 10,000 that show a restore no two are compared, and none has a row for another."""
    few = statements_to_freeze(5, "few")
    assert (RestoreSeen.objects.count(), FreezeMark.objects.count()) == (5, 5)
    many = statements_to_freeze(10, "many")
    assert (RestoreSeen.objects.count(), FreezeMark.objects.count()) == (15, 15)
    # The five are frozen for the ten, too, as those are for them: 15 in the place of 5.
    assert many < 3.5 * few
    assert freeze_if_restored() == []


def test_by_hand_is_one_number_for_each_organisation(db: None) -> None:
    """A9: also where each has a checkpoint that rounds could find until all are frozen."""
    for number in range(4):
        with_a_lost_log(f"organisation-{number}")
    assert len(freeze_everything(reason="restored")) == 4
    assert FreezeMark.objects.count() == 4
    assert RestoreSeen.objects.count() == 5
    assert freeze_if_restored() == []


def test_what_is_remembered_names_nobody(tenant: Tenant) -> None:
    """H5: hashes alone, which are read without a tenant."""
    with_a_lost_log("lost")
    freeze_if_restored()
    fields = {field.name for field in RestoreSeen._meta.get_fields()}
    assert fields == {"id", "seen"}
    assert {len(bytes(each)) for each in RestoreSeen.objects.values_list("seen", flat=True)} == {32}


def test_the_application_s_role_numbers_what_is_new_and_moves_no_number(tenant: Tenant) -> None:
    """A9: `freeze` by hand may run as that role; the numbers are the database's own."""
    with acting_for(tenant.pk):
        wanted = WantedFreezes({}, {hashed("by hand")})
        known = KnownTenant(tenant.pk, tenant.slug, tenant.name)
        assert wanted.lacks(known)
        wanted.are_done(known)
        assert not WantedFreezes({}, {hashed("by hand")}).lacks(known)
    assert RestoreSeen.objects.count() == 1


def test_nobody_is_marked_as_frozen_for_what_is_to_come(tenant: Tenant) -> None:
    """A9: a number ahead of all that has happened would leave them out of the next restore."""
    with_a_lost_log("lost")
    freeze_if_restored()
    newest = RestoreSeen.objects.latest("pk").pk
    for mark in (FreezeMark.objects.filter(tenant=tenant), FreezeMark.objects.all()):
        with pytest.raises(DatabaseError, match="nothing tells"), transaction.atomic():
            mark.update(up_to=newest + 1)
    late = Tenant.objects.create(slug="late", name="Late")
    with pytest.raises(DatabaseError, match="nothing tells"), transaction.atomic():
        FreezeMark.objects.create(tenant=late, up_to=newest + 1)


@pytest.fixture
def before(tenant: Tenant, stranger: Any) -> Iterator[None]:
    """Where each had a row for each other one."""
    installed.take_down()
    call_command("migrate", "budgets", "0007", verbosity=0)
    yield
    call_command("migrate", verbosity=0)


def test_who_was_frozen_for_all_of_it_stays_so(tenant: Tenant, stranger: Any, before: None) -> None:
    """A9: and who lacked the first of three is not taken for frozen because of the last one."""
    first, second, third = (hashed(each) for each in ("first", "second", "third"))
    _had(tenant.pk, first, second, third)
    _had(stranger.tenant_id, second, third)
    call_command("migrate", verbosity=0)
    numbers = {bytes(seen): pk for pk, seen in RestoreSeen.objects.values_list("pk", "seen")}
    assert numbers[first] < numbers[second] < numbers[third]
    assert dict(FreezeMark.objects.values_list("tenant", "up_to")) == {tenant.pk: numbers[third]}


def _had(tenant: UUID, *seen: bytes) -> None:
    with connection.cursor() as cursor:
        for each in seen:
            cursor.execute(
                "INSERT INTO budgets_restoremarkforanother (tenant_id, seen) VALUES (%s, %s)",
                [tenant.hex if connection.vendor == "sqlite" else tenant, each],
            )
