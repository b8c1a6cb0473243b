"""The ready-made questions of a dataset, where its page shows them."""

from typing import Any

from django import template

from dpgov.budgets.words import question
from dpgov.datasets.models import Dataset
from dpgov.queries.asking.ready_made import ready_made_of

register = template.Library()
_SHOWN = 6


@register.inclusion_tag("queries/ready_made/_on_dataset.html")
def ready_made_questions(dataset: Dataset) -> dict[str, Any]:
    """The first few by name, each with its price; one read."""
    found = list(ready_made_of(dataset)[: _SHOWN + 1])
    currency = dataset.budget.currency
    return {
        "dataset": dataset,
        "rows": [(one, question(one.cost_nano, currency)) for one in found[:_SHOWN]],
        "more": len(found) > _SHOWN,
    }
