"""The Celery task that reads files. A message only says "look"; whose turn it is the rows know.

Files wait in a queue of their own, so that no question waits behind one.
"""

import logging
from datetime import timedelta
from uuid import UUID

from celery import shared_task
from django.db.models import F, Q

from dpgov.datasets.crossing import next_arrivals, tenants_with_arrivals
from dpgov.datasets.models import Arrival
from dpgov.datasets.services.arrivals.reading import carry_out, give_up_old
from dpgov.datasets.services.arrivals.taking import ATTEMPTS, next_claim
from dpgov.datasets.services.files.uploads import Busy, reader_slot
from dpgov.operation.clock import Now
from dpgov.operation.tallies import count_broker_failure
from dpgov.tenants.boundary import acting_for

# A fresh arrival's own message is still on its way; then the pause doubles with each message.
_PATIENCE = timedelta(seconds=2)
_MOST_DOUBLED = 8
logger = logging.getLogger(__name__)


@shared_task(name="dpgov.datasets.read")
def read_next() -> None:
    """Read the file whose turn it is, if one waits and this machine has a reader free.

    Nothing in a message is believed, because it says nothing.
    """
    try:
        with reader_slot("reading"):
            claim = next_claim()
            if claim is None:
                return
            with acting_for(claim.tenant_id):
                carry_out(claim)
    except Busy:
        # Whoever holds the readers looks again when a file is done.
        return
    if next_arrivals(ATTEMPTS, 1):
        wake()


def wake() -> bool:
    """Tell a reader to look; whether the broker took the message. Must run after commit.

    A broker that is away is not an error: the sweep sends again.
    """
    try:
        read_next.delay()
    except Exception as error:
        count_broker_failure()
        logger.warning("the broker is away (%s); the sweep will send again", type(error).__name__)
        return False
    return True


def arrivals_round() -> int:
    """The sweeper's part: end what was tried too often, send again what nobody works on."""
    sent = 0
    for tenant_id in tenants_with_arrivals():
        with acting_for(tenant_id):
            give_up_old(tenant_id)
            sent += _send_again(tenant_id)
    return sent


def _send_again(tenant_id: UUID) -> int:
    """A message for each file that nobody works on and whose last message was long enough ago."""
    idle = Q(state=Arrival.State.WAITING) | Q(state=Arrival.State.READING, lease_until__lt=Now())
    rows = Arrival.objects.filter(idle, tenant_id=tenant_id, asked_at__lt=Now() - _PATIENCE)
    sent = 0
    for arrival in rows:
        if _mark_sent(arrival):
            if not wake():
                # Nobody heard it: it is due as before, as soon as the broker is back.
                mine = Arrival.objects.filter(pk=arrival.pk, sends=arrival.sends + 1)
                mine.update(sends=arrival.sends, sent_at=arrival.sent_at)
                break
            sent += 1
    return sent


def _mark_sent(arrival: Arrival) -> bool:
    """One message for one sweeper: whoever counts it up first, and not before it is due."""
    pause = _PATIENCE * 2 ** min(arrival.sends, _MOST_DOUBLED)
    long_ago = Q(sent_at__isnull=True) | Q(sent_at__lt=Now() - pause)
    mine = Arrival.objects.filter(long_ago, pk=arrival.pk, sends=arrival.sends)
    return bool(mine.update(sends=F("sends") + 1, sent_at=Now()))
