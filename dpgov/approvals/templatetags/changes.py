"""Changes that take two persons, in templates."""

from django import template
from django.utils.functional import Promise

from dpgov.approvals.kinds import kind_of

register = template.Library()


@register.filter
def change_label(value: str) -> Promise:
    """A kind of change in a few words."""
    return kind_of(value).label
