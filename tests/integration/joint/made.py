"""Three organisations with a dataset each, and joint questions made by the services of pages."""

from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.utils import timezone

from dpgov.approvals.models import ChangeRequest
from dpgov.approvals.services import approve
from dpgov.datasets.models import Dataset
from dpgov.joint.models import JointQuestion, Party
from dpgov.joint.services import (
    answer_for,
    join_as_agreed,
    joint_round,
    propose,
    request_to_join,
)
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.accounting.loss import Currency, Mode
from dpgov.queries.models import Query
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.models import Membership, Role, Tenant
from tests.cast import join, publish_now
from tests.small_dataset import register_small_dataset, rows_of

RHO = Currency(Mode.ZCDP, Decimal("1e-6"))
COUNT_BY_SEX = {
    "statistics": [{"statistic": "count"}],
    "group_by": [{"column": "sex"}],
    "rho": 0.05,
}
PRICE = NANO // 20
SLUGS = ("alpha", "beta", "gamma")


@dataclass(frozen=True)
class Side:
    """One organisation: who asks, who approves, and its dataset."""

    owner: Membership
    officer: Membership
    dataset: Dataset

    @property
    def tenant(self) -> Tenant:
        return self.owner.tenant

    @property
    def spent(self) -> tuple[int, int]:
        """What its dataset's budget has spent and reserved."""
        self.dataset.budget.refresh_from_db()
        return self.dataset.budget.spent_nano, self.dataset.budget.reserved_nano


def side(slug: str, limit_nano: int = 5 * NANO, **more: Any) -> Side:
    """A new organisation with a small dataset that counts ρ."""
    tenant = Tenant.objects.create(slug=slug, name=f"{slug.title()} Institute")
    owner = join(tenant, Role.OWNER, "olga")
    dataset = register_small_dataset(
        owner, name="Visits", limit_nano=limit_nano, currency=RHO, **more
    )
    return Side(owner, join(tenant, Role.OFFICER, "oscar"), dataset)


def three(**more: Any) -> list[Side]:
    """Three of them."""
    return [side(slug, **more) for slug in SLUGS]


def proposed(by: Side, plan: dict[str, Any] | None = None) -> tuple[JointQuestion, str]:
    """A joint question of three, of whom one may collude, and its code."""
    with acting_for(by.tenant.pk):
        made = propose(
            membership=by.owner,
            dataset=by.dataset,
            title="Visits in our region",
            raw_plan=plan or COUNT_BY_SEX,
            parties=3,
            colluders=1,
        )
    return made.question, made.code


def asked(by: Side, question: JointQuestion, code: str) -> ChangeRequest:
    """The request of one organisation to take part."""
    with acting_for(by.tenant.pk):
        return request_to_join(
            membership=by.owner,
            dataset=by.dataset,
            reason="for the yearly report",
            code=code,
            question=question,
        )


def approved(by: Side, request: ChangeRequest) -> ChangeRequest:
    """The request as the organisation's officer decided it."""
    with acting_for(by.tenant.pk):
        return approve(
            request_id=request.pk, decider=by.officer, reason="fits", carry_out=join_as_agreed
        ).request


def joined(by: Side, question: JointQuestion, code: str) -> Party:
    """It takes part."""
    approved(by, asked(by, question, code))
    return Party.objects.get(tenant=by.tenant, question=question)


def all_joined(sides: list[Side], plan: dict[str, Any] | None = None) -> JointQuestion:
    """A joint question that every organisation takes part in; nobody's worker has looked yet."""
    question, code = proposed(sides[0], plan)
    for one in sides:
        joined(one, question, code)
    return question


def look(sides: list[Side]) -> int:
    """One look of each organisation's worker."""
    return sum(answer_for(one.tenant.pk) for one in sides)


def finished(sides: list[Side]) -> None:
    """Everything that is left: keys, opening, shares, adding up, publication."""
    look(sides)
    joint_round()
    look(sides)
    joint_round()
    publish_now()


def query_of(one: Side, question: JointQuestion) -> Query:
    """The organisation's own question, as it is now."""
    return Party.objects.select_related("query").get(tenant=one.tenant, question=question).query


def true_counts() -> list[int]:
    """Rows of all organisations by sex, in the order of the categories; others, none."""
    everybody = [row for slug in SLUGS for row in rows_of(slug)]
    counts = [sum(row[2] == sex for row in everybody) for sex in ("Female", "Male")]
    return [*counts, 0]


def bare(owner: Membership) -> JointQuestion:
    """A proposal that nobody takes part in, with nothing around it."""
    made: JointQuestion = JointQuestion.objects.create(
        tenant=owner.tenant,
        title="Visits in our region",
        plan=COUNT_BY_SEX,
        declared={"": "other"},
        parties=3,
        colluders=1,
        code_hash=str(owner.pk),
        proposed_by=owner.user,
        expires_at=timezone.now() + timedelta(days=7),
    )
    return made
