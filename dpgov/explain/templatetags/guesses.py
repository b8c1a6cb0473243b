"""How pages write counts of guesses and tries: "73 of 100", "1,000th"."""

from django import template
from django.contrib.humanize.templatetags.humanize import ordinal
from django.utils.formats import number_format

from dpgov.budgets.meaning import guesses_text
from dpgov.privacy.meaning.odds import Frequency

register = template.Library()


@register.filter
def guesses(found: Frequency | None) -> str:
    """So many of so many; where it is as good as certain that it is possible."""
    return "" if found is None else guesses_text(found)


@register.filter
def nth(place: int) -> str:
    """A place in a row, with the thousands apart: "1,000th"."""
    return str(ordinal(place)).replace(str(place), number_format(place, force_grouping=True), 1)
