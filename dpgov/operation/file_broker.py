"""Messages as files in a folder, for the embedded profile: kombu's filesystem transport, with care.

The original writes a message under its final name, so a reader may find it half written, lose it
and die of it. Here a file gets its name when it is complete, and is taken by renaming it.
"""

import time
from pathlib import Path
from queue import Empty
from typing import Any, ClassVar
from uuid import uuid4

from kombu.transport import filesystem
from kombu.utils.json import dumps, loads


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
