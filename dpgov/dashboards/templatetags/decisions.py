"""What awaits the reader, in the frame of every page: badges, the bell, a banner after a restore.

One question to the database for all of it.
"""

from typing import Any
from uuid import UUID

from django import template
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from dpgov.approvals.selectors import decidable_by, in_requests
from dpgov.budgets.standing import frozen_budgets
from dpgov.notices.selectors import unread_of
from dpgov.operation.prepared import Prepared
from dpgov.queries.selectors import budget_requests_waiting
from dpgov.tenants.models import Membership
from dpgov.tenants.permissions import Permission, may
from dpgov.tenants.selectors import membership_in, places_of

register = template.Library()


@register.simple_tag
def waiting_for_reader(membership: Membership | None) -> dict[str, int]:
    """How many `decisions`, `requests`, `unread` notices and `frozen` budgets there are."""
    if membership is None:
        return {"decisions": 0, "requests": 0, "unread": 0, "frozen": 0}
    (found,) = _waiting(
        *places_of(membership), *in_requests(membership), roles=membership.roles_code
    )
    return dict(found)


@Prepared
def _waiting(
    membership_id: UUID, tenant_id: UUID, user_id: UUID, asked_by: str, subject: str, *, roles: str
) -> QuerySet[Membership, Any]:
    """In every page, so it is prepared: to put it together takes longer than to ask it."""
    reader = membership_in(membership_id, tenant_id, user_id, roles)
    return Membership.objects.filter(pk=membership_id).values(
        decisions=_number(decidable_by(reader, asked_by, subject)),
        requests=_number(budget_requests_waiting(reader)),
        unread=_number(unread_of(reader)),
        frozen=_number(_frozen(reader)),
    )


def _frozen(membership: Membership) -> QuerySet[Any]:
    """For owners and officers, who can do something about it."""
    found = frozen_budgets(membership.tenant_id)
    return found if may(membership, Permission.REQUEST_CHANGES) else found.none()


def _number(rows: QuerySet[Any]) -> Coalesce:
    """So many rows, as a part of a larger question."""
    same = rows.filter(tenant_id=OuterRef("tenant_id")).order_by().values("tenant_id")
    return Coalesce(Subquery(same.annotate(number=Count("pk")).values("number")), 0)


@register.inclusion_tag("notices/_bell.html", takes_context=True)
def bell(context: Any, membership: Membership | None, unread: int) -> dict[str, Any]:
    """How many of the reader's own notices are unread; nothing for who belongs nowhere."""
    match = getattr(context.get("request"), "resolver_match", None)
    here = match is not None and match.view_name == "notices:list"
    return {"membership": membership, "unread": unread, "here": here}


@register.inclusion_tag("frame/_frozen_banner.html")
def frozen_banner(membership: Membership | None, frozen: int) -> dict[str, Any]:
    """How many budgets are frozen."""
    decides = membership is not None and may(membership, Permission.DECIDE_CHANGES)
    return {"frozen": frozen, "may_confirm": decides}
