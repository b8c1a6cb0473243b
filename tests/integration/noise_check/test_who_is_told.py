"""Who hears of a noise check: the command's caller, the log, the metrics, officers; and when."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import ProgrammingError
from django.test import Client
from django.urls import reverse
from structlog.testing import capture_logs

from dpgov.noise_check import run, scheduled
from dpgov.noise_check.findings import Finding, NoiseReport, Verdict, keep, last_report
from dpgov.noise_check.management.commands import check_noise
from dpgov.noise_check.models import LastRun
from dpgov.noise_check.scheduled import ScheduledCheck
from dpgov.notices.events.follow import follow
from dpgov.notices.selectors import notices_of
from dpgov.tenants.models import Membership
from tests.house.tree import ROOT
from tests.servers.waiting import until

pytestmark = pytest.mark.django_db
FINE = Finding("count", "pure", 2.0, 1.3, 20_000, 1e-6, 50, bound=1.8, control=2.4)
BROKEN = Finding("sum", "pure", 2.0, 1.3, 20_000, 1e-6, 50, bound=2.2, control=2.9)
BLIND = Finding("mean", "zcdp", 0.5, 1.3, 500, 1e-6, 50, 0.1, 0.3, 3.1, 1.2, "0.001")
RUNS = [
    ([FINE], Verdict.FINE, 0),
    ([FINE, BROKEN, BLIND], Verdict.BROKEN, 1),
    ([FINE, BLIND], Verdict.CANNOT_TELL, 2),
    ([], Verdict.CANNOT_TELL, 2),
]


@pytest.fixture(autouse=True)
def home(settings: Any, tmp_path: Path) -> Path:
    settings.DPGOV_HOME = tmp_path
    return tmp_path


def told(monkeypatch: pytest.MonkeyPatch, findings: list[Finding], *more: str) -> tuple[str, int]:
    """What the command prints when a check finds this, and how it ends."""
    monkeypatch.setattr(check_noise, "check", lambda names, trials: iter(findings))
    said = StringIO()
    try:
        call_command("check_noise", *more, stdout=said)
    except CommandError as error:
        return said.getvalue(), error.returncode
    return said.getvalue(), 0


@pytest.mark.parametrize(("findings", "verdict", "code"), RUNS)
def test_the_command_ends_as_its_worst_finding_says_and_keeps_them(
    findings: list[Finding], verdict: Verdict, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    said, ended = told(monkeypatch, findings, "--json")
    assert ended == code
    assert json.loads(said)["verdict"] == verdict.value
    kept = last_report()
    assert kept is not None
    assert kept.findings == tuple(findings)
    assert kept.age < 60


def test_one_statistic_alone_is_shown_but_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    said, _ = told(monkeypatch, [FINE], "--statistic", "count")
    assert "1.800" in said
    assert last_report() is None


def test_a_run_that_is_asked_to_end_takes_its_tables_with_it(home: Path) -> None:
    command = [sys.executable, str(ROOT / "manage.py"), "check_noise", "--statistic", "min"]
    surroundings = {**os.environ, "TMPDIR": str(home), "DPGOV_HOME": str(home / "state")}
    process = subprocess.Popen(command, env=surroundings, stdout=subprocess.DEVNULL)
    until(lambda: any(home.glob("dpgov-noise-check-*/*.duckdb")), "no table was made")
    process.terminate()
    assert process.wait() == 143
    assert not list(home.glob("dpgov-noise-check-*"))


class Swallowing:
    """An exception in a `__del__` goes nowhere, and OpenDP's objects have one."""

    def __del__(self) -> None:
        with suppress(SystemExit):
            signal.raise_signal(signal.SIGTERM)


