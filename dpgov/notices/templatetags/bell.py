"""The bell in the frame of every page: how many of the reader's own notices are unread."""

from typing import Any

from django import template

from dpgov.notices.selectors import unread_of
from dpgov.tenants.models import Membership

register = template.Library()


@register.inclusion_tag("notices/_bell.html", takes_context=True)
def bell(context: Any, membership: Membership | None) -> dict[str, Any]:
    """One question to the database; nothing for who belongs nowhere."""
    match = getattr(context.get("request"), "resolver_match", None)
    return {
        "membership": membership,
        "unread": unread_of(membership) if membership is not None else 0,
        "here": match is not None and match.view_name == "notices:list",
    }
