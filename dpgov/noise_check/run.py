"""One run of the check: every case in both modes, kept and told."""

import time
from collections.abc import Callable, Collection, Iterator
from functools import partial

import structlog
from django.db import Error, close_old_connections

from dpgov.noise_check.case import Case, SurveyCase
from dpgov.noise_check.cases import CASES, SURVEYS, TITLES
from dpgov.noise_check.findings import Finding, NoiseReport, Verdict, keep
from dpgov.noise_check.measuring import FALSE_ALARM, measure
from dpgov.noise_check.reports import measure_reports
from dpgov.noise_check.tables import table_files
from dpgov.operation.away import is_database_away
from dpgov.privacy.accounting.loss import Mode

TRIALS = 20_000
FEWEST_TRIALS = 500
# A database that is started anew is back by then; who waits at a terminal has read the lines.
_TRIES, _PAUSE = 10, 30.0
_log = structlog.get_logger("dpgov.noise_check")


def check(names: Collection[str] = (), trials: int = TRIALS) -> Iterator[Finding]:
    """A finding for each of the named cases, or for all, in each of their modes, as they are done.

    Surveys know ε alone.
    """
    wanted = names or TITLES
    chosen = [case for name, case in CASES.items() if name in wanted]
    with table_files() as files:
        for case in chosen:
            for mode in case.modes:
                yield _measured(case, mode, partial(measure, case, mode, trials, files))
    for survey in (case for name, case in SURVEYS.items() if name in wanted):
        yield _measured(survey, Mode.PURE, partial(measure_reports, survey, trials))


def keep_and_tell(findings: Collection[Finding]) -> NoiseReport:
    """Keep a run as the last one; a broken claim is an error in the log.

    It is told as well where it cannot be kept: by another role than the sweeper's, for example.
    """
    report = NoiseReport(tuple(findings), time.time())
    for finding in report.findings:
        if finding.verdict is not Verdict.FINE:
            say = _log.error if finding.verdict is Verdict.BROKEN else _log.warning
            say("noise-check", **_told(finding))
    _log.info("noise checked", verdict=report.verdict.value, findings=len(report.findings))
    _keep(report)
    return report


def _keep(report: NoiseReport) -> None:
    """While the database is away it is tried again: the next run may be a week off."""
    for tries_left in range(_TRIES - 1, -1, -1):
        try:
            return keep(report)
        except Error as problem:
            if not (tries_left and is_database_away(problem)):
                _log.warning("the noise check was not kept", kind=type(problem).__name__)
                return None
        time.sleep(_PAUSE)
        # What was connected before the run, or before the outage, is of no more use.
        close_old_connections()
    return None


def _told(finding: Finding) -> dict[str, object]:
    """All of it is about made-up tables."""
    names = ("name", "mode", "claim", "bound", "control", "problem")
    told = {name: getattr(finding, name) for name in names}
    return told | {"verdict": finding.verdict.value}


def _measured(case: Case | SurveyCase, mode: Mode, run: Callable[[], Finding]) -> Finding:
    """What cannot be run proves nothing, neither way."""
    try:
        return run()
    except Exception as error:
        _log.exception("a noise check broke off", case=case.name, mode=mode.value)
        return Finding(
            name=case.name,
            mode=mode.value,
            claim=float(case.claimed(mode) if isinstance(case, Case) else case.claim),
            weakened=float(case.weakened),
            trials=0,
            false_alarm=FALSE_ALARM,
            problem=type(error).__name__,
        )
