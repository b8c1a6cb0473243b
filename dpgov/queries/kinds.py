"""What sort of question a plan is, in a word or two, for sums and filters.

A history is searched for these names, so that none may be part of another.
"""

from typing import Any

from django.utils.translation import gettext_lazy

LONGEST_KIND = 200
# Statistics as a plan calls them, in the reader's language.
STATISTIC_NAMES = {
    "count": gettext_lazy("count"),
    "count_distinct": gettext_lazy("count distinct"),
    "sum": gettext_lazy("sum"),
    "mean": gettext_lazy("mean"),
    "variance": gettext_lazy("variance"),
    "standard_deviation": gettext_lazy("standard deviation"),
    "median": gettext_lazy("median"),
    "quantiles": gettext_lazy("quantiles"),
    "min": gettext_lazy("min"),
    "max": gettext_lazy("max"),
    "cdf": gettext_lazy("cdf"),
}
# Others are called as the plan calls them.
_NAMES = {
    "count_distinct": "distinct units",
    "standard_deviation": "standard deviation",
    "min": "minimum",
    "max": "maximum",
    "cdf": "cumulative",
}
_OF_GROUPS = ("histogram", "cumulative")


def kind_of(plan: dict[str, Any]) -> str:
    """ "Count", "Histogram", "Mean", "Histogram + sum by group": statistics in the plan's order."""
    names = [_NAMES.get(one["statistic"], one["statistic"]) for one in plan["statistics"]]
    if plan.get("group_by"):
        names = ["histogram" if name == "count" else name for name in names]
        grouped = not set(names) <= set(_OF_GROUPS)
        return " + ".join(dict.fromkeys(names)).capitalize() + (" by group" if grouped else "")
    return " + ".join(dict.fromkeys(names)).capitalize()
