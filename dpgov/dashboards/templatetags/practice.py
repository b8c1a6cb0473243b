"""Where people practise: the tour on every page there, and the way in and out."""

from typing import Any

from django import template

from dpgov.dashboards.tour import tour_of
from dpgov.tenants.models import Membership

register = template.Library()


@register.inclusion_tag("frame/_tour.html", takes_context=True)
def tour(context: Any, membership: Membership | None) -> dict[str, Any]:
    """What to do next, for who practises; nothing for everybody else, and no statement."""
    if membership is None or not membership.tenant.is_practice:
        return {}
    home = [one for one in _memberships(context) if one.tenant_id == membership.tenant.practice_of]
    return {
        "tour": tour_of(membership),
        "home": home[0] if home else None,
        "csrf_token": context.get("csrf_token"),
    }


@register.simple_tag(takes_context=True)
def practice_of(context: Any, membership: Membership) -> Membership | None:
    """Where the reader can practise for this organisation."""
    found = (m for m in _memberships(context) if m.tenant.practice_of == membership.tenant_id)
    return next(found, None)


def _memberships(context: Any) -> list[Membership]:
    found: list[Membership] = getattr(context.get("request"), "memberships", [])
    return found
