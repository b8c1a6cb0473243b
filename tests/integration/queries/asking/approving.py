"""Approvals of one question: a policy that needs them, requests and answers, through services."""

from typing import Any
from uuid import uuid4

from dpgov.approvals.services import approve
from dpgov.datasets.models import Dataset, DatasetVersion, Policy
from dpgov.datasets.rules import Rules
from dpgov.datasets.selectors import current_version
from dpgov.datasets.services import change_policy, decide_as_agreed, request_decision
from dpgov.datasets.services.held.deciding import RELEASE_HELD_DATASET
from dpgov.datasets.services.held.looks import let_begin, pause
from dpgov.datasets.services.holding import hold
from dpgov.privacy.accounting.decimals import NANO
from dpgov.queries.asking.submit import submit_approved
from dpgov.queries.models import BudgetRequest, Query
from dpgov.queries.workbench.approvals import approve_question, ask_for_approval
from dpgov.tenants.models import Membership, Role
from dpgov.tenants.selectors import actor_of
from dpgov.tenants.services import change_role
from tests.cast import join

PLAN: dict[str, Any] = {"statistics": [{"statistic": "count"}], "epsilon": 1}


def needs_approval(dataset: Dataset, above_nano: int = NANO // 2, **rules: Any) -> None:
    """From now on a question above this needs an owner."""
    most = min(dataset.per_query_limit_nano, dataset.budget.limit_nano)
    wanted = Rules(most, approval_above_nano=above_nano, **rules)
    change_policy(dataset=dataset, rules=wanted, user=dataset.owner)


def requested(asker: Membership, dataset: Dataset, plan: object = PLAN) -> BudgetRequest:
    """Asked for, and not answered."""
    return ask_for_approval(
        membership=asker, dataset=dataset, raw_plan=plan, purpose="the spring study"
    )


def wanted_approval(asker: Membership, dataset: Dataset) -> BudgetRequest:
    """The same of a dataset that has no policy any more."""
    needs_approval(dataset, 0)
    sent = requested(asker, dataset, PLAN | {"group_by": [{"column": "sex"}]})
    Policy.objects.filter(dataset=dataset).delete()
    return sent


def approved(
    asker: Membership, owner: Membership, dataset: Dataset, plan: object = PLAN
) -> BudgetRequest:
    """The same, approved by an owner."""
    sent = requested(asker, dataset, plan)
    return approve_question(membership=owner, request_id=sent.pk, answer="for the study")


def ask(
    asker: Membership,
    approval: BudgetRequest,
    plan: object = PLAN,
    *,
    key: str = "",
    of: Dataset | None = None,
) -> Query:
    """Ask it once under the approval."""
    return submit_approved(
        membership=asker,
        dataset=of or approval.dataset,
        approval_id=approval.pk,
        raw_plan=plan,
        idempotency_key=key or str(uuid4()),
    ).query


def new_version(dataset: Dataset, owner: Membership) -> None:
    """Newer data of the same table."""
    first = DatasetVersion.objects.get(dataset=dataset)
    newer = DatasetVersion(tenant=dataset.tenant, dataset=dataset, number=2, file_seal="newer")
    newer.added_by_id = first.added_by_id
    newer.save()


def moved_away_and_back(dataset: Dataset, owner: Membership) -> None:
    """The analyst is somebody else for a moment."""
    admin = join(dataset.tenant, Role.ADMIN, "ada")
    who = Membership.objects.get(tenant=dataset.tenant, user__email__startswith="anna")
    for role in (Role.ADMIN, Role.ANALYST):
        change_role(membership=who, role=role, actor=actor_of(admin.user))


def held_for_a_while(dataset: Dataset, owner: Membership) -> None:
    """Paused by an officer, and opened again by two persons."""
    officer = join(owner.tenant, Role.OFFICER, "oda")
    pause(version=current_version(dataset), membership=officer, reason="whose rows are these?")
    release = request_decision(
        membership=owner, dataset=dataset, kind=RELEASE_HELD_DATASET, reason="other people's"
    )
    approve(request_id=release.pk, decider=officer, reason="yes", carry_out=decide_as_agreed)


def waited_for_a_look(dataset: Dataset, owner: Membership) -> None:
    """Held as new data is, until an officer let it begin."""
    officer = join(owner.tenant, Role.OFFICER, "oda")
    hold(dataset, Dataset.HeldReason.NEW_DATA)
    let_begin(version=current_version(dataset), membership=officer, reason="fine")
