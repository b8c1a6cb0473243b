"""G1: every door that changes something, one good call of it, and the entry that it must make.

A door that takes POST but records nothing says why in `no_entries`.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.http import HttpResponseBase
from django.urls import reverse

from dpgov.approvals.giving import change_role
from dpgov.approvals.services import withdraw
from dpgov.audit.actions import Action
from dpgov.budgets.services import freeze_tenant
from dpgov.datasets.models import Dataset
from tests.declared import declare_otherwise
from tests.integration.access import shared_budgets as shared
from tests.integration.access.bodies import (
    BATCH,
    BATCH_FORM,
    FORM,
    PLAN,
    TABLES_FORM,
    a_file,
    compared,
    grant,
    officer_joins,
    permit,
)
from tests.integration.access.doors import DOORS
from tests.integration.access.no_entries import RECORDS_NOTHING
from tests.integration.access.sign_in_writes import OWN_SIGN_IN
from tests.integration.access.world import World, paused, with_terms
from tests.integration.datasets.joins.public import towns
from tests.integration.datasets.joins.received import received_file, with_public_table
from tests.integration.datasets.live.invented import become_live
from tests.integration.datasets.registering import declared
from tests.integration.joint import before as joint
from tests.integration.queries.asking import before as asking
from tests.integration.queries.ready_made.published import VALUES
from tests.integration.surveys import made as surveys


@dataclass(frozen=True)
class Write:
    """Who calls, with which body and parameters, and what the log says afterwards."""

    actor: str
    action: Action
    body: Callable[[], dict[str, Any]] = dict
    given: tuple[str, ...] = ()
    before: Callable[[World], dict[str, Any]] = lambda _: {}


def _agreed(world: World) -> dict[str, Any]:
    """An agreement that can be ended."""
    world.browser("officer").post(reverse("datasets:agreements"), {"other": "nowhere"})
    return {}


def _of_people(world: World) -> dict[str, Any]:
    """A dataset whose rows belong to people that a column names."""
    declare_otherwise(Dataset.objects.filter(slug="visits"), unit="person", private_id="person")
    return {}


def _live(world: World) -> dict[str, Any]:
    """A dataset whose rows are in its owner's server."""
    become_live(Dataset.objects.get(slug="visits"))
    return {}


def _role_asked(world: World) -> dict[str, Any]:
    """Another role for the analyst, for which an officer has to agree."""
    change_role(
        membership=world.people["analyst"], by=world.people["admin"], role="owner", reason="grows"
    )
    return {}


def _withdrawn(world: World) -> dict[str, Any]:
    """The request that waits makes room for another one."""
    withdraw(request_id=world.own["change_id"], membership=world.people["owner"])
    return {}


def _frozen(world: World) -> dict[str, Any]:
    """Everything of the tenant is frozen."""
    freeze_tenant(tenant_id=world.people["owner"].tenant_id, reason="restored")
    return {}


