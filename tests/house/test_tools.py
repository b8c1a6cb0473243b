"""Linters and type checkers, with the configuration in pyproject.toml."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.tree import ROOT

_BIN = Path(sys.executable).parent

CHECKS = {
    "ruff": ["ruff", "check", "."],
    "ruff format": ["ruff", "format", "--check", "."],
    "mypy": ["mypy"],
    "import-linter": ["lint-imports", "--no-cache"],
    "djlint": ["djlint", "--lint", "--quiet", "templates"],
    "bandit (J3)": ["bandit", "-q", "-r", "dpgov", "-c", "pyproject.toml"],
}


@pytest.mark.parametrize("command", CHECKS.values(), ids=CHECKS.keys())
def test_the_tool_finds_nothing(command: list[str]) -> None:
    finished = subprocess.run(
        [str(_BIN / command[0]), *command[1:]],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
