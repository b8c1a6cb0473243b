"""Accepting a question: the row, its reservation and its audit entry, together or not at all."""

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from dpgov.audit.actions import Action
from dpgov.audit.services import append
from dpgov.budgets.charging import AllocationNeeded
from dpgov.budgets.errors import BudgetsMoved, NotAdmitted
from dpgov.budgets.services import Line, reserve
from dpgov.budgets.words import noted, question
from dpgov.datasets.models import Dataset, DatasetVersion
from dpgov.datasets.selectors import current_version, is_open
from dpgov.language.said import said
from dpgov.operation import request_ids
from dpgov.operation.tallies import count_budget_refusal
from dpgov.privacy.accounting.currency import PURE, Currency
from dpgov.privacy.answer.blueprint import Blueprint
from dpgov.privacy.plan.canonical import canonical_sha256
from dpgov.queries.answering.lanes import is_heavy
from dpgov.queries.answering.moments import class_ms_of
from dpgov.queries.answering.tasks import wake
from dpgov.queries.asking.policy import outside_policy, terms_for
from dpgov.queries.asking.quote import blueprint_for
from dpgov.queries.asking.refusals import count_refusal
from dpgov.queries.asking.touched import lines_of
from dpgov.queries.clock import database_now
from dpgov.queries.kinds import kind_of
from dpgov.queries.models import Query
from dpgov.queries.selectors import find_by_key
from dpgov.tenants.models import Membership
from dpgov.tenants.selectors import actor_of

_TRIES = 3
_KEY = re.compile(r"[\x21-\x7e]{1,200}")


class InvalidKey(ValueError):
    """An idempotency key must be 1 to 200 visible ASCII characters; of a batch some fewer."""

    def __init__(self, longest: int = 200) -> None:
        super().__init__(f"The idempotency key must be 1 to {longest} visible ASCII characters.")


class IdempotencyConflict(Exception):
    """The key was used before for another question."""

    def __init__(self) -> None:
        super().__init__("This idempotency key was already used for another question.")


class QueryLimitExceeded(Exception):
    """One question may not cost this much on this dataset."""

    def __init__(self, *, requested_nano: int, limit_nano: int, currency: Currency = PURE) -> None:
        self.requested_nano = requested_nano
        self.limit_nano = limit_nano
        super().__init__(
            _(
                "One question on this dataset may cost at most {most}; this one costs {price}."
            ).format(most=question(limit_nano, currency), price=question(requested_nano, currency))
        )


class OutsidePolicy(QueryLimitExceeded):
    """The dataset's owner does not let this be asked, or not without asking them first."""

    reason = "policy"

    def __init__(self, message: str, *, requested_nano: int) -> None:
        self.requested_nano = requested_nano
        self.limit_nano = requested_nano
        Exception.__init__(self, message)


class NotOpen(NotAdmitted):
    """The dataset is held, archived or otherwise closed to questions, whatever its budget admits.

    The same words for all: a dataset that is held looks missing, and so does an archived one.
    """

    def __init__(self) -> None:
        super().__init__(
            said("Questions about this dataset are not admitted. Nothing was charged.")
        )


def refuse_unless_open(dataset: Dataset) -> None:
    """Every way to an answer begins here, free ones too: raises NotOpen.

    What the caller has read may be old, so it is looked up again, in the caller's transaction. A
    frozen or ended budget admits nothing either; the ledger says so, see `budgets.services`.
    """
    if not is_open(dataset.pk):
        raise NotOpen


REFUSED = (NotAdmitted, QueryLimitExceeded, AllocationNeeded)


@dataclass(frozen=True, slots=True)
class Submission:
    """The accepted query; `created` is False when the same request had been accepted before."""

    query: Query
    created: bool


