"""Taking a free answer: a question of the person's own, answered at once out of stored answers.

Spends, reserves and charges nothing, and never touches data.
"""

import hashlib
import json
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from dpgov.audit.actions import Action
from dpgov.audit.entry import canonical_json
from dpgov.audit.services import append
from dpgov.budgets.words import noted
from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import current_version
from dpgov.operation.clock import database_now
from dpgov.privacy.answer.blueprint import Blueprint
from dpgov.privacy.plan.canonical import canonical_sha256
from dpgov.privacy.reuse.derived import PlanReuse, check_unchanged
from dpgov.privacy.reuse.estimates import question_of
from dpgov.queries.asking.asked import by_owner, read_wanted
from dpgov.queries.asking.gate import refuse_unless_open_to
from dpgov.queries.asking.once import Submission, check_key, once
from dpgov.queries.asking.policy import OnlyReadyMade, policy_for
from dpgov.queries.free.finding import FreeAnswer, reusable_for
from dpgov.queries.kinds import kind_of
from dpgov.queries.models import Query, Release
from dpgov.tenants.models import Membership, Role
from dpgov.tenants.selectors import actor_of


class NothingFree(Exception):
    """There is no such free answer, or not any more."""

    def __init__(self) -> None:
        super().__init__(
            _(
                "Stored answers do not answer this question, or not in this way any more. Look at "
                "its price again."
            )
        )


def take(
    *,
    membership: Membership,
    dataset: Dataset,
    raw_plan: object,
    idempotency_key: str,
    choice: str = "",
) -> Submission:
    """Answer the plan out of stored answers, once per idempotency key.

    `choice` names one of the free answers of its quote; left out, the first. Raises InvalidKey,
    IdempotencyConflict, InvalidPlan, NotOpen, TermsNotAccepted, OnlyReadyMade, NothingFree and
    SourceChanged; after a refusal nothing has changed.
    """
    check_key(idempotency_key)
    body_hash = _hash(dataset, raw_plan, choice)
    return once(
        membership,
        [idempotency_key],
        body_hash,
        lambda: [_take(membership, dataset, raw_plan, idempotency_key, body_hash, choice)],
    )


@transaction.atomic
def _take(
    membership: Membership,
    dataset: Dataset,
    raw_plan: object,
    key: str,
    body_hash: str,
    choice: str,
) -> Query:
    refuse_unless_open_to(dataset, membership.user)
    version = current_version(dataset)
    blueprint = read_wanted(version, raw_plan, None).blueprints[0]
    if policy_for(dataset, membership.user).only_approved:
        raise OnlyReadyMade
    chosen = _chosen(reusable_for(version, blueprint).free, choice)
    text = canonical_json(_body(chosen.derivation, blueprint))
    now = database_now()
    query = Query(
        tenant_id=dataset.tenant_id,
        dataset=dataset,
        version=version,
        analyst=membership.user,
        by_owner=membership.has(Role.OWNER),
        plan=blueprint.plan.as_json(),
        kind=kind_of(blueprint.plan.as_json()),
        cost_nano=0,
        canonical_sha256=canonical_sha256(blueprint.plan, blueprint.schema),
        reuse=True,
        sources=list(chosen.sources),
        idempotency_key=key,
        body_hash=body_hash,
        state=Query.State.RELEASED,
        submitted_at=now,
        ended_at=now,
        visible_at=now,
    )
    query.save(force_insert=True)
    digest = hashlib.sha256(text.encode()).hexdigest()
    Release.objects.create(query=query, tenant_id=query.tenant_id, body=text, sha256=digest)
    _record(query, chosen, digest)
    return query


def _chosen(free: Sequence[FreeAnswer], choice: str) -> FreeAnswer:
    found = next((one for one in free if not choice or one.choice == choice), None)
    if found is None:
        raise NothingFree
    return found


def _body(derivation: PlanReuse, blueprint: Blueprint) -> dict[str, Any]:
    """Out of the stored bodies, each held against what its plan would be drawn like today."""
    stored = Release.objects.filter(query__in=map(UUID, derivation.questions))
    whole = {str(release.query_id): json.loads(release.body) for release in stored}
    bodies = {key: _of_key(key, whole) for key in derivation.keys}
    for source in derivation.sources:
        check_unchanged(source.blueprint, bodies[source.key])
    return derivation.body(bodies, blueprint.groups())


def _of_key(key: str, whole: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The body of a stored answer, or of one of its rounds."""
    question, number = question_of(key)
    body = whole[question]
    return body if number is None else body["rounds"][number]


def _record(query: Query, chosen: FreeAnswer, digest: str) -> None:
    append(
        tenant_id=query.tenant_id,
        actor=actor_of(query.analyst),
        action=Action.QUERY_REUSED,
        subject=f"query:{query.pk}",
        dataset=query.dataset.slug,
        detail={
            **noted(0, query.dataset.budget.currency),
            "plan": query.plan,
            "version": query.version.number,
            "lines": [],
            **by_owner(query),
            "way": chosen.origin.value,
            "sources": list(chosen.sources),
            "release_sha256": digest,
        },
        at=query.visible_at,
    )


def _hash(dataset: Dataset, raw_plan: object, choice: str) -> str:
    text = json.dumps(["reuse", str(dataset.pk), raw_plan, choice], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()
