"""Files that are written once and never again: checkpoints and keys outside the database."""

import os
import secrets
from pathlib import Path


def write_once(path: Path, text: str) -> bool:
    """Write the file whole and durably, for its owner alone; False when it is already there.

    Written beside and linked into place, so that nobody ever reads a part of it, and two writers
    at once cannot overwrite each other.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(draft, path)
    except FileExistsError:
        return False
    finally:
        draft.unlink()
    _settle(path.parent)
    return True


def replace(path: Path, text: str) -> None:
    """Put a new file in the place of another in one step."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    write_once(draft, text)
    draft.replace(path)
    _settle(path.parent)


def _settle(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
