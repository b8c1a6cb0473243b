"""The questions of `bench/scans.py` as every library is asked them, and how long each takes.

A library has the table as it likes it best, in memory or in a database, before time is taken; what
it does not offer is left out.
"""

import argparse
import json
import statistics
import time
from collections.abc import Callable, Mapping

FILTERED, SUMMED, BINNED = "filtered count", "clipped sum and mean", "histogram of 16 bins"
BY_GROUPS, MEDIAN, TABLE = "mean by 12 x 2 groups", "median", "table of 16 x 12"
BY_PERSON = "count, at most 5 rows each"

REGIONS = [f"r{number}" for number in range(12)]
SEXES = ["f", "m"]
SCHOOLS = [f"e{number}" for number in range(16)]
INCOMES, HOURS = (0, 200_000), (0, 99)
EDGES = [*range(0, 200_001, 12_500)]
CANDIDATES = [*range(0, 200_001, 100)]
MOST_ROWS = 5
EPSILON = 1.0
_LONG = 20


def asked() -> argparse.Namespace:
    """`table` has a row for each id and `persons` five on average, as Parquet or by a database.

    `cubes` is ours alone: whether to answer from them.
    """
    parser = argparse.ArgumentParser()
    parser.add_argument("--table", required=True)
    parser.add_argument("--persons", required=True)
    parser.add_argument("--rows", type=int, required=True)
    parser.add_argument("--rounds", type=int, required=True)
    parser.add_argument("--cubes", action="store_true")
    return parser.parse_args()


def tell_times(answers: Mapping[str, Callable[[], object]], rounds: int) -> None:
    """Print the median seconds of each, after one for nothing, as JSON; of a long one its first."""
    print(json.dumps({name: _median(answer, rounds) for name, answer in answers.items()}))


def _median(answer: Callable[[], object], rounds: int) -> float:
    first = _seconds(answer)
    if first > _LONG:
        return first
    return statistics.median(_seconds(answer) for _ in range(rounds))


def _seconds(answer: Callable[[], object]) -> float:
    begun = time.perf_counter()
    answer()
    return time.perf_counter() - begun
