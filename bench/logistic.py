"""The excess loss of our logistic regressions beside diffprivlib's, at the same ε and bounds.

`uv run bench/logistic.py [--runs 30] [--alone] [--rho]`: income above 50,000 dollars in the Adult
data by one to three columns, over many fits. diffprivlib runs in an environment of its own, which
`uv` makes. With `--rho` ours are on datasets that count ρ, in both ways of `bench/rivals/in_rho`.
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
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--alone", action="store_true", help="without diffprivlib")
    parser.add_argument("--rho", action="store_true", help="ours at two ρ for each ε")
    options = parser.parse_args()
    runs = f"--runs={options.runs}"
    ways: dict[str, Any] = {"pure ε": surely_measured("our_logits", runs)}
    if options.rho:
        ways = surely_measured("our_logits_in_rho", runs)
    theirs = next(iter(ways.values()))
    if not options.alone:
        theirs = surely_measured("diffprivlib_logits", runs, packages=_RIVAL)
    for way, ours in ways.items():
        print(f"{way}:\n")
        _print(ours, theirs)


def _print(ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    print("| income | ε | our excess loss | diffprivlib | ratio | our accuracy | diffprivlib |")
    print("|---|---|---|---|---|---|---|")
    for name, by_epsilon in ours["losses"].items():
        for epsilon, (loss, right) in by_epsilon.items():
            other, others_right = theirs["losses"][name][epsilon]
            shares = f"{100 * right:.2f} % | {100 * others_right:.2f} %"
            print(
                f"| {name} | {epsilon} | {loss:.3g} | {other:.3g} | {loss / other:.3f} | {shares} |"
            )
    print_times(ours["milliseconds"], theirs["milliseconds"], "exact sums of the first step")


if __name__ == "__main__":
    main()
