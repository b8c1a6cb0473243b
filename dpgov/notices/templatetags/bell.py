"""The bell in the frame of every page: how many of the reader's own notices are unread."""

from typing import Any

from django import template

from dpgov.tenants.models import Membership

register = template.Library()


@register.inclusion_tag("notices/_bell.html", takes_context=True)
def bell(context: Any, membership: Membership | None, unread: int) -> dict[str, Any]:
    """Nothing for who belongs nowhere."""
    match = getattr(context.get("request"), "resolver_match", None)
    here = match is not None and match.view_name == "notices:list"
    return {"membership": membership, "unread": unread, "here": here}
