"""A database that is late at boot, or whose machine is: everything starts by itself after it."""

import configparser
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.tree import ROOT
from tests.profile import clean_environment

UNITS = ROOT / "docker/systemd"


def _service(name: str) -> configparser.SectionProxy:
    unit = configparser.ConfigParser(strict=False, interpolation=None, delimiters=("=",))
    unit.read_string((UNITS / f"dpgov-{name}.service").read_text())
    return unit["Service"]


def test_the_unit_that_migrates_waits_until_the_database_answers(tmp_path: Path) -> None:
    """The others require it, so that its failure would leave them stopped for good."""
    place, programs = tmp_path / "database", tmp_path / "programs"
    place.write_text("as yet there is no database in this file, which answers with an error " * 9)
    programs.mkdir()
    # While it waits the database comes, which is seen by the next try alone.
    slept = tmp_path / "slept"
    (programs / "sleep").write_text(f'#!/bin/sh\necho "$1" >>{slept}\n: >{place}\n')
    (programs / "sleep").chmod(0o755)
    waits = _service("migrate")["ExecStartPre"]
    program, *arguments = shlex.split(waits.replace("/opt/dpgov/.venv/bin/python", sys.executable))
    done = subprocess.run(
        [program, *arguments],
        cwd=ROOT,
        env=clean_environment()
        | {
            "PATH": f"{programs}:{os.environ['PATH']}",
            "DPGOV_DATABASE_URL": f"sqlite:///{place}",
            "DPGOV_HOME": str(tmp_path / "home"),
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert (done.returncode, done.stdout) == (0, "")
    assert "file is not a database" in done.stderr, "why it waits is in the journal"
    assert slept.read_text().split() == ["5"]


def test_nothing_ends_the_wait_but_the_database() -> None:
    assert _service("migrate")["TimeoutStartSec"] == "infinity"


@pytest.mark.parametrize("name", ["web", "worker", "reader", "sweeper"])
def test_what_needs_the_tables_comes_after_it_and_by_itself_again(name: str) -> None:
    text = (UNITS / f"dpgov-{name}.service").read_text()
    assert "Requires=dpgov-migrate.service\n" in text
    assert " dpgov-migrate.service\n" in text.split("After=")[1]
    assert _service(name)["Restart"] == "always"
