"""Bars over days: as wide as their days, and numbers that there are."""

from datetime import date, timedelta

import plotly.graph_objects as go
import pytest

from dpgov.queries.wording.over_days import bar, over_days
from dpgov.queries.wording.plotting import Figure

FIRST = date(2026, 11, 24)
HOURS = 3_600_000


def drawn(*numbers: float) -> Figure:
    """So many each day, in two colours on the first."""
    days = [FIRST + timedelta(days=n) for n in range(len(numbers))]
    traces = [bar("a", "1", days, list(numbers), []), bar("b", "2", days[:1], [1], [])]
    found = over_days(traces, "Questions")
    go.Figure(found)  # Raises ValueError where something is none of Plotly's.
    return found


def test_the_only_day_is_nearly_as_wide_as_a_day() -> None:
    """Without a neighbour a bar would be a hair's breadth."""
    for trace in drawn(4)["data"]:
        assert 12 * HOURS < trace["width"] < 24 * HOURS
    assert all("width" not in trace for trace in drawn(4, 1)["data"])


@pytest.mark.parametrize(
    ("numbers", "step"), [((4,), 1), ((5,), None), ((1, 2), 1), ((0.5,), None)]
)
def test_few_whole_numbers_have_no_half_between_them(
    numbers: tuple[float, ...], step: int | None
) -> None:
    assert drawn(*numbers)["layout"]["yaxis"].get("dtick") == step
