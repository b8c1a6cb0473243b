"""Django's own checks, as an operator would run them."""

import os
import subprocess
import sys
from pathlib import Path

from tests.house.tree import ROOT


def test_models_and_migrations_agree(tmp_path: Path) -> None:
    finished = _manage(tmp_path, "makemigrations", "--check", "--dry-run")
    assert finished.returncode == 0, finished.stdout + finished.stderr


def test_the_defaults_are_fit_for_deployment(tmp_path: Path) -> None:
    """J1: `check --deploy` has no warnings with the settings of a fresh installation."""
    finished = _manage(tmp_path, "check", "--deploy", "--fail-level", "WARNING")
    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert "no issues (0 silenced)" in finished.stdout


def test_the_api_schema_is_complete(tmp_path: Path) -> None:
    finished = _manage(
        tmp_path, "spectacular", "--api-version", "v1", "--validate", "--fail-on-warn"
    )
    assert finished.returncode == 0, finished.stderr
    assert "/api/v1/datasets/" in finished.stdout


def _manage(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith("DPGOV_")}
    return subprocess.run(
        [sys.executable, "-W", "error", "manage.py", *arguments],
        cwd=ROOT,
        env=own | {"DPGOV_HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )
