"""Accepting questions: each row, its reservation and its audit entry, all together or not at all.

A single question is a batch of one.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction

from dpgov.audit.actions import Action
from dpgov.audit.services import append
from dpgov.budgets.allocated import AllocationNeeded
from dpgov.budgets.errors import BudgetsMoved, NotAdmitted
from dpgov.budgets.services import Line, noted_lines, reserve, take
from dpgov.budgets.words import noted
from dpgov.datasets.cubes import is_cubed
from dpgov.datasets.fitting import PersonalPolicy
from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import current_version
from dpgov.operation import request_ids
from dpgov.operation.clock import database_now
from dpgov.privacy.answer.batch import MAX_PLANS
from dpgov.privacy.answer.blueprint import Blueprint
from dpgov.privacy.answer.duration import scans_of
from dpgov.privacy.plan.canonical import canonical_sha256
from dpgov.queries.answering.moments import class_ms_of
from dpgov.queries.answering.tasks import wake
from dpgov.queries.answering.turns import is_heavy
from dpgov.queries.asking.approval import ApprovedReader
from dpgov.queries.asking.asked import Asked, Reader, by_owner, read_batch, read_plan
from dpgov.queries.asking.gate import refuse_unless_open_to
from dpgov.queries.asking.once import LONGEST_BATCH_KEY, Submission, check_key, once
from dpgov.queries.asking.policy import QueryLimitExceeded, policy_for, refuse_outside
from dpgov.queries.asking.ready_made import ReadyMadeReader
from dpgov.queries.asking.refusals import count_refusal
from dpgov.queries.asking.touched import lines_of
from dpgov.queries.kinds import kind_of
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership, Role
from dpgov.tenants.selectors import actor_of

_TRIES = 3
REFUSED = (NotAdmitted, QueryLimitExceeded, AllocationNeeded)


@dataclass(frozen=True, slots=True)
class _Request:
    """A body as it came, with the keys that its questions will have, in their order."""

    membership: Membership
    dataset: Dataset
    body: object
    body_hash: str
    allocation_id: UUID | None
    read: Reader
    keys: Sequence[str]


def submit(
    *,
    membership: Membership,
    dataset: Dataset,
    raw_plan: object,
    idempotency_key: str,
    allocation_id: UUID | None = None,
) -> Submission:
    """Accept one question and reserve its cost everywhere it counts, once per idempotency key.

    `allocation_id` says which of several allocations to charge. Raises InvalidKey,
    IdempotencyConflict, InvalidPlan, QueryLimitExceeded, AllocationNeeded, ChooseAllocation and
    NotAdmitted (NotOpen, TermsNotAccepted, and the ledger's InsufficientBudget, BudgetFrozen,
    BudgetClosed, BudgetsMoved); after a refusal nothing has changed but its count. NoSuchDataset
    for who is not in its audience, and then not even that.
    """
    check_key(idempotency_key)
    body_hash = hash_of(dataset, raw_plan, allocation_id)
    keys = [idempotency_key]
    return _submit(
        _Request(membership, dataset, raw_plan, body_hash, allocation_id, read_plan, keys)
    )


def submit_batch(
    *,
    membership: Membership,
    dataset: Dataset,
    raw_batch: object,
    idempotency_key: str,
    allocation_id: UUID | None = None,
) -> Submission:
    """The same for several questions together: all of them or none, in one transaction.

    Each is a question like any other, with its own row, hold and entry in the log. Its key is that
    of the batch, a space, which no key of a single question has, and its place.
    """
    check_key(idempotency_key, LONGEST_BATCH_KEY)
    body_hash = hash_of(dataset, ["batch", raw_batch], allocation_id)
    keys = [f"{idempotency_key} {place}" for place in range(MAX_PLANS)]
    return _submit(
        _Request(membership, dataset, raw_batch, body_hash, allocation_id, read_batch, keys)
    )


def submit_approved(
    *,
    membership: Membership,
    dataset: Dataset,
    approval_id: UUID,
    raw_plan: object,
    idempotency_key: str,
    allocation_id: UUID | None = None,
    is_typed: bool = False,
) -> Submission:
    """The same for a question that an owner approved for this person, which uses the approval up.

    The key is a page's own, or one that a program chose (`is_typed`). Raises NotAsApproved besides;
    whether it still holds is looked at under the lock of its row.
    """
    if is_typed:
        check_key(idempotency_key)
    body_hash = hash_of(dataset, ["approved", str(approval_id), raw_plan], allocation_id)
    read = ApprovedReader(membership, approval_id, idempotency_key)
    keys = [idempotency_key]
    return _submit(_Request(membership, dataset, raw_plan, body_hash, allocation_id, read, keys))


def submit_ready_made(
    *,
    membership: Membership,
    dataset: Dataset,
    ready_made_id: UUID,
    values: object,
    idempotency_key: str,
    allocation_id: UUID | None = None,
) -> Submission:
    """The same for a ready-made question with these values in its blanks, and nothing else of it.

    Raises Withdrawn and QuotaUsedUp besides; its quota is counted under the lock of its row.
    """
    check_key(idempotency_key)
    body_hash = hash_of(dataset, ["ready-made", str(ready_made_id), values], allocation_id)
    read = ReadyMadeReader(membership, ready_made_id, idempotency_key)
    keys = [idempotency_key]
    return _submit(_Request(membership, dataset, values, body_hash, allocation_id, read, keys))


def _submit(request: _Request) -> Submission:
    try:
        return once(
            request.membership,
            request.keys,
            request.body_hash,
            lambda: _accept_as_it_is_now(request),
        )
    except REFUSED as refusal:
        count_refusal(membership=request.membership, dataset=request.dataset, refusal=refusal)
        raise


def _accept_as_it_is_now(request: _Request) -> list[Query]:
    """Begin again when the dataset came to share another budget in the very moment."""
    for _again in range(_TRIES - 1):
        try:
            return _accept(request)
        except BudgetsMoved:
            continue
    return _accept(request)


@transaction.atomic
def _accept(request: _Request) -> list[Query]:
    dataset, user = request.dataset, request.membership.user
    asked = request.read(current_version(dataset), request.body)
    refuse_unless_open_to(dataset, user)
    policy = policy_for(dataset, user, asked.ready_made, asked.approval)
    # A batch has fewer questions than it could have keys.
    queries = [
        _question(one, asked, request, policy, key)
        for one, key in zip(asked.blueprints, request.keys, strict=False)
    ]
    lines = [
        lines_of(one, dataset=dataset, user=user, allocation_id=request.allocation_id)
        for one in asked.blueprints
    ]
    if len(lines) > 1:
        take(line for of_one in lines for line in of_one)
    for query, of_one in zip(queries, lines, strict=True):
        write_down(query, of_one)
    return queries


def _question(
    blueprint: Blueprint, asked: Asked, request: _Request, policy: PersonalPolicy, key: str
) -> Query:
    """The question as a row that is not stored yet; raises QueryLimitExceeded, OutsidePolicy."""
    dataset = request.dataset
    refuse_outside(blueprint, dataset, policy)
    plan = blueprint.plan.as_json()
    cubed = is_cubed(asked.version, blueprint.schema, scans_of(blueprint))
    return Query(
        tenant_id=dataset.tenant_id,
        dataset=dataset,
        version=asked.version,
        ready_made=asked.ready_made,
        approval=asked.approval,
        analyst=request.membership.user,
        by_owner=request.membership.has(Role.OWNER),
        plan=plan,
        kind=kind_of(plan),
        cost_nano=blueprint.cost_nano,
        canonical_sha256=canonical_sha256(blueprint.plan, blueprint.schema),
        idempotency_key=key,
        body_hash=request.body_hash,
        heavy=is_heavy(blueprint),
        request_id=request_ids.current() or "",
        submitted_at=database_now(),
        class_ms=class_ms_of(blueprint, cubed=cubed),
    )


def write_down(query: Query, lines: Sequence[Line]) -> None:
    """A priced question, its hold on every line and its entry, in the caller's transaction.

    Raises IntegrityError for a twin of the same key, and what `budgets.services.reserve` raises.
    """
    # The row goes first: its unique key makes a twin wait here, before it holds any budget.
    query.save(force_insert=True)
    reserve(query_id=query.pk, tenant_id=query.tenant_id, lines=lines)
    _record(query, lines)
    transaction.on_commit(wake)


def _record(query: Query, lines: Sequence[Line]) -> None:
    currency = query.dataset.budget.currency
    append(
        tenant_id=query.tenant_id,
        actor=actor_of(query.analyst),
        action=Action.QUERY_SUBMITTED,
        subject=f"query:{query.pk}",
        dataset=query.dataset.slug,
        detail={
            **noted(query.cost_nano, currency),
            "plan": query.plan,
            "version": query.version.number,
            "lines": noted_lines(lines, currency),
            **by_owner(query),
            **_origin(query),
        },
    )


def _origin(query: Query) -> dict[str, str]:
    """Which ready-made question it came from, if from one; which approval it used, if one."""
    found, approval = query.ready_made, query.approval
    of_one = {} if approval is None else {"approval": str(approval.pk)}
    if found is None:
        return of_one
    return {"ready_made": str(found.pk), "ready_made_name": found.name} | of_one


def hash_of(dataset: Dataset, body: object, allocation_id: UUID | None) -> str:
    """What tells one request from another under the same key."""
    parts = [str(dataset.pk), body, *([str(allocation_id)] if allocation_id else [])]
    text = json.dumps(parts, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()