WRITES: dict[str, Write | str] = {
    "oversight:approve": Write("officer", Action.CHANGE_APPROVED, lambda: {"reason": "agreed"}),
    "oversight:reject": Write("officer", Action.CHANGE_REJECTED, lambda: {"reason": "no"}),
    "oversight:withdraw": Write("owner", Action.CHANGE_WITHDRAWN),
    "limits:raise_limit": Write(
        "owner",
        Action.CHANGE_REQUESTED,
        lambda: {"epsilon_limit": "11", "reason": "more", "confirmed": "11000000000"},
        before=_withdrawn,
    ),
    "limits:refund": Write(
        "owner", Action.CHANGE_REQUESTED, lambda: {"reason": "damaged"}, before=asking.unread
    ),
    "oversight:confirm_frozen": Write("officer", Action.BUDGET_CONFIRMED, compared, before=_frozen),
    "limits:shared_budget_new": Write("owner", Action.SHARED_BUDGET_OPENED, shared.opening),
    "limits:shared_budget_join": Write("owner", Action.SHARED_BUDGET_JOINED, shared.joining),
    "limits:shared_budget_limit": Write("owner", Action.BUDGET_LIMIT_CHANGED, shared.lowering),
    "limits:shared_budget_raise": Write("owner", Action.CHANGE_REQUESTED, shared.raising),
    "limits:shared_budget_merge": Write(
        "officer", Action.CHANGE_REQUESTED, shared.merging, before=shared.two_shared_budgets
    ),
    "limits:shared_budget_divide": Write(
        "owner", Action.CHANGE_REQUESTED, shared.dividing, before=shared.with_a_member
    ),
    "limits:shared_budget_share": Write("owner", Action.CHANGE_REQUESTED, shared.sharing),
    "limits:shared_budget_accept": Write(
        "owner", Action.CHANGE_REQUESTED, shared.accepting, before=shared.invited
    ),
    "oversight:audit_export": Write("officer", Action.AUDIT_LOG_EXPORTED),
    "oversight:audit_verify": Write("officer", Action.AUDIT_LOG_VERIFIED),
    "limits:rate": Write(
        "owner", Action.BUDGET_RATE_CHANGED, lambda: {"epsilon_limit": "1", "reason": "slowly"}
    ),
    "limits:allocation_new": Write("owner", Action.BUDGET_ALLOCATED, grant),
    "limits:allocation_change": Write(
        "owner", Action.BUDGET_ALLOCATED, lambda: {"epsilon_limit": "2", "reason": "more"}
    ),
    "limits:allocation_withdraw": Write(
        "owner", Action.ALLOCATION_WITHDRAWN, lambda: {"reason": "done"}
    ),
    "datasets:upload": Write("owner", Action.FILE_UPLOADED, a_file),
    "datasets:discard": Write("owner", Action.UPLOAD_DISCARDED, before=received_file),
    "datasets:join": Write("owner", Action.FILE_UPLOADED, towns, before=received_file),
    "datasets:unjoin": Write("owner", Action.UPLOAD_DISCARDED, before=with_public_table),
    "datasets:describe": Write("owner", Action.DATASET_DESCRIBED, lambda: {"description": "New."}),
    "datasets:set_terms": Write("owner", Action.TERMS_SET, lambda: {"text": "Once a year."}),
    "datasets:audience": Write("owner", Action.AUDIENCE_CHANGED, lambda: {"who": "named"}),
    "v1:dataset-audience": Write("owner", Action.AUDIENCE_CHANGED, lambda: {"named_only": True}),
    **dict.fromkeys(
        ("datasets:refresh_live", "v1:dataset-refresh"),
        Write("owner", Action.LIVE_TABLE_REFRESHED, lambda: {"version": 2}, before=_live),
    ),
    "datasets:accept_terms": Write(
        "analyst",
        Action.TERMS_ACCEPTED,
        lambda: {"version": "1", "agreed": "on"},
        before=with_terms,
    ),
    "v1:dataset-terms-accept": Write(
        "analyst", Action.TERMS_ACCEPTED, lambda: {"version": 1}, before=with_terms
    ),
    "datasets:limit": Write(
        "owner",
        Action.BUDGET_LIMIT_CHANGED,
        lambda: {"epsilon_limit": "9", "reason": "less", "confirmed": "9000000000"},
    ),
    "datasets:rename": Write("owner", Action.DATASET_RENAMED, lambda: {"name": "Other"}),
    "datasets:access": Write(
        "owner", Action.ALLOCATION_RULE_CHANGED, lambda: {"needs_allocation": "on"}
    ),
    "datasets:held": Write(
        "owner",
        Action.CHANGE_REQUESTED,
        lambda: {"kind": "discard_held_dataset", "reason": "uploaded by mistake"},
    ),
    "datasets:look": Write(
        "officer", Action.DATASET_LOOKED_AT, lambda: {"step": "begin", "reason": "looked at"}
    ),
    "datasets:new_data_rule": Write(
        "officer", Action.NEW_DATA_RULE_CHANGED, lambda: {"waits": "yes"}
    ),
    "datasets:agreements": Write("officer", Action.COMPARING_AGREED, lambda: {"other": "nowhere"}),
    "datasets:end_agreement": Write(
        "officer", Action.COMPARING_ENDED, lambda: {"other": "nowhere"}, before=_agreed
    ),
    "datasets:policy": Write("owner", Action.POLICY_CHANGED, lambda: {"per_query": "1"}),
    "datasets:permit": Write("owner", Action.QUESTIONS_PERMITTED, permit),
    "datasets:check": Write("owner", Action.UPLOAD_CHECKED, declared, before=received_file),
    "datasets:check_version": Write("owner", Action.UPLOAD_CHECKED, declared, before=received_file),
    "datasets:archive": Write("owner", Action.DATASET_ARCHIVED),
    "datasets:retention": Write("owner", Action.RETENTION_CHANGED, lambda: {"last_day": ""}),
    "datasets:pause": Write("owner", Action.QUESTIONS_PAUSED, lambda: {"reason": "a doubt"}),
    "datasets:resume": Write("owner", Action.QUESTIONS_RESUMED, before=paused),
    "datasets:delete_data": Write("owner", Action.DATASET_DATA_DELETED, lambda: {"name": "Old"}),
    "datasets:delete_version": Write(
        "owner", Action.VERSION_DATA_DELETED, lambda: {"name": "Visits"}
    ),
    "datasets:unit_bounds": Write(
        "owner",
        Action.DATASET_VERSION_ADDED,
        lambda: {"max_rows_per_unit": "4"},
        before=_of_people,
    ),
    "queries:unit_rows": Write(
        "owner",
        Action.QUERY_SUBMITTED,
        lambda: {"epsilon": "0.1", "key": "sizes-1"},
        before=_of_people,
    ),
    "queries:cancel": Write("owner", Action.QUERY_VOIDED, before=asking.waiting_in_a_pause),
    "queries:ask": Write("analyst", Action.QUERY_SUBMITTED, lambda: {**FORM, "key": "k-1"}),
    "queries:reuse": Write(
        "analyst", Action.QUERY_REUSED, lambda: {**FORM, "key": "k-3"}, before=asking.answered
    ),
    "queries:approval_new": Write(
        "analyst",
        Action.APPROVAL_REQUESTED,
        lambda: {"plan": json.dumps(PLAN), "purpose": "the study"},
        before=asking.every_question_is_approved,
    ),
    "queries:approved_ask": Write("analyst", Action.QUERY_SUBMITTED, before=asking.approved),
    "queries:ready_made_new": Write(
        "owner",
        Action.READY_MADE_PUBLISHED,
        lambda: {"name": "All", "purpose": "a sum", "price": "0.1", "plan": json.dumps(PLAN)},
    ),
    "queries:ready_made_ask": Write(
        "analyst", Action.QUERY_SUBMITTED, lambda: {"key": "k-4", "p0": "30", "p1": "Female"}
    ),
    **{
        name: Write("owner", *way[:2], before=way[2])
        for name, way in (joint.DOORS | surveys.DOORS).items()
    },
    "queries:ready_made_withdraw": Write("owner", Action.READY_MADE_WITHDRAWN),
    "queries:batch": Write("analyst", Action.QUERY_SUBMITTED, lambda: {**BATCH_FORM, "key": "k-2"}),
    "queries:tables": Write("analyst", Action.QUERY_SUBMITTED, lambda: TABLES_FORM),
    "queries:budget_ask": Write(
        "analyst",
        Action.BUDGET_REQUESTED,
        lambda: {"about": "limit", "epsilon_limit": "20", "reason": "the study"},
    ),
    "queries:budget_answer": Write(
        "owner",
        Action.BUDGET_ALLOCATED,
        lambda: {"decision": "grant", "epsilon_limit": "6", "answer": "agreed"},
    ),
    "queries:budget_withdraw": Write("analyst", Action.BUDGET_REQUEST_WITHDRAWN),
    "notices:webhooks": Write(
        "admin",
        Action.WEBHOOK_ADDED,
        lambda: {"url": "https://example.org/in", "kinds": ["request"]},
    ),
    "notices:webhook_secret": Write("admin", Action.WEBHOOK_SECRET_CHANGED),
    "notices:webhook_remove": Write("admin", Action.WEBHOOK_REMOVED),
    "people:member_role": Write("admin", Action.MEMBER_ROLE_CHANGED, lambda: {"role": "admin"}),
    "people:member_role_withdraw": Write("admin", Action.CHANGE_WITHDRAWN, before=_role_asked),
    "people:member_remove": Write("admin", Action.MEMBER_REMOVED),
    "people:member_token_end": Write("admin", Action.TOKEN_REVOKED),
    "people:invitations": Write(
        "admin",
        Action.INVITATION_SENT,
        lambda: {"email": "invited@example.org", "role": "analyst"},
    ),
    "people:invitation_again": Write("admin", Action.INVITATION_SENT),
    "people:invitation_revoke": Write("admin", Action.INVITATION_REVOKED),
    "tenants:projects": Write("owner", Action.PROJECT_CREATED, lambda: {"name": "Trains"}),
    "tenants:project": Write("owner", Action.PROJECT_MEMBER_ADDED, officer_joins),
    "tenants:project_end": Write("owner", Action.PROJECT_ENDED),
    "tenants:project_remove": Write("owner", Action.PROJECT_MEMBER_REMOVED),
    "tenants:tokens": Write("analyst", Action.TOKEN_CREATED, lambda: {"name": "nightly"}),
    "tenants:token_revoke": Write("analyst", Action.TOKEN_REVOKED),
    "v1:batch-submit": Write("analyst", Action.QUERY_SUBMITTED, lambda: BATCH),
    "v1:approval-list": Write(
        "analyst",
        Action.APPROVAL_REQUESTED,
        lambda: {"plan": PLAN, "purpose": "the study"},
        before=asking.every_question_is_approved,
    ),
    "v1:ready-made": Write("analyst", Action.QUERY_SUBMITTED, lambda: {"values": VALUES}),
    "v1:reuse": Write("analyst", Action.QUERY_REUSED, lambda: PLAN, before=asking.answered),
    "v1:query-submit": Write("analyst", Action.QUERY_SUBMITTED, lambda: PLAN),
    "v1:query-cancel": Write("owner", Action.QUERY_VOIDED, before=asking.waiting_in_a_pause),
    "v1:approval-withdraw": Write("analyst", Action.BUDGET_REQUEST_WITHDRAWN),
    "v1:audit-verify": Write("officer", Action.AUDIT_LOG_VERIFIED),
    **OWN_SIGN_IN,
    **RECORDS_NOTHING,
}


def send(world: World, name: str, write: Write, ids: dict[str, Any]) -> HttpResponseBase:
    """The one good call of a door."""
    route = world.route(name)
    known = {"fmt": "csv", "period": "week", **world.own, **ids}
    url = reverse(name, kwargs={part: known[part] for part in route.parameters})
    if name.startswith("v1:"):
        key = {"Idempotency-Key": "k-1"}
        client = world.api(write.actor)
        change = client.patch if "PATCH" in DOORS[name].methods else client.post
        return change(url, write.body(), format="json", headers=key)
    return world.browser(write.actor).post(url, write.body())