def submit(
    *,
    membership: Membership,
    dataset: Dataset,
    raw_plan: object,
    idempotency_key: str,
    allocation_id: UUID | None = None,
) -> Submission:
    """Accept the question and reserve its cost everywhere it counts, once per idempotency key.

    `allocation_id` says which of several allocations to charge. Raises InvalidKey,
    IdempotencyConflict, InvalidPlan, QueryLimitExceeded, AllocationNeeded, ChooseAllocation and
    NotAdmitted (NotOpen, and the ledger's InsufficientBudget, BudgetFrozen, BudgetClosed,
    BudgetsMoved); after a refusal nothing has changed but its count.
    """
    check_key(idempotency_key)
    body_hash = hash_of(dataset, raw_plan, allocation_id)
    earlier = find_by_key(membership, idempotency_key)
    if earlier is None:
        try:
            return _accept_as_it_is_now(
                membership, dataset, raw_plan, idempotency_key, body_hash, allocation_id
            )
        except REFUSED as refusal:
            note_refusal(membership, dataset, refusal)
            raise
        except IntegrityError:
            # The same request arrived twice at once and the other one was first.
            earlier = find_by_key(membership, idempotency_key)
            if earlier is None:
                raise
    if earlier.body_hash != body_hash:
        raise IdempotencyConflict
    return Submission(earlier, created=False)


def note_refusal(membership: Membership, dataset: Dataset, refusal: Exception) -> None:
    """Count what was refused, here and in the metrics."""
    if isinstance(refusal, NotAdmitted):
        count_budget_refusal()
    count_refusal(membership=membership, dataset=dataset, refusal=refusal)


def check_key(idempotency_key: str) -> None:
    """Raises InvalidKey."""
    if not _KEY.fullmatch(idempotency_key):
        raise InvalidKey


def _accept_as_it_is_now(*asked: Any) -> Submission:
    """Begin again when the dataset came to share another budget in the very moment."""
    for _again in range(_TRIES - 1):
        try:
            return _accept(*asked)
        except BudgetsMoved:
            continue
    return _accept(*asked)


@transaction.atomic
def _accept(
    membership: Membership,
    dataset: Dataset,
    raw_plan: object,
    key: str,
    body_hash: str,
    allocation_id: UUID | None,
) -> Submission:
    version = current_version(dataset)
    blueprint = blueprint_for(dataset, version, raw_plan)
    query = asked(membership, dataset, version, blueprint, key=key, body_hash=body_hash)
    lines = lines_of(blueprint, dataset=dataset, user=membership.user, allocation_id=allocation_id)
    write_down(query, lines)
    return Submission(query, created=True)


def asked(
    membership: Membership,
    dataset: Dataset,
    version: DatasetVersion,
    blueprint: Blueprint,
    *,
    key: str,
    body_hash: str,
) -> Query:
    """The question as a row that is not stored yet.

    Raises NotOpen, QueryLimitExceeded and OutsidePolicy.
    """
    refuse_unless_open(dataset)
    if blueprint.cost_nano > dataset.per_query_limit_nano:
        raise QueryLimitExceeded(
            requested_nano=blueprint.cost_nano,
            limit_nano=dataset.per_query_limit_nano,
            currency=dataset.budget.currency,
        )
    refused = outside_policy(blueprint, terms_for(dataset, membership.user))
    if refused is not None:
        raise OutsidePolicy(refused, requested_nano=blueprint.cost_nano)
    plan = blueprint.plan.as_json()
    return Query(
        tenant_id=dataset.tenant_id,
        dataset=dataset,
        version=version,
        analyst=membership.user,
        plan=plan,
        kind=kind_of(plan),
        cost_nano=blueprint.cost_nano,
        canonical_sha256=canonical_sha256(blueprint.plan, blueprint.schema),
        idempotency_key=key,
        body_hash=body_hash,
        heavy=is_heavy(blueprint),
        request_id=request_ids.current() or "",
        submitted_at=database_now(),
        class_ms=class_ms_of(blueprint),
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
            "lines": [line.as_json(currency) for line in lines],
        },
    )


def hash_of(dataset: Dataset, body: object, allocation_id: UUID | None) -> str:
    """What tells one request from another under the same key."""
    said = [str(dataset.pk), body, *([str(allocation_id)] if allocation_id else [])]
    text = json.dumps(said, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()
