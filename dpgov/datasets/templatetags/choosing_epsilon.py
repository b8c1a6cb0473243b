"""The help with choosing an ε, wherever a form asks for one."""

from typing import Any

from django import template
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from dpgov.datasets.choosing import DEPLOYMENTS, HARMS, ladder
from dpgov.privacy.odds import Frequency

register = template.Library()


@register.inclusion_tag("datasets/_choosing.html")
def help_with_epsilon() -> dict[str, Any]:
    """The harm question, consequences by size of ε, and what others chose."""
    return {"harms": HARMS, "deployments": DEPLOYMENTS, "ladder": ladder()}


@register.filter
def frequency(guesses: Frequency) -> str:
    """How many of how many guess right: "73 of 100"; or that it may be all of them."""
    if guesses.is_certain:
        return _("possibly all")
    return _("{count} of {of}").format(
        count=number_format(guesses.count, force_grouping=True),
        of=number_format(guesses.of, force_grouping=True),
    )
