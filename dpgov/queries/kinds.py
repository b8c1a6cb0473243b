"""What sort of question a plan is, in a word or two, for sums and filters.

A history is searched for these names, so that none may be part of another.
"""

from typing import Any

LONGEST_KIND = 200
# Others are called as the plan calls them.
_NAMES = {
    "count_distinct": "distinct units",
    "standard_deviation": "standard deviation",
    "min": "minimum",
    "max": "maximum",
}


def kind_of(plan: dict[str, Any]) -> str:
    """ "Count", "Histogram", "Mean", "Count + sum by group": statistics in the plan's order."""
    names = [_NAMES.get(one["statistic"], one["statistic"]) for one in plan["statistics"]]
    if plan.get("group_by"):
        names = ["histogram" if name == "count" else f"{name} by group" for name in names]
    return " + ".join(dict.fromkeys(names)).capitalize()[:LONGEST_KIND]
