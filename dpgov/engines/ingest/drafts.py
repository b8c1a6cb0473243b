"""What is written on the way to a data file, and what is put aside for lack of memory."""

import shutil
from pathlib import Path


def draft_of(target: Path, suffix: str = "") -> Path:
    """A name beside the target under which nobody looks for a finished file."""
    return target.with_name(f"{target.name}.draft{suffix}")


def remove_drafts(target: Path) -> None:
    """Whatever is left of them, also of a process that was killed."""
    for leftover in target.parent.glob(f"{target.name}.draft*"):
        if leftover.is_dir():
            shutil.rmtree(leftover, ignore_errors=True)
        else:
            leftover.unlink(missing_ok=True)
