"""People with true answers, and how one tool's estimates of the shares are measured.

Time is that of randomising and of estimating together, in one process.
"""

import argparse
import json
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Protocol, TypedDict

ANSWERS = (2, 5, 20)
EPSILONS = (0.5, 1.0, 2.0)
Estimate = Callable[[Sequence[int], int, float], Sequence[float]]


class Interval(Protocol):
    """A share with the ends of its interval."""

    @property
    def low(self) -> float: ...

    @property
    def high(self) -> float: ...


Intervals = Callable[[Sequence[int], int, float], tuple[Sequence[float], Sequence[Interval]]]


class Measured(TypedDict):
    """The error of a share; how much of it may be chance (one standard error, as a part of it);
    seconds for an answer; the part of the intervals that hold the true share, or None.
    """

    error: float
    chance: float
    seconds: float
    covered: float | None


def true_answers(people: int, answers: int) -> list[int]:
    """Falling shares: an answer is half as frequent as the one two places before it."""
    weights = [2.0 ** (-place / 2) for place in range(answers)]
    total, found = sum(weights), []
    for place, weight in enumerate(weights):
        found += [place] * round(people * weight / total)
    return (found + [0] * people)[:people]


def measure(estimate: Estimate, intervals: Intervals | None = None) -> None:
    """Print what was measured by number of answers and ε, as JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--people", type=int, default=10_000)
    parser.add_argument("--whole", action="store_true", help="cut at 0 and make them add up")
    options = parser.parse_args()
    found: dict[str, dict[str, Measured]] = {}
    for answers in ANSWERS:
        truth = true_answers(options.people, answers)
        for epsilon in EPSILONS:
            done = _Runs(truth, answers)
            for _ in range(options.runs):
                started = time.perf_counter()
                ends: Sequence[Interval] = ()
                if intervals and not options.whole:
                    shares, ends = intervals(truth, answers, epsilon)
                else:
                    shares = estimate(truth, answers, epsilon)
                done.seconds += time.perf_counter() - started
                done.add(_finished(shares, options.whole), ends)
            found.setdefault(str(answers), {})[str(epsilon)] = done.measured()
    print(json.dumps(found))


class _Runs:
    """Sums over the runs of one number of answers at one ε."""

    def __init__(self, truth: Sequence[int], answers: int) -> None:
        self.people = len(truth)
        self.shares = [truth.count(place) / len(truth) for place in range(answers)]
        self.squares: list[float] = []
        self.inside: list[bool] = []
        self.seconds = 0.0

    def add(self, estimated: Sequence[float], ends: Sequence[Interval]) -> None:
        pairs = zip(estimated, self.shares, strict=True)
        self.squares.append(statistics.fmean((one - share) ** 2 for one, share in pairs))
        for share, end in zip(self.shares, ends, strict=False):
            self.inside.append(end.low <= share <= end.high)

    def measured(self) -> Measured:
        mean, runs = statistics.fmean(self.squares), len(self.squares)
        spread = statistics.stdev(self.squares) if runs > 1 else mean
        return Measured(
            error=mean**0.5,
            chance=spread / mean / 2 / runs**0.5,
            seconds=self.seconds / runs / self.people,
            covered=statistics.fmean(self.inside) if self.inside else None,
        )


def _finished(shares: Sequence[float], whole: bool) -> Sequence[float]:
    if not whole:
        return shares
    cut = [max(0.0, share) for share in shares]
    return [share / (sum(cut) or 1.0) for share in cut]
