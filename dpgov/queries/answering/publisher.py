"""The thread of the sweeper that publishes what is due, many times a second.

Beside the sweeper's rounds, which may take seconds (letters, checkpoints), and apart from every
worker: nothing that it does depends on data.
"""

import logging
import threading
from collections.abc import Callable

from django.db import Error, connection

from dpgov.queries.answering.publishing import publish_due

logger = logging.getLogger(__name__)

_PAUSE = 0.05
_PAUSE_AFTER_TROUBLE = 1.0


class Publisher:
    """Publishes from `start` to `stop`, through restarts of the database."""

    def __init__(self, publish: Callable[[], int] = publish_due) -> None:
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
            pause = _PAUSE if self._published() else _PAUSE_AFTER_TROUBLE
        connection.close()

    def _published(self) -> bool:
        """Whether all went well; a connection that failed is not used again."""
        try:
            self._publish()
        except Exception as error:
            away = isinstance(error, Error)
            logger.log(
                logging.WARNING if away else logging.ERROR,
                "nothing is published at present: %s",
                type(error).__name__,
                exc_info=None if away else error,
            )
            connection.close()
            return False
        return True
