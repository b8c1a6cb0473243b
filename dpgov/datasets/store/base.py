"""What the product asks of a store of files, whichever it is."""

import enum
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Protocol
from uuid import UUID

from dpgov.operation.away import ServerAway

Beat = Callable[[], object]


def quiet() -> None:
    """Nobody waits for a sign of life."""


class StoreAway(ServerAway):
    """The storage does not answer, or not as it should; the same will do later."""


class Missing(Exception):
    """The store has no such file, or what it has is not what was put there."""


class Mark(enum.StrEnum):
    """Stands beside a file whose coming or going is not certain yet."""

    ARRIVING = "arriving"
    LEAVING = "leaving"


class Store(Protocol):
    """Files by the names that it gave them. Everything may raise StoreAway."""

    @property
    def is_shared(self) -> bool:
        """Whether files lie elsewhere than in the state folder."""

    def put(self, tenant_id: UUID, path: Path, *, beat: Beat = quiet) -> str:
        """Keep this file, marked as arriving; returns its name. `beat` is called meanwhile."""

    def fresh(self, name: str, beat: Beat) -> Beat:
        """The same beat; as long as it goes on, the file's mark as arriving does not grow old."""

    def bring(self, tenant_id: UUID, name: str, path: Path, *, beat: Beat = quiet) -> None:
        """Make `path` the whole file or nothing; raises Missing."""

    def holds(self, tenant_id: UUID, name: str, path: Path, *, beat: Beat = quiet) -> bool:
        """Whether what lies under this name, read to its end, is the file at `path`."""

    def size(self, name: str) -> int | None:
        """How much room it takes, about; None if it is not there."""

    def remove(self, name: str) -> None:
        """It is gone afterwards, whether or not it was there; so are its marks."""

    def mark(self, names: Iterable[str], mark: Mark) -> None:
        """Say so of each; before what it says is begun."""

    def unmark(self, name: str, mark: Mark) -> None:
        """It is certain now."""

    def marked(self, mark: Mark, *, older_than: float) -> list[str]:
        """Those marked so, at least so many seconds ago."""
