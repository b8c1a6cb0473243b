"""The range and the filters of a dashboard, on their way to the next one, in its words.

The log names a dataset by its short name and a person by e-mail, as its entries do; every other
dashboard by keys, and understands the log's names as well. Nothing travels to or from other pages.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from django.db.models import QuerySet

from dpgov.datasets.models import Dataset
from dpgov.tenants.models import User
from dpgov.web.picking import is_key
from dpgov.web.span import taken_along

_LOG = "oversight:audit_log"
_BUDGET = "dashboards:budget"
DASHBOARDS = {_LOG, _BUDGET, "dashboards:history", "dashboards:portfolio", "oversight:month"}


def travelling(context: Any, here: str, there: str) -> str:
    """What to write behind the address of `there`; empty but from one dashboard to another.

    `context` is a page's: its request, and what it has read of `dataset` or `chosen_dataset` and of
    `chosen_analyst`, by which the log finds them.
    """
    if here == there or not {here, there} <= DASHBOARDS:
        return ""
    data = context["request"].GET
    along = taken_along(data)
    if here == _LOG and data.get("actor"):
        along["analyst"] = data["actor"]
    dataset = context.get("chosen_dataset")
    if here == _BUDGET and (dataset := context.get("dataset")):
        along["dataset"] = str(dataset.pk)
    if there == _LOG and here != _LOG:
        along = _as_logged(along, dataset, context.get("chosen_analyst"))
    if there == _BUDGET:
        along.pop("dataset", None)
    return f"?{urlencode(along)}" if along else ""


def _as_logged(along: Mapping[str, str], dataset: Any, analyst: Any) -> dict[str, str]:
    """What the log knows of it: no statistic, no purpose, and nobody whom the page did not read."""
    found = {name: text for name, text in along.items() if name == "range"}
    if dataset is not None:
        found["dataset"] = dataset.slug
    return found | ({"actor": analyst.email} if analyst is not None else {})


def by_keys(data: Any, *, datasets: QuerySet[Dataset], people: QuerySet[User]) -> Any:
    """The same address with keys where it has the log's names; a statement only where it has.

    Looked for among those alone that the reader may see: what is hidden is no name of anything.
    What is none stays as it is, for the filter to say so.
    """
    found = {}
    if (slug := data.get("dataset", "")) and not is_key(slug):
        known = datasets.filter(slug=slug).order_by("-created_at")
        found["dataset"] = known.values_list("pk", flat=True).first()
    if (email := data.get("analyst", "")) and not is_key(email):
        found["analyst"] = people.filter(email=email).values_list("pk", flat=True).first()
    if not found:
        return data
    data = data.copy()
    for name, pk in found.items():
        data[name] = str(pk or data[name])
    return data
