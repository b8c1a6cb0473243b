"""Which servers a test run uses, decided before Django reads its settings.

Loaded early (`-p tests.profile`). `--profile=sqlite` is the embedded profile and
`--profile=postgresql` a throw-away PostgreSQL and Redis. Without the option,
`tests.both_profiles` runs one after the other.
"""

import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Generator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.servers.keys import new_keys
from tests.servers.missing import MissingProgram
from tests.servers.postgres import APP, AUDITOR, SWEEPER, throw_away_postgres
from tests.servers.redis import throw_away_redis

PROFILES = ("sqlite", "postgresql")
WHOLE = "--whole"
_ROOT = "DPGOV_TESTS_ROOT"
_BROKER = "DPGOV_TESTS_REDIS"
_SCREENSHOTS = "DPGOV_SCREENSHOTS"
# Of Redis: messages and counts of the tests themselves, of the journeys' product, and of one more.
_NUMBERS_OF_A_WORKER = 6
_MEMORY = Path("/dev/shm")  # noqa: S108
_ROOM = 3 * 2**30


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("dpgov")
    group.addoption(
        "--profile",
        choices=PROFILES,
        default=None,
        help="run on one set of servers only; without it the suite runs on each in turn",
    )
    group.addoption(
        WHOLE,
        action="store_true",
        help="with nothing else: the thorough tests too, as CI does",
    )


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Generator[None]:
    """A wrapper, because it must come before pytest-django, which loads the settings."""
    if _ROOT not in os.environ:
        resources = ExitStack()
        early_config.add_cleanup(resources.close)
        profile = early_config.known_args_namespace.profile
        try:
            _begin(profile, resources)
        except MissingProgram as missing:
            resources.close()
            raise pytest.UsageError(str(missing)) from None
    _settle_worker()
    yield


def _begin(profile: str | None, resources: ExitStack) -> None:
    """Called once per run; xdist workers inherit what it puts into the environment."""
    root = Path(tempfile.mkdtemp(prefix="dpgov-tests-", dir=_in_memory()))
    root.chmod(0o711)
    resources.callback(shutil.rmtree, root, ignore_errors=True)
    for name in set(os.environ) - set(clean_environment()):
        del os.environ[name]
    _compile_once(root)
    signal.signal(signal.SIGTERM, _interrupt)
    if profile == "postgresql":
        os.environ["DPGOV_DATABASE_URL"] = resources.enter_context(throw_away_postgres(root))
        os.environ["DPGOV_DATABASE_APP_ROLE"] = APP
        os.environ["DPGOV_DATABASE_SWEEPER_ROLE"] = SWEEPER
        os.environ["DPGOV_DATABASE_AUDITOR_ROLE"] = AUDITOR
        os.environ.update(new_keys())
        os.environ[_BROKER] = resources.enter_context(throw_away_redis(root))
    os.environ[_ROOT] = str(root)
    resources.callback(os.environ.pop, _ROOT, None)


def _compile_once(root: Path) -> None:
    """Where Python is told to keep nothing compiled, a run keeps it for itself, and no longer.

    Hundreds of processes begin in a run; each would spend most of its start on compiling again.
    """
    if os.environ.pop("PYTHONDONTWRITEBYTECODE", None):
        sys.pycache_prefix = os.environ.setdefault("PYTHONPYCACHEPREFIX", str(root / "compiled"))
        sys.dont_write_bytecode = False


def _in_memory() -> Path | None:
    """A folder that no disk slows down, where there is one with room; None for the usual place."""
    if not (_MEMORY.is_dir() and os.access(_MEMORY, os.W_OK)):
        return None
    facts = os.statvfs(_MEMORY)
    roomy = facts.f_bavail * facts.f_frsize >= _ROOM
    return _MEMORY if roomy and not facts.f_flag & os.ST_NOEXEC else None


def clean_environment() -> dict[str, str]:
    """The environment without settings of the product: a test run makes its own."""
    kept = (_SCREENSHOTS,)
    return {n: v for n, v in os.environ.items() if n in kept or not n.startswith("DPGOV_")}


def _interrupt(*_: object) -> None:
    """SIGTERM ends a run as Ctrl-C does, so that the servers are put away."""
    raise KeyboardInterrupt


def _settle_worker() -> None:
    """Each process of a run has a state folder and Redis databases of its own."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
    os.environ["DPGOV_HOME"] = str(root_of_the_run() / worker)
    os.environ["DPGOV_HTTPS"] = "0"
    if redis := os.environ.get(_BROKER):
        number = 0 if worker == "main" else 1 + int(worker.removeprefix("gw"))
        os.environ.update(redis_numbers(redis, _NUMBERS_OF_A_WORKER * number))


def is_in_a_run() -> bool:
    """Whether tests are run; a script of `bench/` has no folder to share."""
    return _ROOT in os.environ


def root_of_the_run() -> Path:
    """The folder that all processes of this run share."""
    return Path(os.environ[_ROOT])


def redis_numbers(redis: str, first: int) -> dict[str, str]:
    """Settings that put messages under one number of a server, and counts under the next."""
    counts = f"{redis.replace('redis:', 'rediscache:')}/{first + 1}"
    return {"DPGOV_BROKER_URL": f"{redis}/{first}", "DPGOV_CACHE_URL": counts}
