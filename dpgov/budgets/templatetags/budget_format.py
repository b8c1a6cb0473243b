"""How pages write amounts of privacy loss."""

from django import template

from dpgov.privacy.budget import as_text

register = template.Library()


@register.filter
def epsilon(nano: int | None) -> str:
    """The exact decimal text of an amount in nano-ε: 500000000 becomes 0.5; None a dash."""
    return "–" if nano is None else as_text(nano)
