"""`uv run pytest` without options: the suite on SQLite, then on PostgreSQL and Redis.

Each profile is a pytest process of its own, because Django reads its settings once. With `--whole`
both run what is thorough too, and PostgreSQL what is alike on both as a rule.
"""

import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from xdist.remote import Producer

from tests.examples import EVERY_DAY
from tests.profile import PROFILES, WHOLE, clean_environment
from tests.thorough import THOROUGH
from tests.together import Together

_HERE = Path(__file__).parent
_TITLES = {
    "sqlite": "SQLite, filesystem broker (embedded profile)",
    "postgresql": "PostgreSQL and Redis (production profile)",
}
# Neither database nor broker matters there: the first run has already said all there is. How a page
# looks is one of these things, and how far one has to click; that it comes at all is asked of
# every page on both.
ALIKE_EVERYWHERE = (
    "house",
    "statistical",
    "unit",
    "integration/access/test_the_schema.py",
    "integration/bench",
    "integration/dashboards/test_charts_in_browser.py",
    "integration/dashboards/test_empty_pages.py",
    "integration/dashboards/test_frame.py",
    "integration/dashboards/test_in_other_languages.py",
    "integration/dashboards/test_inert_text.py",
    "integration/datasets/web",
    "integration/explain",
    "integration/language",
    "integration/limits",
    "integration/noise_check/test_runs.py",
    "integration/notices/test_addresses.py",
    "integration/operation/test_debian.py",
    "integration/oversight/test_log_lines.py",
    "integration/queries/web",
    "integration/queries/wording",
    "integration/test_made_once.py",
    "journeys/asking",
    "journeys/files",
    "journeys/joint",
    "journeys/live",
    "journeys/regression",
    "journeys/tables",
    "journeys/tasks",
    "journeys/test_every_page.py",
    "journeys/test_german.py",
    "journeys/test_keyboard.py",
    "journeys/test_layout_shift.py",
    "journeys/test_lessons.py",
    "journeys/test_many_columns.py",
    "journeys/test_pages_on_the_way.py",
    "journeys/test_paper.py",
    "journeys/test_passkey.py",
    "journeys/test_tutorials.py",
)
# What depends on a database stands elsewhere; a whole run has these on PostgreSQL too. Every day
# each page is opened there by each role, each change made and each operation of the API called, as
# the database's role of the application. Who may use a route is decided above the database, and
# foreign rows are asked for table by table.
ALIKE_AS_A_RULE = (
    "integration/access/api",
    "integration/access/audience",
    "integration/access/test_every_route.py",
    "integration/access/test_mass_assignment.py",
    "integration/dashboards",
    "integration/datasets",
    "integration/demo",
    "integration/joint",
    "integration/monitoring",
    "integration/notices",
    "integration/oversight",
    "integration/queries/answering/test_same_for_neighbours.py",
    "integration/queries/asking",
    "integration/queries/free",
    "integration/queries/ready_made",
    "integration/queries/rest",
    "integration/queries/workbench",
    "integration/surveys",
    "integration/web",
    "journeys/surveys",
    "journeys/test_notebook.py",
    "journeys/test_reading.py",
    "journeys/test_state_folder.py",
)
# The other way round: every change, who belongs to an organisation, old months of the log. Asked
# every day where there are a wall and guards of the database too, and of SQLite in a whole run.
ASKED_ON_POSTGRESQL = (
    "integration/access/test_answers_fit_the_schema.py",
    "integration/access/test_every_write.py",
    "integration/access/test_names.py",
    "integration/approvals",
    "integration/audit/archive",
    "integration/audit/test_archive.py",
    "integration/audit/test_archive_files.py",
    "integration/audit/test_recheck.py",
    "integration/noise_check",
    "integration/tenants",
)
_NOTHING_RAN = 5
# On two cores: tests of real workers and browsers wait most of the time. In the order in which
# they are collected: what takes longest comes first.
_AT_ONCE = ("-n", "3", "--dist", "loadscope", "--no-loadscope-reorder")


def pytest_cmdline_main(config: pytest.Config) -> int | None:
    """Run both profiles, unless one was chosen or no test is to be run."""
    option = config.option
    if option.profile or option.help or option.version or hasattr(config, "workerinput"):
        return None
    if option.collectonly or option.showfixtures or option.markers:
        return None
    arguments = [str(argument) for argument in config.invocation_params.args]
    return _summary({profile: _run(profile, _command(profile, arguments)) for profile in PROFILES})


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Together | None:
    """See there; nothing of it where another way was asked for."""
    return Together(config, log) if config.getvalue("dist") == "loadscope" else None


def _command(profile: str, arguments: Sequence[str]) -> list[str]:
    """Without arguments, or with `--whole` alone, as on two cores; else as it was typed."""
    command = [sys.executable, "-m", "pytest", f"--profile={profile}", *arguments]
    if set(arguments) - {WHOLE}:
        return command
    whole = WHOLE in arguments
    left_out: tuple[str, ...] = () if whole else THOROUGH
    if profile != PROFILES[0]:
        left_out += ALIKE_EVERYWHERE if whole else (*ALIKE_EVERYWHERE, *ALIKE_AS_A_RULE)
    elif not whole:
        left_out += ASKED_ON_POSTGRESQL
    everyday = () if whole else (f"--hypothesis-profile={EVERY_DAY}",)
    return [*command, *_AT_ONCE, *everyday, *map(_without, left_out)]


def _without(name: str) -> str:
    """The option that leaves out a folder, a file, or one test of a file."""
    return f"--deselect=tests/{name}" if "::" in name else f"--ignore={_HERE / name}"


def _run(profile: str, command: Sequence[str]) -> int:
    print(f"\n######## {_TITLES[profile]} ########", flush=True)
    child = subprocess.Popen(command, env=clean_environment())
    return _wait(child)


def _wait(child: subprocess.Popen[bytes]) -> int:
    """Wait to the end, through Ctrl-C and SIGTERM: the child has servers to put away."""
    before = signal.signal(signal.SIGTERM, lambda *_: child.terminate())
    try:
        while True:
            try:
                return child.wait()
            except KeyboardInterrupt:
                continue
    finally:
        signal.signal(signal.SIGTERM, before)


def _summary(codes: dict[str, int]) -> int:
    print("\n######## Both profiles ########")
    for profile, code in codes.items():
        outcome = {0: "passed", _NOTHING_RAN: "FAILED: no test ran"}.get(code, f"FAILED ({code})")
        print(f"{_TITLES[profile]}: {outcome}")
    print("", flush=True)
    return 1 if any(codes.values()) else 0
