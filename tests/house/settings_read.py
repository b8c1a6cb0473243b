"""Which names of variables the product reads from its environment, found in its source."""

import re
from pathlib import Path

from tests.house import tree

_NAME = re.compile(r'"(DPGOV_\w+)"')
_TEXT_OR_FILE = re.compile(r'secret_text\(env, "(\w+)"\)')


def names() -> set[str]:
    """Every name in the files that read the environment, with their _FILE twins."""
    text = "".join(path.read_text() for path in _files())
    return set(_NAME.findall(text)) | {f"{name}_FILE" for name in _TEXT_OR_FILE.findall(text)}


def _files() -> list[Path]:
    room = tree.ROOT / "dpgov"
    return [room / "settings.py", *sorted(room.glob("configuration/*.py"))]
