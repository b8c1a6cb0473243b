"""How often stated 95% intervals hold, and how much wider they are than they must be.

`uv run bench/coverage.py [--answers 10000]`: that many answers of each statistic, alone
and from a shared draw, in both currencies; prints one table.
"""

import argparse
import sys
from collections import defaultdict
from fractions import Fraction
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from dpgov.privacy.accounting.loss import Mode
from tests.statistical.test_accuracy import Case, released

LEVEL = Fraction(95, 100)
CASES = {
    "73 steps, ε 1, 30,000 rows": Case(73, "1", 30_000, 0.3),
    "1 step, ε 1, 5,000 rows": Case(1, "1", 5_000, 0.7),
    "99,999 steps, ε 0.5, 30,000 rows": Case(99_999, "0.5", 30_000, 0.2),
    "73 steps, ε 0.1, 30,000 rows": Case(73, "0.1", 30_000, 0.3),
    "73 steps, ε 1, 100 rows": Case(73, "1", 100, 0.3),
    "73 steps, ε 1, 3,000 rows, all at the upper bound": Case(73, "1", 3_000, 1.0),
}
QUESTIONS = [
    *([name] for name in ("count", "sum", "mean", "variance", "standard_deviation")),
    ["mean", "variance", "sum", "count"],
]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--answers", type=int, default=10_000)
    answers = parser.parse_args().answers
    print("| data | statistic | draw | coverage ε | width ε | coverage ρ | width ρ |")
    print("|---|---|---|---|---|---|---|")
    for title, case in CASES.items():
        for names in QUESTIONS:
            for name, found in _measured(names, case, answers).items():
                draw = "alone" if len(names) == 1 else "shared"
                words = name.replace("_", " ")
                print(f"| {title} | {words} | {draw} | {' | '.join(found)} |", flush=True)


def _measured(names: list[str], case: Case, answers: int) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for mode in Mode:
        for name, errors, bounds in released(names, case, mode, answers):
            covered = float(np.mean(errors <= bounds[LEVEL] * (1 + 1e-9)))
            seen = float(np.quantile(errors, float(LEVEL)))
            # Of a few answers all may be right to the last unit.
            width = f"{float(np.median(bounds[LEVEL])) / seen:.2f}" if seen else "any"
            found[name] += [f"{covered:.1%}", width]
    return found


if __name__ == "__main__":
    main()