def test_a_signal_that_nobody_is_told_of_ends_the_run_at_the_next_finding(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def findings(*_: object) -> Iterator[Finding]:
        Swallowing()
        yield FINE
        yield BROKEN

    monkeypatch.setattr(check_noise, "check", findings)
    with pytest.raises(SystemExit, match="143"):
        call_command("check_noise", stdout=StringIO())
    assert last_report() is None


def test_a_signal_that_is_swallowed_ends_the_run_in_the_midst_of_a_finding(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Deleted:
        def __del__(self) -> None:
            signal.raise_signal(signal.SIGTERM)

    def findings(*_: object) -> Iterator[Finding]:
        Deleted()
        until(lambda: False, "it was not ended")
        yield FINE

    monkeypatch.setattr(check_noise, "check", findings)
    with pytest.raises(SystemExit, match="143"):
        call_command("check_noise", stdout=StringIO())


def test_a_broken_claim_is_an_error_in_the_log_and_a_blind_test_a_warning() -> None:
    with capture_logs() as lines:
        run.keep_and_tell([FINE, BROKEN, BLIND])
    levels = {
        line.get("name"): line["log_level"] for line in lines if line["event"] == "noise-check"
    }
    assert levels == {"sum": "error", "mean": "warning"}


def test_under_zcdp_a_claim_is_broken_at_its_delta_too() -> None:
    kept = Finding("mean", "zcdp", 0.5, 1.3, 500, 1e-6, 50, 0.1, 0.9, 3.1, 3.2, "0.001")
    assert kept.verdict is Verdict.BROKEN


@pytest.mark.parametrize("body", ["", [], {}, {"findings": [{"x": 1}], "at": 1}], ids=str)
def test_a_report_that_cannot_be_read_is_none(body: object) -> None:
    LastRun.objects.create(report=body)
    assert last_report() is None


def test_only_the_last_run_is_kept(officer: Membership) -> None:
    keep(NoiseReport((BROKEN,), time.time()))
    keep(NoiseReport((FINE,), time.time()))
    assert LastRun.objects.count() == 1
    kept = last_report()
    assert kept is not None
    assert kept.findings == (FINE,)


def _refused(**_: object) -> NoiseReport:
    raise ProgrammingError("permission denied for table noise_check_lastrun")


def test_a_run_that_cannot_be_kept_is_told_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a role that may not write it, or while the database is away."""
    monkeypatch.setattr(LastRun.objects, "update_or_create", _refused)
    with capture_logs() as lines:
        said, ended = told(monkeypatch, [BROKEN], "--json")
    assert ended == 1
    assert json.loads(said)["verdict"] == "broken"
    assert "the noise check was not kept" in {line["event"] for line in lines}
    assert last_report() is None


def test_while_the_database_is_away_no_run_is_started_and_no_sweeper_ends(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.DPGOV_NOISE_CHECK_HOURS = 1e-9
    processes = started(monkeypatch)
    monkeypatch.setattr(scheduled, "last_report", _refused)
    ScheduledCheck().look()
    assert processes == []


def test_the_metrics_tell_its_verdict_and_age_and_nothing_before_the_first(settings: Any) -> None:
    settings.DPGOV_METRICS_TOKEN = "an-operator-s-token"  # noqa: S105 - opens this test alone

    def read() -> str:
        headers = {"Authorization": f"Bearer {settings.DPGOV_METRICS_TOKEN}"}
        return Client().get("/metrics", headers=headers).content.decode()

    assert "dpgov_noise_check" not in read()
    keep(NoiseReport((FINE,), time.time()))
    assert "dpgov_noise_check_ok 1.0" in read()
    keep(NoiseReport((FINE, BROKEN), time.time() - 7200))
    text = read()
    assert "dpgov_noise_check_ok 0.0" in text
    assert "dpgov_noise_check_broken 1.0" in text
    assert "dpgov_noise_check_age_seconds 72" in text
    keep(NoiseReport((FINE,), time.time() + 400 * 86_400))
    assert "dpgov_noise_check_age_seconds +Inf" in read()


def test_an_alarm_from_the_future_is_told_now(officer: Membership) -> None:
    """A clock that was ahead puts it off no more than it does the next run."""
    keep(NoiseReport((FINE, BROKEN), time.time() + 400 * 86_400))
    follow(officer.tenant_id)
    follow(officer.tenant_id)
    (notice,) = notices_of(officer)
    assert (notice.event.kind, notice.event.detail) == ("noise_check", {"verdict": "broken"})


def test_a_try_under_a_clock_ahead_does_not_put_off_the_next(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.DPGOV_NOISE_CHECK_HOURS = 1
    processes, schedule, ran = started(monkeypatch), ScheduledCheck(), time.monotonic()
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + 400 * 86_400)
    schedule.look()
    monkeypatch.setattr(time, "time", real)
    processes[-1].wait()
    schedule.look()
    assert len(processes) == 1
    monkeypatch.setattr(time, "monotonic", lambda: ran + 3_700)
    schedule.look()
    assert len(processes) == 2
    monkeypatch.undo()
    processes[-1].wait()


def test_an_officer_reads_each_finding_with_its_control(
    officer: Membership, client_for: Callable[[Membership], Client]
) -> None:
    browser, path = client_for(officer), reverse("oversight:noise_check")
    assert "No noise check was run yet" in browser.get(path).content.decode()
    keep(NoiseReport((FINE, BROKEN, BLIND), time.time()))
    html = " ".join(browser.get(path).content.decode().split())
    assert "loses more privacy than it is charged for" in html
    assert "caught: at least 2.400 with noise 1.3 times too small" in html
    assert "not caught: at least 0.300" in html
    assert "99.9999" in html
    assert "1.20 of 3.10" in html


def started(monkeypatch: pytest.MonkeyPatch, seconds: str = "0") -> list[subprocess.Popen[bytes]]:
    """Processes that the schedule starts, each of which only waits."""
    found: list[subprocess.Popen[bytes]] = []

    def start() -> subprocess.Popen[bytes]:
        program = f"import time; time.sleep({seconds})"
        found.append(subprocess.Popen([sys.executable, "-c", program]))
        return found[-1]

    monkeypatch.setattr(scheduled, "_start", start)
    return found


def test_the_sweeper_starts_a_run_when_it_is_due_and_one_at_a_time(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.DPGOV_NOISE_CHECK_HOURS = 1e-9
    processes = started(monkeypatch, "600")
    schedule = ScheduledCheck()
    schedule.look()
    schedule.look()
    assert len(processes) == 1
    schedule.stop()
    assert processes[0].returncode != 0
    schedule.look()
    assert len(processes) == 2
    schedule.stop()


@pytest.mark.parametrize(
    ("hours", "age", "runs"),
    [(0, 1e9, 0), (2, 3_600, 0), (2, 7_300, 1), (2, -30, 0), (2, -34_560_000, 1), (0, -1e7, 0)],
)
def test_a_run_is_due_when_the_last_is_old_enough_or_from_the_future(
    hours: float, age: float, runs: int, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.DPGOV_NOISE_CHECK_HOURS = hours
    keep(NoiseReport((FINE,), time.time() - age))
    processes = started(monkeypatch)
    schedule = ScheduledCheck()
    schedule.look()
    for process in processes:
        process.wait()
    # A run that kept nothing is not tried again before its time.
    schedule.look()
    assert len(processes) == runs
