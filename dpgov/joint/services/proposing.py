"""A new joint question, and the code by which others come to see it. Nothing is charged yet.

Whoever proposes takes part like everybody else: by a request that an officer approves
(`parties`). What could leak: that an organisation is here at all, to whoever tries codes; they are
made by chance and counted, and what does not come from a right code is refused in one wording.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import transaction

from dpgov.audit.actions import Action
from dpgov.audit.services import append
from dpgov.datasets.models import Dataset
from dpgov.joint import crossing
from dpgov.joint.errors import (
    BadProposal,
    CodeExpired,
    CodeRefused,
    InPractice,
    OwnCode,
    TakesPart,
    TooManyCodesTried,
)
from dpgov.joint.models import JointQuestion, Party
from dpgov.joint.services.prepared import proposal_of, refuse_outside_policy
from dpgov.language.said import said
from dpgov.operation import clock
from dpgov.operation.clock import database_now
from dpgov.privacy.plan.plan import InvalidPlan
from dpgov.queries.asking.once import IdempotencyConflict, check_key
from dpgov.tenants import codes
from dpgov.tenants.models import Membership
from dpgov.tenants.selectors import actor_of

LIFETIME = timedelta(days=7)
LONGEST_TITLE = 120


@dataclass(frozen=True, slots=True)
class Proposed:
    """The question, and its code in clear this once; "" where it was proposed before."""

    question: JointQuestion
    code: str


@transaction.atomic
def propose(
    *,
    membership: Membership,
    dataset: Dataset,
    title: str,
    raw_plan: dict[str, Any],
    parties: int,
    colluders: int,
    key: str | None = None,
) -> Proposed:
    """Offer a joint question, as it is asked of this dataset; the dataset does not take part yet.

    Once for each idempotency `key` of a person, where there is one: the same again is the question
    that it was, whose code nobody can show any more. Raises InPractice, BadProposal, InvalidPlan,
    PolicyRefuses, what `check_key` raises, and IdempotencyConflict for another proposal under the
    same key.
    """
    name = title.strip()
    if membership.tenant.is_practice:
        raise InPractice
    if not name or len(name) > LONGEST_TITLE:
        sentence = said("Give it a title of at most {most} characters.", most=LONGEST_TITLE)
        raise BadProposal(sentence, "title")
    # Before anything that may have changed since: a key that was used leads to its question.
    if earlier := _earlier(membership, key):
        if (earlier.title, earlier.parties, earlier.colluders) != (name, parties, colluders):
            raise IdempotencyConflict
        if not _asks_the_same(earlier, dataset, raw_plan):
            raise IdempotencyConflict
        return Proposed(earlier, "")
    joint, proposal = proposal_of(dataset, raw_plan, parties, colluders)
    # What one's own dataset would never answer is said before others are asked to join in it.
    refuse_outside_policy(joint, dataset, membership.user)
    code, code_hash = codes.new_code()
    question = JointQuestion.objects.create(
        tenant=membership.tenant,
        title=name,
        plan=proposal.plan,
        declared=proposal.declared,
        parties=parties,
        colluders=colluders,
        code_hash=code_hash,
        proposed_by=membership.user,
        expires_at=clock.now() + LIFETIME,
        idempotency_key=key,
    )
    append(
        tenant_id=membership.tenant_id,
        actor=actor_of(membership.user),
        action=Action.JOINT_PROPOSED,
        subject=f"joint:{question.pk}",
        dataset=dataset.slug,
        detail={
            "name": name,
            "plan": joint.blueprint.plan.as_json(),
            "parties": parties,
            "colluders": colluders,
        },
    )
    return Proposed(question, code)


def _earlier(membership: Membership, key: str | None) -> JointQuestion | None:
    """What this person proposed under this key before; two at once wait for one another."""
    if key is None:
        return None
    check_key(key)
    Membership.objects.select_for_update(of=("self",)).get(pk=membership.pk)
    return proposed_before(membership, key)


def proposed_before(membership: Membership, key: str) -> JointQuestion | None:
    """What this person proposed under this key, if anything."""
    mine = JointQuestion.objects.filter(tenant=membership.tenant, proposed_by=membership.user)
    return mine.filter(idempotency_key=key).first()


def _asks_the_same(question: JointQuestion, dataset: Dataset, raw_plan: dict[str, Any]) -> bool:
    """Read as it was read then: what is declared now may not know the plan any more."""
    before = dataset.versions.filter(created_at__lte=question.proposed_at)
    then = before.order_by("-number").first()
    try:
        _, proposal = proposal_of(dataset, raw_plan, question.parties, question.colluders, then)
    except (InvalidPlan, BadProposal):
        return False
    same: bool = (proposal.plan, proposal.declared) == (question.plan, question.declared)
    return same


def look_at(*, membership: Membership, code: str) -> crossing.ProposalByCode:
    """What a code offers; uses one of the tries.

    Raises TooManyCodesTried, InPractice, OwnCode, TakesPart, CodeExpired and CodeRefused.
    """
    if not codes.may_try("joint", membership.tenant_id):
        raise TooManyCodesTried
    if membership.tenant.is_practice:
        raise InPractice
    code_hash = codes.hash_of(code)
    if code_hash is None:
        raise CodeRefused
    _refuse_known(membership, code_hash)
    offer = crossing.offer_of(code_hash, membership.tenant_id)
    if offer is None:
        raise CodeRefused
    if offer.expires_at <= database_now():
        raise CodeExpired(LIFETIME.days)
    return offer


def _refuse_known(membership: Membership, code_hash: str) -> None:
    """What one's own rows say of a code: it is one's own, or has been used here."""
    mine = Party.objects.filter(tenant=membership.tenant_id).values("question")
    known = JointQuestion.objects.filter(code_hash=code_hash)
    if known.filter(tenant=membership.tenant_id).exists():
        raise OwnCode
    if known.filter(pk__in=mine).exists():
        raise TakesPart
