"""The Celery task. A message only says "look at this query"; it is believed in nothing else."""

import logging
from uuid import UUID

from celery import shared_task

from dpgov.operation.tallies import count_broker_failure
from dpgov.queries.answer import answer_query
from dpgov.queries.crossing import tenant_of_query
from dpgov.queries.models import Query
from dpgov.tenants.boundary import acting_for

logger = logging.getLogger(__name__)


@shared_task(name="dpgov.queries.look")
def look(query_id: str, tenant_id: str) -> None:
    """Answer the query, if there is such a query of such a tenant and it still waits.

    The tenant to act for is read from the query's own row; one in a message that says otherwise
    is a forgery. Whatever is wrong with the message is dropped: the sweep finds every real query
    by itself.
    """
    try:
        query, claimed = UUID(query_id), UUID(tenant_id)
    except (ValueError, TypeError, AttributeError):
        logger.warning("dropped a malformed message")
        return
    tenant = tenant_of_query(query)
    if tenant is None or tenant != claimed:
        logger.warning("dropped a message about a query that is not there")
        return
    with acting_for(tenant):
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
