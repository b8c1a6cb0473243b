"""The error of local surveys over that of other tools, at the same ε on the same true answers.

`uv run bench/surveys.py [--with pure_ldp,multi_freq] [--runs 100] [--people 10000]`: root mean
squared errors of estimated shares over all answers, by ε and number of answers, beside those that
are computed without drawing; how often our intervals hold the true share; the time of an answer.
Each other tool runs in an environment of its own, which `uv` makes, with direct or optimised unary
encoding, as the paper of both chooses. What cannot be installed is said and left out. One of them
cuts its shares at 0 and makes them add up, whatever is asked of it; ours are held against it after
the same.
"""

import argparse
import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.apart import measured, surely_measured
from bench.rivals.surveyed import Measured, true_answers
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.local.randomiser import for_epsilon

Errors = dict[str, dict[str, Measured]]
RIVALS: dict[str, list[str]] = {
    "pure_ldp": ["pure-ldp==1.2.0", "scikit-learn", "statsmodels", "numpy<2"],
    "multi_freq": ["multi-freq-ldpy==0.2.5", "numpy<2"],
}
# Cuts and normalises its estimates.
WHOLE = {"multi_freq"}


def main() -> None:
    """Run all and print one table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--with", dest="rivals", default=",".join(RIVALS))
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--people", type=int, default=10_000)
    options = parser.parse_args()
    size = [f"--runs={options.runs}", f"--people={options.people}"]
    ours: Errors = surely_measured("our_surveys", *size)
    made_whole: Errors = measured("our_surveys", *size, "--whole") or ours
    theirs: dict[str, Errors] = {}
    for name in filter(None, options.rivals.split(",")):
        if found := measured(f"{name}_surveys", *size, packages=RIVALS[name]):
            theirs[name] = found
    heads = ["answers", "ε", "our error, in points", "computed", "covered", *_heads(theirs)]
    print(f"\n| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for task, by_epsilon in ours.items():
        for epsilon, own in by_epsilon.items():
            ratios = [
                _ratio((made_whole if name in WHOLE else ours)[task][epsilon], found[task][epsilon])
                for name, found in theirs.items()
            ]
            times = [
                f"{1e6 * found[task][epsilon]['seconds']:.1f}" for found in (ours, *theirs.values())
            ]
            computed, covered = _computed(int(task), float(epsilon), options.people), own["covered"]
            cells = [f"{100 * own['error']:.3f}", f"{100 * computed:.3f}", f"{covered:.1%}"]
            print(f"| {task} | {epsilon} | {' | '.join([*cells, *ratios, *times])} |")


def _heads(theirs: dict[str, Errors]) -> list[str]:
    return [*theirs, *(f"µs an answer, {name}" for name in ("ours", *theirs))]


def _ratio(own: Measured, other: Measured) -> str:
    """Ours over theirs, and how far chance moves that in 95% of such measurements."""
    ratio = own["error"] / other["error"]
    return f"{ratio:.2f} ± {1.96 * ratio * math.hypot(own['chance'], other['chance']):.2f}"


def _computed(answers: int, epsilon: float, people: int) -> float:
    """The error that our thresholds have, by the variance of the reports, with nothing drawn."""
    randomiser, truth = for_epsilon(answers, round(epsilon * NANO)), true_answers(people, answers)
    p, q = float(randomiser.p), float(randomiser.q)
    named = [truth.count(place) for place in range(answers)]
    variances = [own * p * (1 - p) + (people - own) * q * (1 - q) for own in named]
    return math.sqrt(sum(variances) / answers) / people / (p - q)


if __name__ == "__main__":
    main()
