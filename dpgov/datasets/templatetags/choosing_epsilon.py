"""The help with choosing an ε, wherever a form asks for one."""

from typing import Any

from django import template

from dpgov.budgets.meaning import guesses_text
from dpgov.datasets.choosing import DEPLOYMENTS, HARMS, ladder

register = template.Library()


@register.inclusion_tag("datasets/registering/_choosing.html")
def help_with_epsilon() -> dict[str, Any]:
    """The harm question, consequences by size of ε, and what others chose."""
    return {"harms": HARMS, "deployments": DEPLOYMENTS, "ladder": ladder()}


register.filter("frequency", guesses_text)
