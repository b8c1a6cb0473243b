"""Taking part and leaving. An owner requests it with a dataset, an officer of theirs approves it.

With the approval this party's own question is there and holds what it costs, in one transaction of
its own tenant: every limit, policy and rate binds as for an owner's own question; allocations are
for analysts, and bind none. So nothing is left that could fail to fit when all open together. What
could overspend: a place without a hold, or a hold without a place, by a crash between the two; they
are one transaction.
"""

from uuid import UUID, uuid4

from django.db import transaction

from dpgov.approvals.kinds import Effect
from dpgov.approvals.models import ChangeRequest
from dpgov.approvals.services import approved, request_change
from dpgov.budgets.charging import Parts, lines_of_query
from dpgov.budgets.words import noted
from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import present
from dpgov.joint import crossing
from dpgov.joint.errors import (
    JointRefusal,
    NoPlace,
    NotTakingPart,
    TakesPart,
)
from dpgov.joint.installed import JOIN_JOINT
from dpgov.joint.models import JointQuestion, Party
from dpgov.joint.services.prepared import Proposal, asked_of, refuse_outside_policy
from dpgov.joint.services.proposing import look_at
from dpgov.operation import request_ids
from dpgov.operation.clock import database_now
from dpgov.privacy.plan.plan import InvalidPlan
from dpgov.queries.answering import ending
from dpgov.queries.answering.moments import class_ms_of
from dpgov.queries.asking.gate import NoSuchDataset, refuse_unless_open_to
from dpgov.queries.asking.submit import write_down
from dpgov.queries.kinds import kind_of
from dpgov.queries.models import Query
from dpgov.tenants import codes
from dpgov.tenants.models import Membership, User


@transaction.atomic
def request_to_join(
    *,
    membership: Membership,
    dataset: Dataset,
    reason: str,
    code: str = "",
    question: JointQuestion | None = None,
) -> ChangeRequest:
    """Ask for this dataset to take part: in one's own proposal, or in that of a code.

    Raises what `look_at` raises, NotTakingPart, DeclaredOtherwise, BadProposal, InvalidPlan,
    PolicyRefuses, and what `approvals.services.request_change` raises.
    """
    if question is not None and question.tenant_id == membership.tenant_id:
        _refuse_second_place(question, membership)
        proposal = Proposal.of(question)
        identity, title, code_hash = question.pk, question.title, ""
    else:
        offer = look_at(membership=membership, code=code)
        proposal = Proposal.of(offer)
        identity, title, code_hash = offer.id, offer.title, codes.hash_of(code) or ""
    _, joint = asked_of(dataset, proposal)
    refuse_outside_policy(joint, dataset, membership.user)
    return request_change(
        membership=membership,
        kind=JOIN_JOINT,
        subject=f"joint:{identity}",
        dataset=dataset.slug,
        payload={
            "question": str(identity),
            "title": title,
            "code_hash": code_hash,
            "dataset": str(dataset.pk),
            "name": dataset.name,
            "plan": proposal.plan,
            "declared": proposal.declared,
            "parties": proposal.parties,
            "colluders": proposal.colluders,
            "cost_nano": joint.blueprint.cost_nano,
        },
        reason=reason,
    )


def _refuse_second_place(question: JointQuestion, membership: Membership) -> None:
    """Before two persons decide about what could only lapse."""
    if Party.objects.filter(question=question, tenant=membership.tenant_id).exists():
        raise TakesPart
    if question.expires_at <= database_now():
        raise NotTakingPart


def join_as_agreed(request: ChangeRequest) -> Effect:
    """JOIN_JOINT: hold what it costs and take a place.

    Raises Stale, PolicyRefuses, SharesBudget, NotOpen, and the ledger's refusals.
    """
    payload = approved(request, JOIN_JOINT)
    dataset = _dataset(request.tenant_id, UUID(payload["dataset"]))
    query = _held(request, dataset, payload)
    place = crossing.join(
        question_id=UUID(payload["question"]),
        code_hash=payload["code_hash"],
        party_id=uuid4(),
        query_id=query.pk,
        tenant_id=request.tenant_id,
    )
    if place is None:
        raise NoPlace
    return Effect(
        {
            "joint": payload["question"],
            "name": payload["title"],
            "query": str(query.pk),
            **noted(query.cost_nano, dataset.budget.currency),
        }
    )


def _dataset(tenant_id: UUID, dataset_id: UUID) -> Dataset:
    rows = Dataset.objects.filter(present(), tenant=tenant_id).select_related("budget", "policy")
    found = rows.filter(pk=dataset_id).first()
    if found is None:
        raise NoPlace
    return found


def _held(request: ChangeRequest, dataset: Dataset, payload: dict[str, object]) -> Query:
    """This party's question as a row with its hold, which no worker of questions takes."""
    user: User = request.requested_by
    try:
        refuse_unless_open_to(dataset, user)
        version, joint = asked_of(dataset, _proposal(payload))
    except (JointRefusal, InvalidPlan, NoSuchDataset) as changed:
        raise NoPlace from changed
    refuse_outside_policy(joint, dataset, user)
    plan = joint.blueprint.plan.as_json()
    query = Query(
        tenant_id=dataset.tenant_id,
        dataset=dataset,
        version=version,
        analyst=user,
        by_owner=True,
        plan=plan,
        kind=kind_of(plan),
        cost_nano=joint.blueprint.cost_nano,
        # Its answer is of other people, too: never taken for one about this dataset.
        canonical_sha256="",
        idempotency_key=f"{Query.JOINT_KEY}{payload['question']}",
        body_hash="",
        request_id=request_ids.current() or "",
        submitted_at=database_now(),
        class_ms=class_ms_of(joint.blueprint),
        state=Query.State.RUNNING,
        lease_until=None,
    )
    write_down(
        query,
        lines_of_query(
            dataset_budget_id=dataset.budget_id,
            cost_nano=query.cost_nano,
            parts=Parts(),
            allocation=None,
        ),
    )
    return query


def _proposal(payload: dict[str, object]) -> Proposal:
    return Proposal(
        payload["plan"],  # type: ignore[arg-type]
        payload["declared"],  # type: ignore[arg-type]
        payload["parties"],  # type: ignore[arg-type]
        payload["colluders"],  # type: ignore[arg-type]
    )


@transaction.atomic
def leave(*, membership: Membership, party: Party) -> None:
    """Take part no more, before it is opened: the hold comes back, and all others get theirs.

    Raises NotTakingPart, and BudgetFrozen after a restore. Under the lock of the question's row,
    which opening takes too.
    """
    current = Query.objects.select_for_update(of=("self",)).select_related("dataset__budget")
    query = current.filter(pk=party.query_id, tenant_id=membership.tenant_id).first()
    if query is None or query.state != Query.State.RUNNING or query.opened_at is not None:
        raise NotTakingPart
    ending.withdraw(query, user=membership.user)
