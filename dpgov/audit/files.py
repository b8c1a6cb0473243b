"""Files that are written once and never again: checkpoints, keys and archives of the log."""

import os
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO


def write_once(path: Path, text: str) -> bool:
    """Write the text as `put_once` does; False when the file is already there."""
    content = text.encode("utf-8")
    return put_once(path, lambda file: file.write(content))


def put_once(path: Path, write: Callable[[BinaryIO], object]) -> bool:
    """Make the file whole and durable, for its owner alone; False when it is already there.

    Written beside and linked into place, so that nobody ever reads a part of it, and two writers
    at once cannot overwrite each other.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
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
