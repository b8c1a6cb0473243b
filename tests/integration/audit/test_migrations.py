"""Migrations of a log that has entries: nothing of it changes, and it is guarded as before."""

from collections.abc import Iterator

import pytest
from django.core.management import call_command
from django.db import DatabaseError, transaction

from dpgov.audit.actions import Action
from dpgov.audit.actor import WORKER
from dpgov.audit.models import AuditEntry
from dpgov.audit.recheck import recheck_all
from dpgov.audit.services import append
from dpgov.operation import installed
from dpgov.tenants.models import Tenant

pytestmark = pytest.mark.django_db(transaction=True)
AMOUNTS: list[dict[str, object]] = [
    {"epsilon": "0.5", "plan": {}},
    {"lines": [{"rho": "3"}], "rho": "0.00005"},
    {"by_owner": True, "epsilon": "999.999999999"},
]


@pytest.fixture
def before(tenant: Tenant) -> Iterator[None]:
    """The log of a version that read amounts where they came first."""
    installed.take_down()
    call_command("migrate", "audit", "0002", verbosity=0)
    yield
    call_command("migrate", verbosity=0)


def test_entries_of_an_older_version_have_their_amounts_and_stay_what_they_were(
    tenant: Tenant, before: None
) -> None:
    for detail in AMOUNTS:
        with transaction.atomic():
            append(
                tenant_id=tenant.pk,
                actor=WORKER,
                action=Action.QUERY_SUBMITTED,
                subject="query:1",
                detail=detail,
            )
    assert _amounts() == [500_000_000, None, None]
    call_command("migrate", verbosity=0)
    assert _amounts() == [500_000_000, 50_000, 999_999_999_999]
    assert recheck_all(tenant.pk).intact
    with pytest.raises(DatabaseError), transaction.atomic():
        AuditEntry.objects.update(subject="query:2")


def _amounts() -> list[int | None]:
    entries = AuditEntry.objects.filter(action=Action.QUERY_SUBMITTED).order_by("sequence")
    return list(entries.values_list("amount_nano", flat=True))
