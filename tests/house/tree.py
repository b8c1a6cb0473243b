"""The project's own files, for tests that look at the source."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_NOT_OURS = {
    ".git",
    ".venv",
    ".uv",
    "var",
    "node_modules",
    "test-results",
    "__pycache__",
    ".ruff_cache",
    ".mypy_cache",
    ".pytest_cache",
    ".hypothesis",
    ".import_linter_cache",
}


def files(*suffixes: str) -> list[Path]:
    """Every file of the project with one of these endings (all, without any), sorted."""
    found = (path for path in _walk(ROOT) if not suffixes or path.suffix in suffixes)
    return sorted(found)


def _walk(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        if path.is_dir() and path.name not in _NOT_OURS:
            yield from _walk(path)
        elif path.is_file():
            yield path


def python(folder: str = "") -> list[tuple[Path, ast.Module]]:
    """Every Python file below a folder, parsed; generated first migrations left out."""
    paths = [p for p in files(".py") if p.is_relative_to(ROOT / folder)]
    own = [p for p in paths if p.name != "0001_initial.py"]
    return [(path, parsed(path)) for path in own]


@cache
def parsed(path: Path) -> ast.Module:
    """Kept, since a dozen guards read the same files; `tests/house/conftest.py` lets go of them."""
    return ast.parse(path.read_text())


def name(path: Path) -> str:
    """The path as a person writes it."""
    return path.relative_to(ROOT).as_posix()
