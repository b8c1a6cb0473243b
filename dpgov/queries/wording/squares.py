"""An answer by two groupings with many bins each, as squares: the fuller, the larger the number.

Works from a release body alone. Squares are bars that begin where the row below ends, so that they
keep their place at any width, and Plotly's basic bundle can draw them.
"""

from typing import Any

from dpgov.queries.wording.bins import shown_number, within
from dpgov.queries.wording.plotting import Figure, as_figure, bars, inert, labelled_axis
from dpgov.queries.wording.useful import too_noisy

# More are too small to be pointed at, and too much of a page.
MOST_SQUARES = 1_024
# Of the place of a square what it fills, and how full the emptiest is.
_SIDE = 0.94
_FAINTEST = 0.06


def rows_of(groups: list[dict[str, Any]]) -> int:
    """How many squares stand below each other: the shorter grouping goes down."""
    return min(len(group["bins"]) for group in groups)


def squares_of(statistic: dict[str, Any], groups: list[dict[str, Any]]) -> Figure:
    """Each pair of groups in its place, from the top; without those too noisy to be shown."""
    first, second = groups
    turned = len(first["bins"]) > len(second["bins"])
    down, along = (second, first) if turned else (first, second)
    noisy = too_noisy(statistic)
    shown = [
        (*_place(place, len(second["bins"]), turned=turned), cell)
        for place, cell in enumerate(statistic["cells"])
        if cell["value"] is not None and not noisy[place]
    ]
    trace = bars(
        x=[column for _row, column, _cell in shown],
        base=[row - _SIDE / 2 for row, _column, _cell in shown],
        y=[_SIDE] * len(shown),
        width=_SIDE,
        marker={"opacity": _fullness([cell["value"] for *_place, cell in shown])},
        customdata=[
            [
                inert(down["bins"][row]),
                inert(along["bins"][column]),
                shown_number(cell, statistic) + within(cell, statistic),
            ]
            for row, column, cell in shown
        ],
        hovertemplate="%{customdata[0]}, %{customdata[1]}: %{customdata[2]}<extra></extra>",
    )
    rows, columns = len(down["bins"]), len(along["bins"])
    return as_figure(
        [trace],
        showlegend=False,
        barmode="overlay",
        xaxis=labelled_axis(along["bins"], along["column"]) | {"range": [-0.5, columns - 0.5]},
        yaxis=labelled_axis(down["bins"], down["column"]) | {"range": [rows - 0.5, -0.5]},
    )


def _place(cell: int, fast: int, *, turned: bool) -> tuple[int, int]:
    """The row and the column of a cell; cells lie in rows of the first grouping."""
    slow, within_row = divmod(cell, fast)
    return (within_row, slow) if turned else (slow, within_row)


def _fullness(values: list[float]) -> list[float]:
    """From zero to the largest; from the least where all are more than half of it."""
    low, high = min([0.0, *values]), max([0.0, *values])
    if values and min(values) > high / 2:
        low = min(values)
    wide = (high - low) or 1.0
    return [round(_FAINTEST + (1 - _FAINTEST) * (value - low) / wide, 3) for value in values]
