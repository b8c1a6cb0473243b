"""What saturates first when there is far more of everything: measured costs, multiplied out.

`uv run bench/scale.py [--questions 1000] [--tenants 10000] [--datasets 1000000] [--skew 1.0]`:
prints how many processors and terabytes a load needs, from costs of one question that other scripts
here measured, and simulates the two places where questions wait for each other, the row of a budget
and the end of a tenant's log: arrivals at random moments, tenants and datasets of which the n-th is
asked as often as 1/n^skew, one charge after the other. Nothing of the product runs. The same
numbers in every run.
"""

import argparse
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Costs:
    """Of one question, in seconds and bytes, each with where it was measured (docs/scale.md)."""

    web: float = 0.035
    database: float = 0.0143
    worker: float = 1 / 45
    # Charges of one dataset, one after the other, and of one tenant, whose log has no gap: both
    # wait for the disk at each commit.
    of_dataset: float = 1 / 84
    of_tenant: float = 1 / 111
    # Of rows with seven columns as codes: bench/scans.py, a table of 16 x 12.
    scanned_a_second: float = 10_000_000 * 7 / 0.022 / 2
    # A question, its hold, charge and release, two entries, and their indexes.
    kept: int = 2_900


COSTS = Costs()
# What a processor costs an hour and a gigabyte a month, as public price lists have it; an order.
_AN_HOUR, _A_MONTH = 0.04, 0.10


def main() -> None:
    """Print the parts, the waits and the cost of a question."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--questions", type=int, default=1_000, help="a second")
    parser.add_argument("--datasets", type=int, default=1_000_000)
    parser.add_argument("--tenants", type=int, default=10_000)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--skew", type=float, default=1.0)
    options = parser.parse_args()
    _print_parts(options.questions)
    print("| what is asked | share | a second | busy | median wait | 99 of 100 wait less than |")
    print("|---|---|---|---|---|---|")
    for kind, number, service in (
        ("tenant", options.tenants, COSTS.of_tenant),
        ("dataset", options.datasets, COSTS.of_dataset),
    ):
        _print_waits(options, kind, number, service)
    _print_scans()


def _print_parts(rate: int) -> None:
    print(f"| at {rate:,} questions a second | processors |")
    print("|---|---|")
    for name, seconds in (
        ("web", COSTS.web),
        ("database", COSTS.database),
        ("workers, 1,000,000 rows each", COSTS.worker),
    ):
        print(f"| {name} | {rate * seconds:,.1f} |")
    a_year = rate * 86_400 * 365 * COSTS.kept
    print(f"\nKept of a year of them: {a_year / 1e12:,.0f} TB.\n")


def _print_waits(options: argparse.Namespace, kind: str, number: int, service: float) -> None:
    weights = 1 / np.arange(1, number + 1) ** options.skew
    rates = options.questions * weights / weights.sum()
    drawn = np.random.default_rng(1)
    for place in sorted({0, 1, 9, 99} & set(range(number))):
        waits = waits_of(_moments(drawn, rates[place], options.seconds), service)
        print(
            f"| {kind} {place + 1:,} | {rates[place] / options.questions:.2%} "
            f"| {rates[place]:,.2f} | {rates[place] * service:.0%} "
            f"| {1000 * np.median(waits):,.0f} ms | {1000 * np.quantile(waits, 0.99):,.0f} ms |"
        )


def _moments(drawn: np.random.Generator, rate: float, seconds: int) -> Floats:
    """At random, and never none."""
    number = max(1, int(drawn.poisson(rate * seconds)))
    return np.sort(drawn.uniform(0, seconds, number))


def waits_of(arrivals: Floats, service: float) -> Floats:
    """How long each waits for those before it, one at a time and `service` each (Lindley, 1952)."""
    before = service * np.arange(len(arrivals))
    begun = before + np.maximum.accumulate(arrivals - before)
    return begun - arrivals


def _print_scans() -> None:
    print("\n| a dataset of | processor seconds of a scan | with 100 of them | cost |")
    print("|---|---|---|---|")
    for size in (1e9, 1e11, 1e12, 1e13):
        seconds = size / COSTS.scanned_a_second
        print(
            f"| {size / 1e9:,.0f} GB of codes | {seconds:,.1f} | {seconds / 100:,.2f} s "
            f"| {seconds / 3600 * _AN_HOUR:.5f} |"
        )
    small = (COSTS.web + COSTS.database + COSTS.worker) / 3600 * _AN_HOUR
    stored = COSTS.kept / 1e9 * _A_MONTH * 12
    print(f"\nA question of 1,000,000 rows costs {small:.8f}, and its records a year {stored:.8f}.")


if __name__ == "__main__":
    main()
