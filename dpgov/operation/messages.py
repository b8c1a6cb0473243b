"""Messages of the queue: with the id of the request that sent them, and as files without Redis.

The id in a message is checked like one in a header; nothing depends on it. Of kombu's filesystem
transport a reader may find a message half written, lose it and die of it: here a file gets its name
when it is complete, and is taken by renaming it.
"""

import time
from pathlib import Path
from queue import Empty
from typing import Any, ClassVar
from uuid import uuid4

import structlog
from celery import Task
from kombu.transport import filesystem
from kombu.utils.json import dumps, loads

from dpgov.operation import request_ids


class Channel(filesystem.Channel):
    """Writes and takes messages by renaming, which is one step for every other process."""

    # kombu's own two declarations of this method name the second argument differently.
    def _put(  # type: ignore[override]
        self, queue: str, message: dict[str, Any], **kwargs: object
    ) -> None:
        folder = Path(self.data_folder_out)
        name = f"{time.time_ns()}_{uuid4()}.{queue}.msg"
        draft = folder / f".{name}.draft"
        draft.write_text(dumps(message))
        draft.replace(folder / name)

    def _get(self, queue: str, timeout: float | None = None) -> dict[str, Any]:
        folder = Path(self.data_folder_in)
        for name in sorted(path.name for path in folder.iterdir()):
            if name.partition(".")[2] != f"{queue}.msg":
                continue
            taken = folder / f".{name}.taken"
            try:
                (folder / name).rename(taken)
            except FileNotFoundError:
                continue  # another worker was faster
            payload: dict[str, Any] = loads(taken.read_text())
            taken.unlink()
            return payload
        raise Empty


class Transport(filesystem.Transport):
    """What `filesystem://` stands for in this product; see dpgov.celery."""

    Channel = Channel
    # Files have no host, and kombu need not warn that none was named.
    default_connection_params: ClassVar[dict[str, object]] = {}


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
