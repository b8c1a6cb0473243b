"""How pages write counts of guesses and tries: "73 of 100", "1,000th"."""

from django import template
from django.contrib.humanize.templatetags.humanize import ordinal
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from dpgov.privacy.odds import Frequency

register = template.Library()


@register.filter
def guesses(found: Frequency | None) -> str:
    """So many of so many; where it is as good as certain that it is possible."""
    if found is None:
        return ""
    if found.is_certain:
        return _("possibly all")
    count, of = (number_format(number, force_grouping=True) for number in (found.count, found.of))
    return _("%(count)s of %(of)s") % {"count": count, "of": of}


@register.filter
def nth(place: int) -> str:
    """A place in a row, with the thousands apart: "1,000th"."""
    return str(ordinal(place)).replace(str(place), number_format(place, force_grouping=True), 1)
