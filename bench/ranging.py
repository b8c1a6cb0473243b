"""How exact counts of all ranges are by each way of drawing them: variances, computed.

    uv run bench/ranging.py [--bins 4,17,101]

Mean over all ranges of one column, for one row as the unit; of noise whose scale one row alone
would need. Of two columns with as many bins each, drawn by the products of both ways, sensitivities
and variances of all rectangles are products: so their means are squares of those of one column.
"""

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from dpgov.privacy.mechanisms.strategies import SQUARE_ROOT, Strategy, strategies

BINS = (4, 5, 9, 17, 33, 65, 101, 257)


def variance(strategy: Strategy) -> float:
    """The mean over all ranges, for noise of variance one in each sum."""
    weights = strategy.weights
    ends = np.zeros((strategy.bins + 1,) * 2)
    ends[1:, 1:] = weights @ weights.T
    own = np.diag(ends)
    apart = own[:, None] + own[None, :] - 2 * ends
    return float(apart[np.triu_indices(strategy.bins + 1, 1)].mean())


def gaussian(strategy: Strategy) -> float:
    """Under zCDP, in multiples of the variance of one count."""
    return strategy.reach.l2_squared * variance(strategy)


def laplace(strategy: Strategy) -> float:
    """The same under pure ε."""
    return strategy.reach.l1**2 * variance(strategy)


def least(bins: int) -> float:
    """That any linear strategy can have under zCDP: the bound of singular values."""
    places = np.arange(1, bins + 1)
    both = np.minimum.outer(places, places) * (bins + 1 - np.maximum.outer(places, places))
    values = np.sqrt(np.clip(np.linalg.eigvalsh(both.astype(float)), 0, None))
    return float(values.sum() ** 2 / bins / (bins * (bins + 1) / 2))


def line(bins: int) -> str:
    """One row of the table."""
    found = list(strategies(bins, max_rows=1_000_000))
    alone, root = gaussian(Strategy(bins, 0)), gaussian(Strategy(bins, SQUARE_ROOT))
    best, known = min(map(gaussian, found)), least(bins)
    pure = min(found, key=laplace)
    zcdp = f"{alone:.2f} | {root:.2f} | {best:.2f} | {known:.2f} | {100 * (best / known - 1):.0f} %"
    two = f"{alone**2:,.1f} | {best**2:,.1f} | {known**2:,.1f}"
    of_pure = f"{laplace(Strategy(bins, 0)):.2f} | {laplace(pure):.1f} ({pure.name})"
    return f"| {bins} | {zcdp} | {two} | {of_pure} |"


def main() -> None:
    """The table, for these numbers of bins."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--bins", default=",".join(map(str, BINS)))
    print("| bins | ρ: bins | square root | best here | bound | over it | 2D: bins | ... ", end="")
    print("| bound | ε: bins | best here |")
    for bins in parser.parse_args().bins.split(","):
        print(line(int(bins)))


if __name__ == "__main__":
    main()
