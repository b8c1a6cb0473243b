"""Tasks that carry the id of the request which sent them, so that a worker's lines bear it.

The id in a message is checked like one in a header; nothing depends on it.
"""

from typing import Any

import structlog
from celery import Task

from dpgov.operation import request_ids

_log = structlog.get_logger("dpgov.task")


class TracedTask(Task):  # type: ignore[misc]
    """The base of every task; messages are dated, counted and believed elsewhere."""

    def apply_async(self, *args: Any, **options: Any) -> Any:
        """Send the message with the current id among its headers."""
        if request_id := request_ids.current():
            options["headers"] = {**(options.get("headers") or {}), "request_id": request_id}
        return super().apply_async(*args, **options)

    def before_start(self, task_id: str, args: Any, kwargs: Any) -> None:
        """Begin a line of events under the sender's id."""
        request_ids.begin(getattr(self.request, "request_id", None))

    def on_failure(
        self, exc: BaseException, task_id: str, args: Any, kwargs: Any, einfo: Any
    ) -> None:
        """What the worker could not finish ends by the sweep; here it is only told."""
        _log.error("a task broke off", task=self.name, exc_info=exc)

    def after_return(self, *_: Any) -> None:
        """Nothing goes on any more."""
        request_ids.end()
