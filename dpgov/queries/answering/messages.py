"""How many messages lie in the broker. Few are enough: each says "look" and nothing else, and a
worker that is done wakes the next one as long as questions wait.
"""

import logging
from contextlib import AbstractContextManager
from typing import Any

from celery import current_app

# More than the processes of any installation: each takes one, and then wakes the next.
MOST_MESSAGES = 100

logger = logging.getLogger(__name__)


def messages() -> int | None:
    """How many no worker has taken yet; None when the broker does not say."""
    try:
        with line() as producer:
            return length(producer)
    except Exception as error:
        logger.info("the broker is away (%s)", type(error).__name__)
        return None


def line() -> AbstractContextManager[Any]:
    """A line to the broker, out of this process's pool."""
    producer: AbstractContextManager[Any] = current_app.producer_or_acquire()
    return producer


def length(producer: Any) -> int:
    """Counted by the transport: one LLEN in Redis, one look into the folder of the file broker."""
    return int(producer.channel._size(current_app.conf.task_default_queue))
