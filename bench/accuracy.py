"""The error of our answers over that of other tools, at the same total ε and public metadata.

`uv run bench/accuracy.py [--with opendp,diffprivlib,smartnoise,tumult] [--runs 100] [--tasks
median]`: the Adult data, root mean squared errors of many runs each. Every tool runs in an
environment of its own, which `uv` makes; Tumult needs Java. What cannot be installed is said and
left out.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.apart import measured, ratio, surely_measured

RIVALS: dict[str, list[str]] = {
    "opendp": ["opendp==0.16.0", "numpy==2.4.6"],
    "diffprivlib": ["diffprivlib==0.6.6", "scikit-learn<1.6", "numpy<2.2"],
    "smartnoise": ["smartnoise-sql==1.0.10"],
    "tumult": ["tmlt.analytics==0.21.0"],
}
Errors = dict[str, dict[str, float | None]]
_PASSED_ON = ("runs", "tasks")


def main() -> None:
    """Run all and print one table for each ε."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--with", dest="rivals", default=",".join(RIVALS))
    parser.add_argument("--runs", type=int, help="of each tool, in place of its own number")
    parser.add_argument("--tasks", help="some of them, by commas, in place of all")
    options = parser.parse_args()
    asked = [f"--{name}={value}" for name in _PASSED_ON if (value := getattr(options, name))]
    ours: Errors = surely_measured("our_answers", *asked)
    theirs: dict[str, Errors] = {}
    for name in filter(None, options.rivals.split(",")):
        if found := measured(f"{name}_answers", *asked, packages=RIVALS[name]):
            theirs[name] = found
    print(f"\n| statistic | ε | our error | {' | '.join(theirs)} |")
    print(f"|---|---|---|{'---|' * len(theirs)}")
    for task, by_epsilon in ours.items():
        for epsilon, error in by_epsilon.items():
            ratios = [_ratio(error, found[task][epsilon]) for found in theirs.values()]
            print(f"| {task} | {epsilon} | {error:.4g} | {' | '.join(ratios)} |")


def _ratio(ours: float | None, theirs: float | None) -> str:
    if ours is None or theirs is None:
        return "not offered"
    return ratio(ours, theirs)


if __name__ == "__main__":
    main()
