"""The thread of the sweeper that publishes, many times a second.

Beside the sweeper's rounds, which may take seconds (letters, checkpoints), and apart from every
worker: nothing that it does depends on data.
"""

import logging
import threading
import time
from collections.abc import Callable

from django.db import Error, connection

from dpgov.queries.answering.moments import MARGIN
from dpgov.queries.answering.publishing import PublishingRound, publish_round

logger = logging.getLogger(__name__)

# What is sealed in time for its moment is seen in time for it, or when it appears would tell when
# it was sealed.
_PAUSE = MARGIN.total_seconds()
_PAUSE_AFTER_TROUBLE = 1.0


class Publisher:
    """Publishes from `start` to `stop`, through restarts of the database."""

    def __init__(self, publish: Callable[[], PublishingRound] = publish_round) -> None:
        self._publish = publish
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="publisher", daemon=True)

    def start(self) -> None:
        """Begin; once."""
        self._thread.start()

    def stop(self) -> None:
        """End after what is being published now."""
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        pause = _PAUSE
        while not self._stopped.wait(pause):
            pause = self._pause_after_one()
        connection.close()

    def _pause_after_one(self) -> float:
        """One round, and how long nothing is to do; a failed connection is not used again."""
        began = time.monotonic()
        try:
            next_after = self._publish().next_after
        except Exception as error:
            away = isinstance(error, Error)
            logger.log(
                logging.WARNING if away else logging.ERROR,
                "nothing is published at present: %s",
                type(error).__name__,
                exc_info=None if away else error,
            )
            connection.close()
            return _PAUSE_AFTER_TROUBLE
        if next_after is None:
            return _PAUSE
        return min(_PAUSE, max(0.0, next_after.total_seconds() - (time.monotonic() - began)))
