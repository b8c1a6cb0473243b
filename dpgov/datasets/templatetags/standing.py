"""The status of a dataset as a chip: a word and a mark, so that colour is never the only sign."""

from typing import Any

from django import template

from dpgov.budgets.models import Budget
from dpgov.datasets.lineage import is_frozen, needs_allocation, paused_by
from dpgov.datasets.rules import most_per_question
from dpgov.datasets.status import WORDS, Status, status_of_budget, stopped_as

register = template.Library()


@register.inclusion_tag("_status_chip.html")
def status_chip(status: Status) -> dict[str, Any]:
    """Open, Low, Used up, Held, Paused or Frozen, as it was found for the page."""
    return {"status": status, "word": WORDS[status]}


register.filter("most_per_question", most_per_question)
register.filter("paused_by", paused_by)
register.filter("is_frozen", is_frozen)
register.filter("needs_allocation", needs_allocation)
register.filter("stopped_as", stopped_as)


@register.filter
def level(budget: Budget) -> str:
    """How full a budget is, for the colour of its bar."""
    return status_of_budget(budget).value
