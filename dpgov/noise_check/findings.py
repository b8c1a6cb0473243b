"""What a check found, and the row that keeps the last one for all machines of an installation."""

import math
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from dpgov.language.said import said
from dpgov.noise_check.models import LastRun

# Who reads a report may be another machine than the one that wrote it.
_SKEW = 60.0


class Verdict(StrEnum):
    """FINE only if the control was caught: a check that catches nothing has seen nothing."""

    FINE = "fine"
    BROKEN = "broken"
    CANNOT_TELL = "cannot tell"


@dataclass(frozen=True, slots=True)
class Finding:
    """One statistic in one mode. `claim` and `bound` are ε, or ρ under zCDP.

    `bound` is what the true loss exceeds, and `control` what it exceeds where the noise is
    `weakened` times too small, each but with probability `false_alarm`. Of `trials` answers about
    each table `whole` went the whole way. Under zCDP `epsilon_claim` and `epsilon_bound` are the
    same in ε at `delta`. `problem` is the kind of the error because of which
    nothing was found.
    """

    name: str
    mode: str
    claim: float
    weakened: float
    trials: int
    false_alarm: float
    whole: int = 0
    bound: float = 0.0
    control: float = 0.0
    epsilon_claim: float | None = None
    epsilon_bound: float | None = None
    delta: str = ""
    problem: str = ""

    @property
    def verdict(self) -> Verdict:
        """Broken if a bound is above its claim."""
        if self.bound > self.claim or (self.epsilon_bound or 0) > (self.epsilon_claim or 0):
            return Verdict.BROKEN
        return Verdict.FINE if self.caught else Verdict.CANNOT_TELL

    @property
    def outcome(self) -> str:
        """Its verdict, or why there is none to be had."""
        if self.problem:
            return said("could not be run: {kind}", kind=self.problem)
        return self.verdict.value

    @property
    def caught(self) -> bool:
        """Whether the control was seen to break the claim."""
        return self.control > self.claim

    def as_json(self) -> dict[str, Any]:
        """All of it, with its verdict."""
        return asdict(self) | {"control_caught": self.caught, "verdict": self.verdict.value}


@dataclass(frozen=True, slots=True)
class NoiseReport:
    """One run; `at` in seconds since 1970."""

    findings: tuple[Finding, ...]
    at: float

    @property
    def verdict(self) -> Verdict:
        """The worst of all."""
        return worst(finding.verdict for finding in self.findings)

    @property
    def age(self) -> float:
        """In seconds; infinite where it is dated in the future, as nobody knows it then."""
        seconds = time.time() - self.at
        return max(0.0, seconds) if seconds >= -_SKEW else math.inf

    def as_json(self) -> dict[str, Any]:
        """One object."""
        found = [finding.as_json() for finding in self.findings]
        return {"verdict": self.verdict.value, "at": self.at, "findings": found}


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """Broken before anything else; without any, nothing can be told."""
    found = set(verdicts) or {Verdict.CANNOT_TELL}
    return next(v for v in (Verdict.BROKEN, Verdict.CANNOT_TELL, Verdict.FINE) if v in found)


def keep(report: NoiseReport) -> None:
    """Write the row anew. Where the sweeper has a role of its own, no other may."""
    LastRun.objects.update_or_create(id=LastRun.ONLY, defaults={"report": report.as_json()})


def last_report() -> NoiseReport | None:
    """What was kept last; None when there is none, or none that this version can read."""
    kept = LastRun.objects.values_list("report", flat=True).first() or {}
    try:
        findings = tuple(_finding(item) for item in kept["findings"])
        return NoiseReport(findings, float(kept["at"]))
    except (ValueError, TypeError, KeyError):
        return None


def _finding(item: dict[str, Any]) -> Finding:
    return Finding(**{k: v for k, v in item.items() if k not in ("verdict", "control_caught")})
