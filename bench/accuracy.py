"""The error of our answers over that of other tools, at the same total ε and public metadata.

`uv run bench/accuracy.py [--with opendp,diffprivlib,smartnoise,tumult] [--runs 100] [--tasks
median]`: the Adult data, root mean squared errors of many runs each. Every tool runs in an
environment of its own, which `uv` makes; Tumult needs Java. What cannot be installed is said and
left out.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
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
    ours = _errors([sys.executable], "our", asked)
    if ours is None:
        raise SystemExit("our own answers could not be measured")
    rivals = [name for name in options.rivals.split(",") if name]
    theirs = {name: found for name in rivals if (found := _of_rival(name, asked))}
    print(f"\n| statistic | ε | our error | {' | '.join(theirs)} |")
    print(f"|---|---|---|{'---|' * len(theirs)}")
    for task, by_epsilon in ours.items():
        for epsilon, error in by_epsilon.items():
            ratios = [_ratio(error, found[task][epsilon]) for found in theirs.values()]
            print(f"| {task} | {epsilon} | {error:.4g} | {' | '.join(ratios)} |")


def _of_rival(name: str, asked: list[str]) -> Errors | None:
    wanted = [argument for package in RIVALS[name] for argument in ("--with", package)]
    return _errors(["uv", "run", "--isolated", "--no-project", *wanted, "python"], name, asked)


def _errors(python: list[str], name: str, asked: list[str]) -> Errors | None:
    """What a tool's own process measured; None, and a word, if it could not run."""
    script = ROOT / "bench" / "rivals" / f"{name}_answers.py"
    command = [*python, "-W", "ignore", str(script), *asked]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        print(f"{name} could not be measured here", file=sys.stderr)
        return None
    found: Errors = json.loads(done.stdout.splitlines()[-1])
    return found


def _ratio(ours: float | None, theirs: float | None) -> str:
    if ours is None or theirs is None:
        return "not offered"
    return f"{ours / theirs:.2f}" if theirs else "both exact"


if __name__ == "__main__":
    main()
