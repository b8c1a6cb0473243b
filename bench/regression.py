"""The excess error of our regressions beside diffprivlib's, at the same ε and public metadata.

`uv run bench/regression.py [--runs 200] [--alone]`: hours of work in the Adult data by one to three
columns; the mean squared distance from the least squares line, over many fits. diffprivlib runs in
an environment of its own, which `uv` makes.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.apart import surely_measured

_RIVAL = ["diffprivlib==0.6.6", "scikit-learn<1.6", "numpy<2.2"]


def main() -> None:
    """Run both and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--alone", action="store_true", help="without diffprivlib")
    options = parser.parse_args()
    runs = f"--runs={options.runs}"
    ours = surely_measured("our_lines", runs)
    theirs = ours
    if not options.alone:
        theirs = surely_measured("diffprivlib_lines", runs, packages=_RIVAL)
    print("| hours of work | ε | our excess error | diffprivlib | ratio |")
    print("|---|---|---|---|---|")
    for name, by_epsilon in ours["errors"].items():
        for epsilon, error in by_epsilon.items():
            other = theirs["errors"][name][epsilon]
            print(f"| {name} | {epsilon} | {error:.3g} | {other:.3g} | {error / other:.3f} |")
    print("\n| a fit, ms, median | ours, from exact moments | diffprivlib, from arrays | ratio |")
    print("|---|---|---|---|")
    for name, spent in ours["milliseconds"].items():
        other = theirs["milliseconds"][name]
        print(f"| {name} | {spent:.1f} | {other:.1f} | {spent / other:.2f} |")


if __name__ == "__main__":
    main()
