"""The folder of checkpoints outside the database: what survives a rebuilt or restored database.

One file a checkpoint, named by its size and the beginning of its root, never overwritten; beside
them the public keys. Mount it from elsewhere, or copy it away: whoever can change the database
must not be able to change this folder.
"""

from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

from django.conf import settings

from dpgov.audit.files import replace, write_once
from dpgov.audit.note import (
    Checkpoint,
    PublicKey,
    UnreadableKey,
    UnreadableNote,
    parse_checkpoint,
    parse_public_key,
)
from dpgov.audit.selectors import announced_keys

KEYS = "public-keys.txt"
_ENDING = ".checkpoint"
_SET_ASIDE = "set-aside"


class AnotherFileIsThere(RuntimeError):
    """A different text already has the name of this checkpoint."""


def folder_of(tenant_id: UUID) -> Path:
    """Where the tenant's checkpoints lie."""
    return Path(settings.DPGOV_CHECKPOINT_FOLDER) / str(tenant_id)


def put(tenant_id: UUID, note: str) -> None:
    """Write the checkpoint and the list of public keys; raises AnotherFileIsThere, OSError."""
    path = folder_of(tenant_id) / _name(parse_checkpoint(note))
    if not write_once(path, note) and path.read_text(encoding="utf-8") != note:
        raise AnotherFileIsThere(f"{path.name} is there already, with another text")
    put_keys(tenant_id)


def put_keys(tenant_id: UUID) -> None:
    """Write the list of public keys: every key that the folder or the database knows."""
    path = folder_of(tenant_id) / KEYS
    text = "".join(f"{key.as_text()}\n" for key in known_keys(tenant_id))
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        replace(path, text)


def known_keys(tenant_id: UUID) -> list[PublicKey]:
    """The keys listed in the folder and those announced in the database, each once.

    An old database does not know a key that came later; the folder does.
    """
    path = folder_of(tenant_id) / KEYS
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    keys = {}
    for line in filter(None, lines):
        try:
            key = parse_public_key(line)
        except UnreadableKey:
            continue
        keys[key.as_text()] = key
    return list({**keys, **{key.as_text(): key for key in announced_keys(tenant_id)}}.values())


def outside_files(tenant_id: UUID) -> list[Path]:
    """The checkpoint files, smallest first."""
    folder = folder_of(tenant_id)
    return sorted(folder.glob(f"*{_ENDING}")) if folder.is_dir() else []


def newest_outside(tenant_id: UUID) -> int | None:
    """The size of the newest checkpoint in the folder, or None when there is none.

    When it is larger than the log itself, the database is older than the folder: it was restored
    from a backup, or cut. The signature is not looked at, because a false alarm is the better
    mistake here.
    """
    for path in reversed(outside_files(tenant_id)):
        try:
            return parse_checkpoint(path.read_text(encoding="utf-8")).size
        except (OSError, ValueError):
            continue
    return None


def outside_notes(tenant_id: UUID, *, newest: int | None = None) -> Iterator[tuple[str, str]]:
    """(file name, note) of the files, or of the newest few; unreadable bytes become "?"."""
    files = outside_files(tenant_id)
    for path in files if newest is None else files[-newest:]:
        yield path.name, path.read_text(encoding="utf-8", errors="replace")


def set_aside(tenant_id: UUID, *, beyond: int) -> list[str]:
    """Move checkpoints of more than `beyond` entries out of the way, and return their names.

    For after a restored backup, once an officer has confirmed it. They are kept, as evidence.
    """
    moved = []
    for path in outside_files(tenant_id):
        if _size_in(path) > beyond:
            target = path.parent / _SET_ASIDE
            target.mkdir(mode=0o700, exist_ok=True)
            path.rename(target / path.name)
            moved.append(path.name)
    return moved


def _size_in(path: Path) -> int:
    try:
        return parse_checkpoint(path.read_text(encoding="utf-8")).size
    except (UnicodeDecodeError, UnreadableNote):
        return 0


def _name(checkpoint: Checkpoint) -> str:
    return f"{checkpoint.size:012}-{checkpoint.root.hex()[:12]}{_ENDING}"
