"""Reads about joint questions, for one's own organisation's people."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Q, QuerySet

from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import datasets_of, open_to_questions
from dpgov.joint.errors import JointRefusal
from dpgov.joint.models import JointQuestion, Party
from dpgov.joint.services.prepared import Proposal, asked_of
from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.plan.plan import InvalidPlan
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership, Tenant


def joint_by_dataset(tenant: Tenant, begin: datetime, end: datetime) -> Counter[str]:
    """How many joint questions each dataset, by its slug, was asked in this time."""
    parts = Party.objects.filter(
        tenant=tenant, query__submitted_at__gte=begin, query__submitted_at__lt=end
    )
    return Counter(parts.values_list("query__dataset__slug", flat=True))


def parties_of(queries: QuerySet[Query]) -> dict[UUID, tuple[int, int]]:
    """How many organisations take part in those of them that are joint, and may collude.

    Never who they are: what is read by everybody who sees a question names no other organisation.
    """
    found = Party.objects.filter(query__in=queries.order_by().values("pk"))
    rows = found.values_list("query", "question__parties", "question__colluders")
    return {query: (parties, colluders) for query, parties, colluders in rows}


def joint_questions_of(membership: Membership) -> QuerySet[JointQuestion]:
    """Those that this person's organisation proposed or takes part in, newest first."""
    return joint_questions_in(membership.tenant_id).order_by("-proposed_at", "id")


def joint_questions_in(tenant_id: UUID) -> QuerySet[JointQuestion]:
    """Those that this organisation proposed or takes part in."""
    mine = Party.objects.filter(tenant=tenant_id).values("question")
    return JointQuestion.objects.filter(Q(tenant=tenant_id) | Q(pk__in=mine))


def get_joint_question(membership: Membership, question_id: UUID) -> JointQuestion:
    """One of them; JointQuestion.DoesNotExist for a foreign and a missing one alike."""
    return joint_questions_of(membership).get(pk=question_id)


def party_of(membership: Membership, question: JointQuestion) -> Party | None:
    """How this organisation takes part in it, if it does."""
    found = Party.objects.filter(tenant=membership.tenant_id, question=question)
    return found.select_related("query__dataset__budget", "query__version", "question").first()


@dataclass(frozen=True, slots=True)
class Candidate:
    """An own dataset, and why it could not take part; "" where it could."""

    dataset: Dataset
    refusal: str

    @property
    def fits(self) -> bool:
        """Whether it could."""
        return not self.refusal


def candidates_of(membership: Membership, proposal: Proposal) -> list[Candidate]:
    """Own datasets that count ρ, as they are declared now, by name."""
    return [Candidate(one, _refusal(one, proposal)) for one in datasets_that_count_rho(membership)]


def datasets_for(membership: Membership, proposal: Proposal) -> list[Dataset]:
    """Those of them that could take part."""
    return [one.dataset for one in candidates_of(membership, proposal) if one.fits]


def datasets_that_count_rho(membership: Membership) -> QuerySet[Dataset]:
    """Own datasets of which a joint question could be proposed."""
    return datasets_of(membership).filter(open_to_questions(), budget__mode=Mode.ZCDP)


def _refusal(dataset: Dataset, proposal: Proposal) -> str:
    try:
        asked_of(dataset, proposal)
    except InvalidPlan as refusal:
        return " ".join(problem.message for problem in refusal.problems)
    except JointRefusal as refusal:
        return str(refusal)
    return ""
