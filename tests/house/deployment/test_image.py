"""What the Dockerfile does, done here: its commands in order, in a copy of the tree.

Each path of the image stands for one below a fresh folder. Left out are the two programs that
make and use another account of the machine.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pytest
import yaml

from tests.house import tree
from tests.house.deployment import dockerfile
from tests.servers.loopback import free_port, stop
from tests.servers.waiting import end_of, until

_INSIDE = re.compile(r"(?<![\w.:/])/(app|data|checkpoints|keys|tmp)\b")
# Where packages come from and how to get there.
_FETCHING = re.compile(r"^(HOME|(PIP|UV|SSL)_.*|.*(PROXY|CA_BUNDLE))$", re.IGNORECASE)
_NEED_ROOT = ("useradd", "chown")
_COMPOSE = tree.ROOT / "docker/compose.yaml"


@dataclass(frozen=True)
class Image:
    """A built image: its folder, its variables, and the port that stands for 8000."""

    root: Path
    environment: dict[str, str]
    port: int

    def here(self, text: str) -> str:
        """The same words for this machine."""
        text = _INSIDE.sub(lambda found: f"{self.root}/{found[1]}", text)
        return re.sub(r"(0\.0\.0\.0|localhost):8000", f"127.0.0.1:{self.port}", text)

    def run(self, command: list[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.here(part) for part in command],
            cwd=self.root / "app",
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )

    @contextmanager
    def running(self, command: list[str]) -> Iterator[Path]:
        """Start it as its container would; yields its log."""
        log = self.root / "tmp" / f"{Path(command[0]).name}-{time.monotonic_ns()}.log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                [self.here(part) for part in command],
                cwd=self.root / "app",
                env=self.environment,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        try:
            yield log
        finally:
            stop(process, signal.SIGTERM)


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Image:
    """Both stages, in order, in a copy of the tree."""
    root = tmp_path_factory.mktemp("image")
    for name in ("app", "tmp", "base"):
        (root / name).mkdir()
    venv.create(root / "base", with_pip=True)
    built = Image(root, {}, free_port())
    for stage in dockerfile.stages():
        built.environment.clear()
        built.environment.update(_environment(built, stage))
        for instruction in stage.instructions:
            _do(built, instruction)
    return built


def _environment(image: Image, stage: dockerfile.Stage) -> dict[str, str]:
    """The image's own variables, and none of this machine's but where packages are kept."""
    outside = {name: value for name, value in os.environ.items() if _FETCHING.search(name)}
    path = f"{image.root}/base/bin:/usr/bin:/bin"
    own = {name: image.here(value) for name, value in stage.environment().items()}
    own["PATH"] = own.get("PATH", "$PATH").replace("$PATH", path)
    return {**outside, "UV_PYTHON": sys.executable, **own, "DPGOV_HTTPS": "0"}


def _do(image: Image, instruction: dockerfile.Instruction) -> None:
    if instruction.word == "COPY" and "--from" not in instruction.text:
        *sources, target = instruction.text.split()
        for source in sources:
            _copy(tree.ROOT / source, image.root / "app" / target)
    if instruction.word == "RUN":
        for command in instruction.text.split("&&"):
            if command.split()[0] not in _NEED_ROOT:
                done = image.run(["sh", "-c", command.strip()])
                assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copy(source, target)


def test_the_image_has_what_it_needs_and_no_tools_of_developers(image: Image) -> None:
    programs = {path.name for path in (image.root / "app/.venv/bin").iterdir()}
    assert {"python", "gunicorn", "celery"} <= programs
    assert not {"pytest", "mypy", "ruff", "bandit", "uv"} & programs
    assert (image.root / "app/collected/css/app.css").is_file()
    assert not (image.root / "app/tests").exists()


def test_a_group_that_is_named_when_it_is_built_is_installed_too(image: Image) -> None:
    building = dockerfile.stages()[0]
    (sync,) = [i.text for i in building.all("RUN") if i.text.startswith("uv sync")]
    for group in ("spark", ""):
        asked = replace(image, environment=_environment(image, building) | {"GROUP": group})
        done = asked.run(["sh", "-c", f"{sync} --dry-run"])
        assert done.returncode == 0, done.stderr
        assert ("+ pyspark" in done.stderr) is bool(group)


def _says_ready(log: Path) -> bool:
    return " ready." in log.read_text()


def test_every_process_of_the_compose_file_starts_and_passes_its_health_check(
    image: Image,
) -> None:
    """On the embedded profile, whose servers are files; nothing is written outside of the data."""
    services = yaml.safe_load(_COMPOSE.read_text())["services"]
    before = _listing(image.root / "app")
    migrated = image.run(services["migrate"]["command"])
    assert migrated.returncode == 0, migrated.stdout + migrated.stderr
    web = dockerfile.stages()[-1].all("CMD")[0].in_exec_form()
    healthy = dockerfile.stages()[-1].all("HEALTHCHECK")[0].in_exec_form()
    assert image.run(healthy).returncode != 0, "the control: nobody is there yet"
    with image.running(web) as log:
        until(lambda: image.run(healthy).returncode == 0, end_of(log))
        with image.running(services["sweeper"]["command"]) as log:
            test = services["sweeper"]["healthcheck"]["test"]
            until(lambda: _passes(image, test), end_of(log))
    for name in ("worker", "reader"):
        with image.running(services[name]["command"]) as log:
            until(partial(_says_ready, log), end_of(log))
    assert _listing(image.root / "app") == before


def _passes(image: Image, test: list[str]) -> bool:
    return image.run(["sh", "-c", test[1].replace("$$", "$")]).returncode == 0


def _listing(folder: Path) -> set[Path]:
    return set(folder.rglob("*"))


def test_the_image_is_made_for_a_python_that_the_project_supports() -> None:
    version = re.search(r"python:(\d+\.\d+)\.", dockerfile.stages()[-1].base)
    assert version is not None
    assert version[1] in ("3.11", "3.12", "3.13")
    assert sys.version_info[:2] >= (3, 11)
