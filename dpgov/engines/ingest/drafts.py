"""What is written on the way to a data file, and what is put aside for lack of memory."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def draft_of(target: Path) -> Path:
    """A name beside the target under which nobody looks for a finished file."""
    return target.with_name(f"{target.name}.draft")


def remove_drafts(target: Path) -> None:
    """Whatever is left of them, also of a process that was killed."""
    for leftover in target.parent.glob(f"{target.name}.draft*"):
        if leftover.is_dir():
            shutil.rmtree(leftover, ignore_errors=True)
        else:
            leftover.unlink(missing_ok=True)


def force_to_disk(path: Path) -> None:
    """A file, or the names in a folder, outlive a machine that stops now."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def whole(target: Path) -> Iterator[Path]:
    """Write to the name that this gives: at the end it is the target, else nothing is left."""
    draft = draft_of(target)
    try:
        yield draft
        force_to_disk(draft)
        draft.rename(target)
        force_to_disk(target.parent)
    finally:
        remove_drafts(target)
