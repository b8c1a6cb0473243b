"""Migrations are history: none that is listed here is ever changed, and each new one is listed."""

import ast
from hashlib import sha256
from pathlib import Path

from tests.house.tree import ROOT, files, name

LIST = ROOT / "tests/house/migrations.sha256"
# The expression of a generated field is named by its class, as the class of any field is. What it
# says is part of these migrations, so it is history like them: another one is another class.
_CLASSES = {"dpgov.audit.amounts": ROOT / "dpgov/audit/amounts.py"}


def _ours() -> list[Path]:
    found = files(".py")
    return [p for p in found if p.parent.name == "migrations" and p.name != "__init__.py"]


def test_no_migration_was_changed_since_it_was_listed() -> None:
    """`sha256sum dpgov/*/migrations/0*.py dpgov/audit/amounts.py > tests/house/migrations.sha256`

    after adding one.
    """
    listed = [line.split() for line in LIST.read_text().splitlines()]
    paths = [*_ours(), *_CLASSES.values()]
    found = {name(path): sha256(path.read_bytes()).hexdigest() for path in paths}
    assert {path: digest for digest, path in listed} == found


def test_a_migration_imports_no_living_code() -> None:
    """What it does must not change when the code does; what may change is in `installed`."""
    for path in _ours():
        imported = {
            imported.name
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.Import)
            for imported in node.names
        } | {
            node.module or ""
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.ImportFrom)
        }
        assert {one for one in imported if one.startswith("dpgov")} <= set(_CLASSES), name(path)
