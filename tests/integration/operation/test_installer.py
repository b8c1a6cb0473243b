"""What the installer of Debian does at an upgrade, on a tree whose programs only write down."""

import getpass
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.house.tree import ROOT

_WRITE_DOWN = 'echo "$(basename "$0") $*" >>"$DONE"'
_JOINT = "dpgov-joint-harbour-office.service enabled enabled"
Install = Callable[[], list[str]]


def _program(path: Path, text: str = _WRITE_DOWN) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


@pytest.fixture
def install(tmp_path: Path) -> Install:
    """Run it with all that it does; what it called, in order."""
    tree, programs, done = tmp_path / "tree", tmp_path / "programs", tmp_path / "done"
    shutil.copytree(ROOT / "docker", tree / "docker")
    _program(tree / ".uv/bin/uv")
    _program(tree / ".venv/bin/python")
    for name in ("apt-get", "chown", "su"):
        _program(programs / name, "cat >/dev/null" if name == "su" else _WRITE_DOWN)
    units = f'case "$*" in list-unit-files*) echo "{_JOINT}" ;; *) {_WRITE_DOWN} ;; esac'
    _program(programs / "systemctl", units)
    names = ("ETC", "STATE", "CHECKPOINTS", "BIN", "UNITS", "REDIS", "CADDY")
    places = {name: tmp_path / name.lower() for name in names}
    for name in ("BIN", "UNITS", "REDIS", "CADDY"):
        places[name].mkdir()
    (places["REDIS"] / "redis.conf").touch()
    told = {name: str(place) for name, place in places.items()}
    told |= {"ACCOUNT": getpass.getuser(), "DONE": str(done)}

    def run() -> list[str]:
        done.write_text("")
        ran = subprocess.run(
            ["/bin/sh", str(tree / "docker/debian/install.sh"), "budget.example.org"],
            env=os.environ | told | {"PATH": f"{programs}:{os.environ['PATH']}"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr
        return done.read_text().splitlines()

    return run


def test_workers_of_joint_answers_run_again_after_an_upgrade(install: Install) -> None:
    """Their units are the operator's: a question that waits for one fails for everybody."""
    called = install()
    stopped = called.index("systemctl stop dpgov-*")
    started = called.index("systemctl start dpgov-joint-harbour-office.service")
    (migrated,) = (at for at, what in enumerate(called) if what.startswith("systemctl enable"))
    assert stopped < migrated < started


def test_the_client_of_spark_stays_where_it_is_needed(install: Install, tmp_path: Path) -> None:
    """What is not named goes at each run, because exactly the locked packages are installed."""
    assert [what for what in install() if what.startswith("uv ")] == [
        "uv sync -q --locked --no-dev"
    ]
    with (tmp_path / "etc/environment").open("a") as environment:
        environment.write("DPGOV_LIVE_SPARK=spark.example.org:15002=s3a://hospital/data/\n")
    for _again in range(2):
        synced = [what for what in install() if what.startswith("uv ")]
        assert synced == ["uv sync -q --locked --no-dev --group spark"]
