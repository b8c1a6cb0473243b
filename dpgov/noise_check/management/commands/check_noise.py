"""`manage.py check_noise`: does the deployed noise keep what it claims?"""

import json
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from dpgov.noise_check.cases import TITLES
from dpgov.noise_check.findings import Finding, NoiseReport, Verdict
from dpgov.noise_check.run import FEWEST_TRIALS, TRIALS, check, keep_and_tell

_REFUSALS = {
    Verdict.BROKEN: ("A claim is broken: see docs/noise-check.md.", 1),
    Verdict.CANNOT_TELL: ("Cannot tell: a control was not caught. Give more --trials.", 2),
}
_HEAD = ("statistic", "mode", "claim", "at least", "control", "caught", "verdict")
_A_MOMENT = 0.01
_LINE = "{:<34}{:<6}{:>7}{:>10}{:>10}  {:<7} {}"


class Command(BaseCommand):
    help = (
        "Compare the privacy loss that can be seen on made-up tables with what is claimed. "
        "Ends with 0: fine, 1: a claim is broken, 2: cannot tell."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--trials", type=int, default=TRIALS, help="answers about each table")
        parser.add_argument("--statistic", action="append", choices=list(TITLES), default=[])
        parser.add_argument("--json", action="store_true", help="one object, when all is done")

    def handle(self, *args: Any, **options: Any) -> None:
        """A run of all statistics is kept as the last one; a run of some is only shown."""
        trials, names = max(FEWEST_TRIALS, options["trials"]), options["statistic"]
        found = []
        with _tidy_when_ended() as end_if_asked:
            for finding in self._shown(check(names, trials), quiet=options["json"]):
                found.append(finding)
                end_if_asked()
        report = NoiseReport(tuple(found), 0.0) if names else keep_and_tell(found)
        if options["json"]:
            self.stdout.write(json.dumps(report.as_json()))
        if report.verdict in _REFUSALS:
            message, code = _REFUSALS[report.verdict]
            raise CommandError(message, returncode=code)

    def _shown(self, findings: Iterator[Finding], *, quiet: bool) -> Iterator[Finding]:
        """Each as it comes: all of them take long."""
        if not quiet:
            self.stdout.write(_LINE.format(*_HEAD))
        for finding in findings:
            if not quiet:
                self.stdout.write(_line(finding))
                self.stdout.flush()
            yield finding


@contextmanager
def _tidy_when_ended() -> Iterator[Callable[[], None]]:
    """A run that is asked to end takes its made-up tables with it.

    It ends at once, or, where the signal came while an object was being deleted, which swallows
    every exception, a moment later; at the latest when what is yielded here is called next.
    """
    asked: list[int] = []

    def end(*_: object) -> None:
        asked.append(128 + signal.SIGTERM)
        sys.exit(asked[0])

    def end_if_asked() -> None:
        if asked:
            sys.exit(asked[0])

    with _swallowed_is_said_again(), _on(signal.SIGTERM, end), _on(signal.SIGALRM, end):
        yield end_if_asked


@contextmanager
def _swallowed_is_said_again() -> Iterator[None]:
    """Python tells of an exception that goes nowhere: then it is raised once more, elsewhere."""
    before = sys.unraisablehook

    def told(what: Any) -> None:
        if issubclass(what.exc_type, SystemExit):
            signal.setitimer(signal.ITIMER_REAL, _A_MOMENT)
        else:
            before(what)

    sys.unraisablehook = told
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        sys.unraisablehook = before


@contextmanager
def _on(number: int, handler: Callable[..., None]) -> Iterator[None]:
    before = signal.signal(number, handler)
    try:
        yield
    finally:
        signal.signal(number, before)


def _line(finding: Finding) -> str:
    loss = "ε" if finding.mode == "pure" else "ρ"
    return _LINE.format(
        TITLES[finding.name],
        finding.mode,
        f"{loss} {finding.claim:g}",
        f"{finding.bound:.3f}",
        f"{finding.control:.3f}",
        "yes" if finding.caught else "no",
        finding.outcome,
    )
