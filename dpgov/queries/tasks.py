"""The Celery task. A message only says "look at this query"; it is believed in nothing else."""

import logging
from uuid import UUID

from celery import shared_task

from dpgov.operation.tallies import count_broker_failure
from dpgov.queries.answer import answer_query
from dpgov.queries.models import Query

logger = logging.getLogger(__name__)


@shared_task(name="dpgov.queries.look")
def look(query_id: str, tenant_id: str) -> None:
    """Answer the query, if there is such a query of such a tenant and it still waits.

    Whatever is wrong with the message is dropped: the sweep finds every real query by itself.
    """
    try:
        query, tenant = UUID(query_id), UUID(tenant_id)
    except (ValueError, TypeError, AttributeError):
        logger.warning("dropped a malformed message")
        return
    if not Query.objects.filter(pk=query, tenant_id=tenant).exists():
        logger.warning("dropped a message about a query that is not there")
        return
    answer_query(query)


def wake(query: Query) -> bool:
    """Tell a worker to look; whether the broker took the message. Must run after commit.

    A broker that is away is not an error: the sweep sends again.
    """
    try:
        look.delay(str(query.pk), str(query.tenant_id))
    except Exception as error:
        count_broker_failure()
        logger.warning("the broker is away (%s); the sweep will send again", type(error).__name__)
        return False
    return True
