"""Finds the programs that the tests start, or says which package to install."""

import shutil
from collections.abc import Iterable
from pathlib import Path


class MissingProgram(Exception):
    """A program that the whole suite needs is not installed. Fails the run; never skips a test."""

    def __init__(self, program: str, package: str) -> None:
        super().__init__(f"{program} is not installed: apt-get install {package}")


def find(names: Iterable[str], package: str, folders: Iterable[Path] = ()) -> Path:
    """The first of these programs in `folders`, then on the PATH. Raises MissingProgram."""
    wanted = list(names)
    for folder in folders:
        for name in wanted:
            if (folder / name).exists():
                return folder / name
    for name in wanted:
        if found := shutil.which(name):
            return Path(found)
    raise MissingProgram(wanted[0], package)


def find_browser() -> Path:
    """Chromium, at best the build without windows: it takes half the processor time."""
    names = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]
    return find(names, names[0])
