"""What tests of notices share: the log as it stands is read, and what a person sees is said."""

from collections.abc import Callable
from typing import Any

import pytest

from dpgov.notices.events.follow import follow
from dpgov.notices.kinds import Kind
from dpgov.notices.models import Notice
from dpgov.notices.words import sentence
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.models import Membership, Tenant

Told = Callable[[Membership], list[str]]


@pytest.fixture(autouse=True)
def _no_report_of_another_test(settings: Any, tmp_path: Any) -> None:
    settings.DPGOV_HOME = tmp_path


def read_the_log(tenant: Tenant) -> int:
    """One round of one tenant, as the sweeper does it."""
    with acting_for(tenant.id):
        return follow(tenant.id)


@pytest.fixture
def told() -> Told:
    """The sentences that this person has been told, oldest first, whether due or not.

    But for the new data that every test begins with:
    `tests/integration/datasets/held/test_looks.py`.
    """

    def sentences(member: Membership) -> list[str]:
        own = Notice.objects.filter(person=member.user, tenant=member.tenant)
        told = own.exclude(event__kind=Kind.NEW_DATA).select_related("event")
        events = [n.event for n in told.order_by("due_at", "id")]
        return [sentence(event.kind, event.detail) for event in events]

    return sentences
