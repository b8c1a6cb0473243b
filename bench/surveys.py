"""The error of local surveys over that of other tools, at the same ε on the same true answers.

`uv run bench/surveys.py [--with pure_ldp,multi_freq] [--runs 100] [--people 10000]`: root mean
squared errors of estimated shares over all answers, by ε and number of answers. Each other tool
runs in an environment of its own, which `uv` makes, with direct or optimised unary encoding, as the
paper of both chooses. What cannot be installed is said and left out. One of them cuts its shares
at 0 and makes them add up, whatever is asked of it; ours are held against it after the same.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
Errors = dict[str, dict[str, float]]
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
    ours = _errors([sys.executable], "our_surveys", size)
    if ours is None:
        raise SystemExit("our own surveys could not be measured")
    made_whole = _errors([sys.executable], "our_surveys", [*size, "--whole"])
    theirs: dict[str, Errors] = {}
    for name in filter(None, options.rivals.split(",")):
        wanted = [argument for package in RIVALS[name] for argument in ("--with", package)]
        python = ["uv", "run", "--isolated", "--no-project", *wanted, "python"]
        if measured := _errors(python, f"{name}_surveys", size):
            theirs[name] = measured
    against = {name: made_whole if name in WHOLE else ours for name in theirs}
    print(f"\n| answers | ε | our error, in points | {' | '.join(theirs)} |")
    print(f"|---|---|---|{'---|' * len(theirs)}")
    for task, by_epsilon in ours.items():
        for epsilon, error in by_epsilon.items():
            ratios = [
                f"{(against[name] or ours)[task][epsilon] / errors[task][epsilon]:.2f}"
                for name, errors in theirs.items()
            ]
            print(f"| {task} | {epsilon} | {100 * error:.3g} | {' | '.join(ratios)} |")


def _errors(python: list[str], script: str, size: list[str]) -> Errors | None:
    """What a tool's own process measured; None, and a word, if it could not run."""
    path = ROOT / "bench" / "rivals" / f"{script}.py"
    command = [*python, "-W", "ignore", str(path), *size]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        print(f"{script} could not be measured here", file=sys.stderr)
        return None
    found: Errors = json.loads(done.stdout.splitlines()[-1])
    return found


if __name__ == "__main__":
    main()
