"""How exact cumulative distributions are by each way of drawing them: variances, computed.

    uv run bench/cumulating.py [--bins 3,17,101]

Mean over all counts, for one row as the unit; of noise whose scale one row alone would need.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from dpgov.privacy.mechanisms.strategies import SQUARE_ROOT, Strategy, strategies

BINS = (3, 5, 9, 17, 33, 65, 101, 257, 501, 1001)
# The branchings that were looked at before there were others.
BEFORE = (0, 2, 3, 4, 8, 16)


def gaussian(strategy: Strategy) -> float:
    """Under zCDP, in multiples of the variance of one count."""
    return strategy.reach.l2_squared * float(strategy.variances.mean())


def laplace(strategy: Strategy) -> float:
    """The same under pure ε."""
    return strategy.reach.l1**2 * float(strategy.variances.mean())


def before(bins: int) -> Iterator[Strategy]:
    """What a distribution of so many bins could be drawn by."""
    return (Strategy(bins, one) for one in BEFORE if not one or bins > one)


def least(bins: int) -> float:
    """That any linear strategy can have under zCDP: the bound of singular values."""
    values = np.linalg.svd(np.tril(np.ones((bins, bins))), compute_uv=False)
    return float(values.sum() ** 2 / bins**2)


def line(bins: int) -> str:
    """One row of the table."""
    found = list(strategies(bins, max_rows=1_000_000))
    root = gaussian(Strategy(bins, SQUARE_ROOT))
    old = min(map(gaussian, before(bins)))
    old_pure, pure = min(before(bins), key=laplace), min(found, key=laplace)
    alone, known = gaussian(Strategy(bins, 0)), least(bins)
    under_zcdp = f"{alone:,.1f} | {old:.2f} | {root:.2f} | {known:.2f} | {_less(root, old)}"
    was, is_now = laplace(old_pure), laplace(pure)
    under_pure = f"{was:.1f} | {is_now:.1f} ({pure.name}) | {_less(is_now, was)}"
    return f"| {bins} | {under_zcdp} | {under_pure} |"


def _less(now: float, old: float) -> str:
    return f"{100 * (1 - now / old):.0f} %"


def of_ranges(strategy: Strategy) -> float:
    """Of all ranges of neighbouring bins, under zCDP, in multiples of the variance of one count."""
    ends = np.vstack([np.zeros(strategy.weights.shape[1]), strategy.weights])
    lengths = (ends**2).sum(axis=1)
    apart = lengths[:, None] + lengths[None, :] - 2 * ends @ ends.T
    pairs = len(ends) * (len(ends) - 1)
    return strategy.reach.l2_squared * float(apart.sum()) / pairs


def line_of_ranges(bins: int) -> str:
    """One row of the second table."""
    alone, root = (of_ranges(Strategy(bins, one)) for one in (0, SQUARE_ROOT))
    tree = min(of_ranges(one) for one in before(bins) if one.branching)
    return f"| {bins} | {alone:,.1f} | {tree:.2f} | {root:.2f} |"


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--bins", default=",".join(map(str, BINS)), help="how many, by commas")
    chosen = [int(bins) for bins in parser.parse_args().bins.split(",")]
    print("| bins | zCDP: bins | best before | square root | least there can be | less ", end="")
    print("| ε: best before | best now | less |")
    print("|---:" * 9 + "|")
    for bins in chosen:
        print(line(bins))
    print("\n| bins | all ranges, by bins | by the best tree before | by the square root |")
    print("|---:" * 4 + "|")
    for bins in chosen:
        print(line_of_ranges(bins))


if __name__ == "__main__":
    main()
