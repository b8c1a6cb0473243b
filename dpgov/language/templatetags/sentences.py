"""Stored sentences and numbers in templates."""

from django import template
from django.utils.formats import number_format

from dpgov.language.translation import retold

register = template.Library()
register.filter("retold", retold)
_FIRST_GROUPED = 1_000


@register.filter
def grouped(number: int) -> str:
    """The number with its thousands apart; what has none is not looked at by any rule of it."""
    plain = 0 <= number < _FIRST_GROUPED
    return str(number) if plain else str(number_format(number, force_grouping=True))
