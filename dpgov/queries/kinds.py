"""What sort of question a plan is, in a word or two, for sums and filters."""

from typing import Any

LONGEST_KIND = 200


def kind_of(plan: dict[str, Any]) -> str:
    """ "Count", "Histogram", "Mean", "Count + sum by group": statistics in the plan's order."""
    names = [one["statistic"] for one in plan["statistics"]]
    if plan.get("group_by"):
        names = ["histogram" if name == "count" else f"{name} by group" for name in names]
    return " + ".join(names).capitalize()[:LONGEST_KIND]
