"""How exact counts of all ranges are by each way of drawing them: variances, computed.

    uv run bench/ranging.py [--bins 4,17,101] [--measured 4,17,33]

Mean over all ranges of one column, for one row as the unit; of noise whose scale one row alone
would need. Of two columns with as many bins each, drawn by the products of both ways, sensitivities
and variances of all rectangles are products: so their means are squares of those of one column.

Then rectangles of two columns as they are drawn: the mean squared error over all of them, of an
empty table, at ε 1 and at ρ 1/2, by the joint cumulative distribution and by sums of the cells of a
table for the same price.
"""

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from time import perf_counter

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from dpgov.privacy.accounting.loss import Loss, Mode
from dpgov.privacy.mechanisms.cumulative import Cumulative, cumulative
from dpgov.privacy.mechanisms.mechanism import ROWS
from dpgov.privacy.mechanisms.products import Product
from dpgov.privacy.mechanisms.strategies import SQUARE_ROOT, Strategy, strategies
from dpgov.privacy.noise.sensitivity import Exposure, of_count
from dpgov.privacy.plan.plan import Statistic
from dpgov.privacy.plan.schema import Neighbouring
from dpgov.privacy.plan.statistics import StatisticKind

BINS = (4, 5, 9, 17, 33, 65, 101, 257)


def gaussian(strategy: Strategy) -> float:
    """Under zCDP, in multiples of the variance of one count."""
    return strategy.reach.l2_squared * strategy.of_ranges


def laplace(strategy: Strategy) -> float:
    """The same under pure ε."""
    return strategy.reach.l1**2 * strategy.of_ranges


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


def joint(bins: int, loss: Loss) -> tuple[Cumulative, Cumulative]:
    """What is drawn for so many bins in both columns, and its cells themselves."""
    exposed = Exposure(1, Neighbouring.ADD_REMOVE, grouped=True, droppable=True, cells=bins**2)
    asked = Statistic(StatisticKind.JOINT_CDF)
    best = cumulative(asked, (bins, bins), exposed, loss, max_rows=1_000_000)
    cells = Product(Strategy(bins, 0), Strategy(bins, 0))
    drawn = replace(best.taken, reach=of_count(exposed))
    return best, replace(best, strategy=cells, taken=drawn)


def of_rectangles(mechanism: Cumulative, bins: int, draws: int) -> float:
    """The mean squared error over all rectangles, of an empty table, as it is released.

    Over all pairs of edges the squared differences add up to the number of edges times the squares
    of what is left when the mean is taken away; so for two columns, one after the other.
    """
    empty, total = [{ROWS: 0}] * bins**2, 0.0
    for _ in range(draws):
        ends = np.zeros((bins + 1,) * 2)
        cells = mechanism.run(empty).columns[0].cells
        ends[1:, 1:] = np.reshape([cell["value"] for cell in cells], (bins, bins))
        left = ends - ends.mean(axis=0)
        left -= left.mean(axis=1, keepdims=True)
        total += 4 * float((left**2).sum()) / bins**2
    return total / draws


def measured(bins: int, mode: Mode, draws: int = 200) -> str:
    """One row of the second table."""
    loss = Loss(mode, 10**9 if mode is Mode.PURE else 5 * 10**8)
    started = perf_counter()
    best, cells = joint(bins, loss)
    took = perf_counter() - started
    computed = best.strategy.usual * best.taken.noise.variance
    found, summed = (of_rectangles(one, bins, draws) for one in (best, cells))
    says = f"{best.strategy.name} | {computed:.1f} | {found:.1f} | {summed:.1f}"
    return f"| {bins} | {mode.value} | {says} | {summed / found:.1f} | {took:.1f} s |"


def main() -> None:
    """The tables, for these numbers of bins."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--bins", default=",".join(map(str, BINS)))
    parser.add_argument("--measured", default="4,17,33")
    asked = parser.parse_args()
    print("| bins | ρ: bins | square root | best here | bound | over it | 2D: bins | ... ", end="")
    print("| bound | ε: bins | best here |")
    for bins in asked.bins.split(","):
        print(line(int(bins)))
    print("\n| bins | mode | drawn | computed | measured | sums of cells | times | chosen in |")
    for bins in filter(None, asked.measured.split(",")):
        for mode in Mode:
            print(measured(int(bins), mode))


if __name__ == "__main__":
    main()
