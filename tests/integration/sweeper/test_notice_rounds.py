"""M100: of two steps that wait for each other one is ended, and only that one is left for later."""

from uuid import UUID

import pytest
from django.db import OperationalError

from dpgov.sweeper import notices
from dpgov.tenants.models import Tenant
from tests.integration.meeting import conflict

pytestmark = pytest.mark.django_db(transaction=True)


def followed(problem: Exception, monkeypatch: pytest.MonkeyPatch) -> list[UUID]:
    """Whose events a round told, where those of the first organisation met this."""
    told: list[UUID] = []

    def follow(tenant_id: UUID) -> int:
        told.append(tenant_id)
        if len(told) == 1:
            raise problem
        return 0

    with monkeypatch.context() as patch:
        patch.setattr(notices, "follow", follow)
        notices.notices_round()
    return told


def test_a_step_that_the_database_ended_keeps_no_other_organisation_waiting(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """M100: it was taken for a database that is away, and everybody waited for the next round."""
    other = Tenant.objects.create(slug="zz-other", name="Other")
    assert followed(conflict(), monkeypatch) == [tenant.pk, other.pk]


def test_a_database_that_is_away_ends_the_round(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody else would fare better, and the sweeper is told."""
    with pytest.raises(OperationalError):
        followed(OperationalError(), monkeypatch)
