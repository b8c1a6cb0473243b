"""The state folder as the store: a file stays where `dpgov.datasets.storage` says."""

from collections.abc import Iterable
from pathlib import Path
from uuid import UUID

from dpgov.datasets.store.base import Beat, Mark, Missing, quiet


class InFolder:
    """Nothing is copied, so that there is nothing to do; files have no name but their version's."""

    is_shared = False

    def put(self, tenant_id: UUID, path: Path, *, beat: Beat = quiet) -> str:
        """It is where it belongs."""
        return ""

    def fresh(self, name: str, beat: Beat) -> Beat:
        """Whoever makes the file renews its mark in the folder."""
        return beat

    def bring(self, tenant_id: UUID, name: str, path: Path, *, beat: Beat = quiet) -> None:
        """There is nowhere to bring it from."""
        raise Missing(path.name)

    def holds(self, tenant_id: UUID, name: str, path: Path, *, beat: Beat = quiet) -> bool:
        """Nothing lies under a name."""
        return False

    def size(self, name: str) -> int | None:
        """No name is known here."""
        return None

    def remove(self, name: str) -> None:
        """Whoever removes the file has removed it."""

    def mark(self, names: Iterable[str], mark: Mark) -> None:
        """The marks of the folder are `storage.arriving_path` and `storage.leaving_path`."""

    def unmark(self, name: str, mark: Mark) -> None:
        """Likewise."""

    def marked(self, mark: Mark, *, older_than: float) -> list[str]:
        """None by a name."""
        return []
