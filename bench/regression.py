"""The excess error of our regressions beside diffprivlib's, at the same ε and public metadata.

`uv run bench/regression.py [--runs 200] [--alone] [--rho]`: hours of work in the Adult data by one
to three columns; the mean squared distance from the least squares line, over many fits. diffprivlib
runs in an environment of its own, which `uv` makes. With `--rho` ours are on datasets that count ρ,
in both ways of `bench/rivals/in_rho.py`.
"""

import argparse
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.apart import print_times, surely_measured

_RIVAL = ["diffprivlib==0.6.6", "scikit-learn<1.6", "numpy<2.2"]


def main() -> None:
    """Run both and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--alone", action="store_true", help="without diffprivlib")
    parser.add_argument("--rho", action="store_true", help="ours at two ρ for each ε")
    options = parser.parse_args()
    runs = f"--runs={options.runs}"
    ways = {"pure ε": surely_measured("our_lines", runs)}
    if options.rho:
        ways = surely_measured("our_lines_in_rho", runs)
    theirs = next(iter(ways.values()))
    if not options.alone:
        theirs = surely_measured("diffprivlib_lines", runs, packages=_RIVAL)
    for way, ours in ways.items():
        print(f"{way}:\n")
        _print(ours, theirs)


def _print(ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    print("| hours of work | ε | our excess error | diffprivlib | ratio |")
    print("|---|---|---|---|---|")
    for name, by_epsilon in ours["errors"].items():
        for epsilon, error in by_epsilon.items():
            other = theirs["errors"][name][epsilon]
            print(f"| {name} | {epsilon} | {error:.3g} | {other:.3g} | {error / other:.3f} |")
    print_times(ours["milliseconds"], theirs["milliseconds"], "exact moments")


if __name__ == "__main__":
    main()
