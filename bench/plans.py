"""What is asked in the measurements."""

from typing import Any

_KINDS: tuple[dict[str, Any], ...] = (
    {"statistics": [{"statistic": "count"}], "group_by": []},
    {"statistics": [{"statistic": "mean", "column": "age"}], "group_by": []},
    {
        "statistics": [{"statistic": "count"}],
        "group_by": [{"column": "sex"}],
    },
)


def plan_of(slug: str, kind: int = 0) -> dict[str, Any]:
    """A count, a mean or a histogram; cheap, so that a budget lasts for a million of them."""
    return {"dataset": slug, "where": [], "epsilon": 0.001, **_KINDS[kind]}
