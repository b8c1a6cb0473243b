"""L4: the publisher's own time and its failures show in nothing that appears."""

from datetime import timedelta
from threading import Event

import pytest
from django.utils import timezone

from dpgov.audit.models import AuditEntry
from dpgov.queries.answering.publisher import Publisher
from dpgov.queries.answering.publishing import PublishingRound, publish_due
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from tests.integration.queries.answering.test_publishing import Asking, seal
from tests.servers.waiting import until

pytestmark = pytest.mark.django_db(transaction=True)


def test_what_is_published_a_little_late_is_dated_to_its_moment(
    analyst: Membership, ask: Asking
) -> None:
    """L4: when the publisher came by shows neither in the row nor in the log."""
    query = seal(ask(analyst))
    moment = timezone.now() - timedelta(milliseconds=200)
    early = moment - timedelta(seconds=1)
    Query.objects.filter(pk=query.pk).update(due_at=moment, submitted_at=early)
    assert publish_due() == 1
    query.refresh_from_db()
    entry = AuditEntry.objects.get(action="QUERY_RELEASED")
    assert (query.ended_at, query.visible_at, entry.at) == (moment, moment, moment)


def test_one_failure_does_not_end_the_publisher() -> None:
    """L4: the next answers appear all the same."""
    rounds, second = [], Event()

    def publish() -> PublishingRound:
        rounds.append(1)
        if len(rounds) == 1:
            raise RuntimeError("x")
        second.set()
        return PublishingRound(0)

    publisher = Publisher(publish)
    publisher.start()
    try:
        until(second.is_set, "it has ended")
    finally:
        publisher.stop()
