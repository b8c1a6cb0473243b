"""The questions about two tables put together, their bounds and true answers: for every tool."""

from typing import Any

EPSILONS = (0.1, 1.0)
# Of a person so many rows of either table count, and so many joined ones.
USED, KEPT = 2, 3
PAID_MOST = 1_000
QUESTIONS = ("count", "sum of paid", "mean of paid", "count by days")


def truths(days: Any, paid: Any) -> dict[str, list[float]]:
    """Of the joined rows that the bounds keep, as arrays."""
    return {
        "count": [float(len(days))],
        "sum of paid": [float(paid.sum())],
        "mean of paid": [float(paid.mean())],
        "count by days": [float((days == day).sum()) for day in range(10)],
    }
