"""What is left to set up, for each role: a list that is done by doing, never by ticking.

Of steps that leave a trace alone: nobody keeps that a person has looked at a page, so no list
claims it. A list is for a beginning: once it is begun it goes after a month in the role, whatever
is still open in it, so that nobody reads it for ever.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db.models import Exists, QuerySet
from django.utils.translation import gettext as _

from dpgov.audit.actions import Action
from dpgov.audit.selectors import EntryFilter, entries_of
from dpgov.datasets.audience import seen
from dpgov.datasets.models import Dataset, Policy
from dpgov.operation import clock
from dpgov.operation.prepared import Prepared
from dpgov.queries.models import Query
from dpgov.tenants.models import ApiToken, Membership, Role
from dpgov.tenants.roles import having
from dpgov.tenants.selectors import membership_in, places_of

_BEGINNING = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to do once; `url_name` leads to where it is done; empty: by others."""

    text: str
    url_name: str
    done: bool


def checklist(membership: Membership) -> list[Item]:
    """What is left of each role's list, in one read each; nothing once they no longer help."""
    made = {
        Role.OWNER: _owner,
        Role.ANALYST: _analyst,
        Role.OFFICER: _officer,
        Role.ADMIN: _admin,
    }
    lists = [(role, made[role](membership)) for role in membership.roles]
    return [item for role, items in lists if _helps(membership, role, items) for item in items]


def _helps(membership: Membership, role: Role, items: list[Item]) -> bool:
    """Not once all is done, nor for whoever began and has had the role for long."""
    done, since = sum(item.done for item in items), membership.since(role)
    has_begun = done > 0 and since is not None and clock.now() - since >= _BEGINNING
    return done < len(items) and not has_begun


def _facts(membership: Membership, role: Role) -> dict[str, bool]:
    """What the list of a role asks, in one statement; nothing else, for a long log is slow."""
    found: dict[str, Any]
    if role is Role.OFFICER:
        (found,) = _answered(membership.pk, _of_officer(membership))
    else:
        (found,) = _traces(*places_of(membership), roles=membership.roles_code, role=role.value)
    return {name: bool(value) for name, value in found.items()}


@Prepared
def _traces(
    membership_id: UUID, tenant_id: UUID, user_id: UUID, *, roles: str, role: str
) -> QuerySet[Membership, Any]:
    """Of every role but officers, for whom the log is asked."""
    reader = membership_in(membership_id, tenant_id, user_id, roles)
    present = Dataset.objects.filter(seen(reader), tenant=tenant_id, archived_at__isnull=True)
    people = {
        one.value: Membership.objects.filter(having(one), tenant=tenant_id)
        for one in (Role.OWNER, Role.ANALYST, Role.OFFICER)
    }
    questions = Query.objects.filter(tenant=tenant_id)
    asked: dict[str, dict[str, QuerySet[Any]]] = {
        Role.OWNER: {
            "dataset": present,
            "policy": Policy.objects.filter(tenant=tenant_id),
            "analyst": people[Role.ANALYST],
            "question": questions,
        },
        Role.ANALYST: {
            "dataset": present,
            "own": questions.filter(analyst=user_id),
            "token": ApiToken.objects.filter(membership=membership_id),
        },
        Role.ADMIN: people,
    }
    return _answered(membership_id, asked[role])


def _of_officer(membership: Membership) -> dict[str, QuerySet[Any]]:
    tenant, me = membership.tenant_id, membership.user.email
    verified = EntryFilter(actor=me, action=Action.AUDIT_LOG_VERIFIED.value)
    exported = EntryFilter(actor=me, action=Action.AUDIT_LOG_EXPORTED.value)
    officers = Membership.objects.filter(having(Role.OFFICER), tenant=tenant)
    return {
        "verified": entries_of(tenant, verified),
        "exported": entries_of(tenant, exported),
        "second": officers.exclude(pk=membership.pk),
    }


def _answered(membership_id: UUID, asked: dict[str, QuerySet[Any]]) -> QuerySet[Membership, Any]:
    named = {name: Exists(rows.order_by()) for name, rows in asked.items()}
    return Membership.objects.filter(pk=membership_id).values(**named)


def _owner(membership: Membership) -> list[Item]:
    known = _facts(membership, Role.OWNER)
    return [
        Item(_("Register a dataset"), "datasets:upload", known["dataset"]),
        Item(_("Set a policy for questions about it"), "datasets:list", known["policy"]),
        Item(_("Have an administrator add an analyst"), "", known["analyst"]),
        Item(_("See the first question come in"), "dashboards:history", known["question"]),
    ]


def _analyst(membership: Membership) -> list[Item]:
    known = _facts(membership, Role.ANALYST)
    return [
        Item(_("Have a data owner register a dataset"), "datasets:list", known["dataset"]),
        Item(_("Ask your first question"), "datasets:list", known["own"]),
        Item(_("Make a token, to ask from a notebook"), "tenants:tokens", known["token"]),
    ]


def _officer(membership: Membership) -> list[Item]:
    known = _facts(membership, Role.OFFICER)
    return [
        Item(_("Verify the audit log"), "oversight:audit_log", known["verified"]),
        Item(_("Export it, and keep the copy elsewhere"), "oversight:audit_log", known["exported"]),
        Item(_("Have an administrator add a second officer"), "", known["second"]),
    ]


def _admin(membership: Membership) -> list[Item]:
    known = _facts(membership, Role.ADMIN)
    return [
        Item(_("Add a data owner"), "people:invitations", known["owner"]),
        Item(_("Add an analyst"), "people:invitations", known["analyst"]),
        Item(_("Add a compliance officer"), "people:invitations", known["officer"]),
    ]
