"""What the parties of a joint question are told of each other, and the one step they take together.

The same questions through the wall on PostgreSQL and to the models on SQLite, always for the tenant
that is acting. Never a row, a person, a dataset or a budget of another party; shares only when all
of them are there.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Exists, QuerySet

from dpgov.audit.actions import Action
from dpgov.audit.selectors import EntryFilter, entries_of
from dpgov.budgets.together import share_a_budget
from dpgov.datasets.models import DerivedFrom
from dpgov.joint.errors import SharesBudget
from dpgov.joint.installed import SAME_PEOPLE
from dpgov.joint.models import JointQuestion, Party, Share
from dpgov.operation.clock import database_now
from dpgov.queries.answering.lease import FROZEN, STOPPED
from dpgov.queries.models import Query
from dpgov.tenants.crossing import through_gate
from dpgov.tenants.models import Tenant


@dataclass(frozen=True, slots=True)
class ProposalByCode:
    """What whoever holds the code may know before they take part."""

    id: UUID
    title: str
    plan: dict[str, Any]
    declared: dict[str, str]
    parties: int
    colluders: int
    expires_at: datetime
    proposer: str


@dataclass(frozen=True, slots=True)
class PartyStanding:
    """One party, as the others see it. `holds`: it takes part, and nothing is opened yet.

    `sent` is for the step that waits for all, and for nobody's eyes before that is over: when a
    worker was done depends on its rows.
    """

    place: int
    name: str
    public_key: str
    holds: bool
    sent: bool


def offer_of(code_hash: str, tenant_id: UUID) -> ProposalByCode | None:
    """What the code offers, expired or not; None where it is wrong or one's own, where no place is
    left, where somebody has left, and after the opening.
    """
    if connection.vendor == "postgresql":
        rows = through_gate("SELECT * FROM joint_offer(%s)", code_hash)
        if not rows:
            return None
        identity, title, plan, declared, *more = rows[0]
        return ProposalByCode(identity, title, json.loads(plan), json.loads(declared), *more)
    unopened = JointQuestion.objects.filter(code_hash=code_hash, opened_at__isnull=True)
    one = unopened.exclude(tenant=tenant_id).select_related("tenant").first()
    if one is None or not _has_a_place_for(tenant_id, one):
        return None
    return ProposalByCode(
        one.pk,
        one.title,
        one.plan,
        one.declared,
        one.parties,
        one.colluders,
        one.expires_at,
        one.tenant.name,
    )


def _has_a_place_for(tenant_id: UUID, question: JointQuestion) -> bool:
    there = Party.objects.filter(question=question).select_related("query")
    gone = any(party.query.state != Query.State.RUNNING for party in there)
    mine = any(party.tenant_id == tenant_id for party in there)
    return not (gone or mine) and len(there) < question.parties


def join(
    *, question_id: UUID, code_hash: str, party_id: UUID, query_id: UUID, tenant_id: UUID
) -> int | None:
    """Take the next place with this question of one's own; None where there is none to take.

    Raises SharesBudget where another party's dataset is about the same people.
    """
    if connection.vendor == "postgresql":
        call = "SELECT joint_join(%s, %s, %s, %s)"
        taken: int | None = through_gate(call, question_id, code_hash, party_id, query_id)[0][0]
        if taken == SAME_PEOPLE:
            raise SharesBudget
        return taken
    question = _waiting().filter(pk=question_id).first()
    if question is None or not (question.tenant_id == tenant_id or question.code_hash == code_hash):
        return None
    seated = Party.objects.filter(question=question)
    place = seated.count()
    if place >= question.parties or seated.filter(tenant=tenant_id).exists():
        return None
    if _have_the_same_people(
        Query.objects.filter(pk__in=[query_id, *seated.values_list("query", flat=True)])
    ):
        raise SharesBudget
    name = Tenant.objects.get(pk=tenant_id).name
    Party.objects.create(
        id=party_id,
        tenant_id=tenant_id,
        question=question,
        place=place,
        name=name,
        query_id=query_id,
    )
    return place


def standing(question_id: UUID) -> list[PartyStanding]:
    """Everybody who takes part, in their order; nothing for who does not."""
    if connection.vendor == "postgresql":
        return [
            PartyStanding(*row)
            for row in through_gate("SELECT * FROM joint_standing(%s)", question_id)
        ]
    rows = Party.objects.filter(question=question_id).select_related("query", "share")
    return [
        PartyStanding(
            party.place,
            party.name,
            party.public_key,
            party.query.state == Query.State.RUNNING and party.query.opened_at is None,
            hasattr(party, "share"),
        )
        for party in rows.order_by("place")
    ]


def open_question(question_id: UUID) -> bool:
    """Open it for all parties in one step, if all of them are there and hold what it costs.

    From then on each of them is charged. False, and nothing is changed, as long as one is missing,
    has left, has no worker or has a dataset that is stopped, and while two share a budget.
    """
    if connection.vendor == "postgresql":
        return bool(through_gate("SELECT joint_open(%s)", question_id)[0][0])
    with transaction.atomic():
        question = _waiting().filter(pk=question_id).first()
        if question is None:
            return False
        parties = Party.objects.filter(question=question_id).exclude(public_key="")
        ready = Query.objects.filter(
            ~Exists(STOPPED),
            pk__in=parties.values("query"),
            state=Query.State.RUNNING,
            opened_at__isnull=True,
        )
        if ready.count() != question.parties or _have_the_same_people(ready):
            return False
        now = database_now()
        ready.update(opened_at=now)
        JointQuestion.objects.filter(pk=question_id).update(opened_at=now)
        return True


def shares_of(question_id: UUID) -> Sequence[str]:
    """What all parties sent, in their order; nothing unless every one of them did."""
    if connection.vendor == "postgresql":
        return [row[0] for row in through_gate("SELECT joint_shares(%s)", question_id)]
    question = JointQuestion.objects.filter(pk=question_id, opened_at__isnull=False).first()
    found = Share.objects.filter(party__question=question_id).order_by("party__place")
    shares = list(found.values_list("masked", flat=True))
    return shares if question is not None and len(shares) == question.parties else []


def going_since(question_id: UUID) -> datetime | None:
    """Since when an opened question goes on: its opening, or the last confirmation after a freeze.

    The same moment for all parties; None while one of them waits for its officer.
    """
    if connection.vendor == "postgresql":
        found: datetime | None = through_gate("SELECT joint_going_since(%s)", question_id)[0][0]
        return found
    opened = JointQuestion.objects.get(pk=question_id).opened_at
    theirs = Query.objects.filter(pk__in=Party.objects.filter(question=question_id).values("query"))
    if opened is None or theirs.filter(Exists(FROZEN)).exists():
        return None
    whole = theirs.select_related("dataset")
    return max([opened, *(at for one in whole for at in _confirmed_since(one, opened))])


def _confirmed_since(query: Query, opened: datetime) -> Iterable[datetime]:
    parents = DerivedFrom.objects.filter(dataset=query.dataset_id)
    budgets = [query.dataset.budget_id, *parents.values_list("parent__budget", flat=True)]
    found = entries_of(
        query.tenant_id, EntryFilter(action=Action.BUDGET_CONFIRMED.value, since=opened)
    )
    return found.filter(subject__in=[f"budget:{pk}" for pk in budgets]).values_list("at", flat=True)


def tenants_with_unfinished_parties() -> list[UUID]:
    """Every tenant that takes part in a joint question which has not ended for it."""
    if connection.vendor == "postgresql":
        return [row[0] for row in through_gate("SELECT joint_unfinished()")]
    unfinished = Party.objects.filter(query__state=Query.State.RUNNING).order_by()
    return list(unfinished.values_list("tenant_id", flat=True).distinct())


def _waiting() -> QuerySet[JointQuestion]:
    return JointQuestion.objects.filter(opened_at__isnull=True, expires_at__gt=database_now())


def _have_the_same_people(queries: QuerySet[Query]) -> bool:
    """Whether two of them share a budget now, or hold what they cost on one.

    Whoever is in both moves the total twice, and would lose four times ρ where two are counted.
    """
    return share_a_budget(dict(queries.values_list("pk", "dataset__budget")))
