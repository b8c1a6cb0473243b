"""What a kind of live tables says of itself, in the reader's language."""

from django import template
from django.utils.translation import gettext as _

from dpgov.datasets.models import LiveTable
from dpgov.datasets.services import kind_of, last_refresh
from dpgov.language.translation import translated

register = template.Library()
register.filter("last_refresh", last_refresh)


@register.filter
def in_words(value: object) -> str:
    """A sentence as it is read, a tick as an answer, anything else as it is."""
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    return translated(value) if isinstance(value, str) else str(value)


@register.filter
def rows_are(live: LiveTable) -> str:
    """Where they are, for everybody who sees the dataset; not at which address."""
    return translated(kind_of(live).rows_are)
