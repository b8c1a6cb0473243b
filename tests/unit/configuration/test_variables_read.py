"""A variable that was mistyped is told; what it should have been would be the default otherwise."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dpgov.operation.checks import every_variable_is_read
from tests.house import settings_read
from tests.house.tree import ROOT
from tests.servers.variables import variables

_PROGRAM = "import dpgov.settings as s; print(*sorted(s.env.known), sep='\\n')"


def _told(settings: Any, unread: dict[str, str]) -> list[tuple[str, str | None]]:
    settings.DPGOV_UNREAD = unread
    return [(found.msg, found.hint) for found in every_variable_is_read()]


def test_a_name_that_nobody_asks_for_is_told_with_the_one_that_may_be_meant(settings: Any) -> None:
    env = variables({"DPGOV_MFA_REQUIRE": "owner", "DPGOV_NONSENSE": "1", "OTHER": "1"})
    env.list("DPGOV_MFA_REQUIRED", default=[])
    assert _told(settings, env.unread()) == [
        ("DPGOV_MFA_REQUIRE is set, and nothing reads it.", "Did you mean DPGOV_MFA_REQUIRED?"),
        (
            "DPGOV_NONSENSE is set, and nothing reads it.",
            "docs/configuration.md lists the names.",
        ),
    ]


@pytest.mark.parametrize(
    "given",
    [{"DPGOV_MFA_REQUIRED": "owner"}, {"DPGOV_MFA_REQUIRE": ""}, {"DPGOV_HOST": "example.org"}],
)
def test_what_is_read_or_empty_or_for_others_is_not_told(
    settings: Any, given: dict[str, str]
) -> None:
    env = variables(given)
    env.list("DPGOV_MFA_REQUIRED", default=[])
    assert _told(settings, env.unread()) == []


def test_every_name_of_the_documentation_is_known_whatever_else_is_set(tmp_path: Path) -> None:
    """Nobody is warned of a right name because what it belongs to is not set."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("DPGOV_")}
    known = subprocess.run(
        [sys.executable, "-c", _PROGRAM],
        cwd=ROOT,
        env=own | {"DPGOV_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert set(known.split()) == settings_read.names()
