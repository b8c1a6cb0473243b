"""The excess error of our regressions beside diffprivlib's, at the same ε and public metadata.

`uv run bench/regression.py [--runs 200] [--alone]`: hours of work in the Adult data by one to three
columns; the mean squared distance from the least squares line, over many fits. diffprivlib runs in
an environment of its own, which `uv` makes.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_RIVAL = ["diffprivlib==0.6.6", "scikit-learn<1.6", "numpy<2.2"]
Errors = dict[str, dict[str, float]]


def main() -> None:
    """Run both and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--alone", action="store_true", help="without diffprivlib")
    options = parser.parse_args()
    runs = options.runs
    wanted = [argument for package in _RIVAL for argument in ("--with", package)]
    ours = _errors([sys.executable], "our", runs)
    alone = ["uv", "run", "--isolated", "--no-project", *wanted, "python"]
    theirs = ours if options.alone else _errors(alone, "diffprivlib", runs)
    print("| hours of work | ε | our excess error | diffprivlib | ratio |")
    print("|---|---|---|---|---|")
    for name, by_epsilon in ours.items():
        for epsilon, error in by_epsilon.items():
            other = theirs[name][epsilon]
            print(f"| {name} | {epsilon} | {error:.3g} | {other:.3g} | {error / other:.3f} |")


def _errors(python: list[str], name: str, runs: int) -> Errors:
    """What a tool's own process measured."""
    script = ROOT / "bench" / "rivals" / f"{name}_lines.py"
    command = [*python, "-W", "ignore", str(script), f"--runs={runs}"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    found: Errors = json.loads(done.stdout.splitlines()[-1])
    return found


if __name__ == "__main__":
    main()
