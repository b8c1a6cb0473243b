"""What waits for a decision, in the frame of every page: a badge, and a banner after a restore.

Only for who may request or decide; everybody else's page asks the database nothing.
"""

from typing import Any

from django import template

from dpgov.approvals.selectors import waiting_for
from dpgov.budgets.frozen import frozen_budgets
from dpgov.queries.wishes import budget_requests_waiting
from dpgov.tenants.models import Membership
from dpgov.tenants.permissions import Permission, may

register = template.Library()


@register.simple_tag
def decisions_waiting(membership: Membership | None) -> int:
    """How many requests this person could decide now."""
    return waiting_for(membership) if membership is not None else 0


@register.simple_tag
def budget_requests_to_answer(membership: Membership | None) -> int:
    """How many analysts' requests for budget this person could answer now."""
    return budget_requests_waiting(membership) if membership is not None else 0


@register.inclusion_tag("_frozen_banner.html")
def frozen_banner(membership: Membership | None) -> dict[str, Any]:
    """How many budgets are frozen, for owners and officers."""
    if membership is None or not may(membership, Permission.REQUEST_CHANGES):
        return {"frozen": 0}
    return {
        "frozen": frozen_budgets(membership.tenant_id).count(),
        "may_confirm": may(membership, Permission.DECIDE_CHANGES),
    }
