"""Stated errors hold as often as stated, and are not much wider than they must be."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.mechanisms.table import Measured
from dpgov.privacy.plan.domains import column_spec, numeric_domain
from dpgov.privacy.plan.levels import CONFIDENCE_LEVELS
from dpgov.privacy.plan.request import Measure, MeasureKind
from tests.reference import Row
from tests.statistical.evidence import Floats, fewest, most
from tests.unit.privacy.tables import blueprint_of, measured, schema_of

pytestmark = pytest.mark.statistical
DRAWS = 6_000
WIDEST = 1.15
SEED = 20_261_121
MODES = list(Mode)
LEVEL = Fraction(95, 100)


@dataclass(frozen=True, slots=True)
class Case:
    """Width of the bounds in steps, ε, rows, and where their mean lies between the bounds."""

    width: int
    epsilon: str
    rows: int
    place: float
    spread: float = 4.0

    def codes(self) -> Any:
        """Rows from a beta distribution; all of them the same where nothing is spread."""
        low = self.spread * self.place
        values = np.full(self.rows, self.place)
        if 0 < low < self.spread:
            values = np.random.default_rng(SEED).beta(low, self.spread - low, self.rows)
        return np.rint(values * self.width).astype(np.int64)


ENOUGH_ROWS = [
    Case(1, "1", 5_000, 0.7),
    Case(73, "0.1", 30_000, 0.3),
    Case(73, "2", 30_000, 0.5),
    Case(99_999, "1", 3_000, 0.2),
]
HARD = [
    Case(1, "1", 30, 0.02),
    Case(73, "0.1", 100, 0.3),
    Case(73, "1", 5, 0.9),
    Case(73, "1", 3_000, 0.3, spread=0),
    Case(99_999, "1", 3_000, 1.0),
    Case(5, "2", 1, 0.0),
]
ALONE = [["mean"], ["sum"], ["variance"]]
TOGETHER = ["standard_deviation", "mean", "sum", "variance", "count"]


def exact_cell(measures: tuple[Measure, ...], codes: Any) -> Measured:
    """The exact integers of these rows."""
    of_kind: dict[MeasureKind, Callable[[int], int]] = {
        MeasureKind.ROWS: lambda _: len(codes),
        MeasureKind.PRESENT: lambda _: len(codes),
        MeasureKind.CODE_SUM: lambda width: int((codes // width).sum()),
        MeasureKind.SQUARE_SUM: lambda width: int(((codes // width) ** 2).sum()),
    }
    return {measure: of_kind[measure.kind](measure.width) for measure in measures}


def truth(name: str, codes: Any) -> float:
    found = {
        "count": lambda: len(codes),
        "sum": codes.sum,
        "mean": codes.mean,
        "variance": codes.var,
        "standard_deviation": codes.std,
    }[name]()
    return float(found)


def released(
    names: list[str], case: Case, mode: Mode, draws: int = DRAWS
) -> list[tuple[str, Floats, dict[Fraction, Floats]]]:
    """For each statistic its true errors, and the bounds that were published beside them."""
    age = column_spec("age", numeric_domain("0", str(case.width), "1"), "impute", "0")
    asked = [{"statistic": n} | ({} if n == "count" else {"column": "age"}) for n in names]
    raw = {"statistics": asked, "epsilon": case.epsilon}
    codes = case.codes()
    columns = [
        column
        for mechanism in blueprint_of(raw, schema_of(age, mode=mode)).mechanisms
        for column in mechanism.run([exact_cell(mechanism.measures, codes)] * draws).columns
    ]
    found = []
    for column in columns:
        name = column.statistic.kind.value
        values = np.array([cell["value"] for cell in column.cells], dtype=np.float64)
        bounds = {
            level: np.array([cell["accuracy"][at]["value"] for cell in column.cells])
            for at, level in enumerate(CONFIDENCE_LEVELS)
        }
        found.append((name, np.abs(values - truth(name, codes)), bounds))
    return found


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("case", HARD, ids=str)
def test_errors_stay_within_their_bounds_as_often_as_stated(case: Case, mode: Mode) -> None:
    """With one row or many, in the middle or at a bound of the column; all from a shared draw."""
    for _, errors, bounds in released(TOGETHER, case, mode):
        for level in CONFIDENCE_LEVELS:
            covered = errors <= bounds[level] * (1 + 1e-9)
            assert covered.sum() >= fewest(DRAWS, level)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("names", [*ALONE, TOGETHER], ids="+".join)
@pytest.mark.parametrize("case", ENOUGH_ROWS, ids=str)
def test_with_enough_rows_bounds_hold_and_are_not_much_wider_than_errors(
    case: Case, names: list[str], mode: Mode
) -> None:
    """At most 1.15 times the quantile that is seen; and a bound a quarter smaller is caught."""
    for name, errors, bounds in released(names, case, mode):
        for level in CONFIDENCE_LEVELS:
            assert (errors <= bounds[level] * (1 + 1e-9)).sum() >= fewest(DRAWS, level)
        # A count or a sum of few steps jumps from one value to the next.
        step = 1.0 if name in ("count", "sum") else 0.0
        held = errors <= (bounds[LEVEL] - step) / WIDEST
        assert held.sum() <= most(DRAWS, LEVEL)
        if np.median(bounds[LEVEL]) > 8 * step:
            assert (errors <= 0.75 * bounds[LEVEL]).sum() < fewest(DRAWS, LEVEL)


AGES = column_spec("x", numeric_domain("0", "73", "1"), "impute", "0")
RUNS = 150


def rows_between(ordered: Any, value: float, rank: float) -> int:
    """Rows strictly between a released value and the one that holds a rank."""
    true = ordered[min(len(ordered) - 1, int(rank))]
    low, high = sorted((value, float(true)))
    return int(((ordered > low) & (ordered < high)).sum())


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("heavy", [False, True])
@pytest.mark.parametrize(
    "statistic",
    [
        {"statistic": "median"},
        {"statistic": "quantiles", "quantiles": [0.9]},
        {"statistic": "quantiles", "quantiles": [0.1, 0.25, 0.5, 0.75, 0.9]},
        {"statistic": "min"},
        {"statistic": "max"},
    ],
    ids=lambda s: str(s.get("quantiles", s["statistic"])),
)
def test_ranks_are_missed_by_no_more_rows_than_stated(
    statistic: dict[str, Any], heavy: bool, mode: Mode
) -> None:
    """With values that few rows share, and with one that most rows share."""
    codes = Case(73, "1", 1_000, 0.4).codes()
    codes = np.sort(np.where(np.arange(1_000) % 10 < 7, 30, codes) if heavy else codes)
    rows: list[Row] = [(int(code),) for code in codes]
    raw = {"statistics": [statistic | {"column": "x"}], "epsilon": 1}
    blueprint = blueprint_of(raw, schema_of(AGES, mode=mode))
    table = measured(blueprint, 0, rows)
    runs = [blueprint.mechanisms[0].run(table).columns for _ in range(RUNS)]
    orders = statistic.get("quantiles", [{"min": 0.0, "max": 1.0}.get(statistic["statistic"], 0.5)])
    shared = 0 if len(orders) < 2 else 700 * 3 / 32 if heavy else 50 * 3 / 32
    for at, order in enumerate(orders):
        for place, level in enumerate(CONFIDENCE_LEVELS):
            held = [
                rows_between(codes, columns[at].cells[0]["value"], order * len(rows))
                <= columns[at].cells[0]["accuracy"][place]["rank_error"] + shared
                for columns in runs
            ]
            assert sum(held) >= fewest(RUNS, level)
            assert runs[0][at].cells[0]["accuracy"][place]["rank_error"] < 300
