"""The two tenants that every access test is about."""

from typing import Any
from uuid import UUID, uuid4

from django.utils import timezone

from dpgov.approvals.models import ChangeRequest
from dpgov.audit.actor import OPERATOR
from dpgov.audit.checkpoints.signing import make_checkpoint
from dpgov.budgets.models import Allocation
from dpgov.budgets.services import allocate, open_budget
from dpgov.budgets.services.raising import request_raise
from dpgov.datasets.models import Arrival, Dataset, DatasetVersion, Upload
from dpgov.datasets.selectors import current_version
from dpgov.privacy.accounting.decimals import NANO
from dpgov.queries.models import BudgetRequest, Query, SavedQuestion
from dpgov.queries.workbench.budget_requests import ask_for_budget
from dpgov.queries.workbench.saved import save_question
from dpgov.tenants.invitations import invite_as_operator
from dpgov.tenants.models import ApiToken, Membership, Project, ProjectMember, Role, Tenant
from tests.cast import join
from tests.integration.access.notices import notice_of, tell_everybody, webhook_of
from tests.integration.access.shared_budgets import shared_budget_of
from tests.integration.access.world import World
from tests.integration.datasets.derived.family import DERIVATION
from tests.integration.joint.made import bare
from tests.integration.queries.asking.approving import wanted_approval
from tests.integration.queries.ready_made.published import published
from tests.integration.surveys.made import opened
from tests.made_once import made_once
from tests.small_dataset import register_small_dataset


@made_once
def world(
    owner: Membership,
    analyst: Membership,
    officer: Membership,
    admin: Membership,
    stranger: Membership,
    dataset: Dataset,
    foreign_dataset: Dataset,
    ask: Any,
    answer_all: Any,
) -> World:
    foreign_analyst = join(stranger.tenant, Role.ANALYST, "fiona")
    people = {
        "owner": owner,
        "analyst": analyst,
        "officer": officer,
        "admin": admin,
        "stranger": stranger,
    }
    for member in people.values():
        ApiToken.objects.create(user=member.user, membership=member, name="own")
    tell_everybody(people.values())
    own, foreign = ask(analyst), ask(foreign_analyst, of=foreign_dataset)
    answer_all()
    return World(
        people=people,
        own={
            **_things(dataset, own, owner, analyst),
            "reference": ApiToken.objects.get(membership=analyst).reference,
        },
        foreign={
            **_things(foreign_dataset, foreign, stranger, foreign_analyst),
            "reference": ApiToken.objects.get(membership=stranger).reference,
            "sequence": 888_888,
            "size": 888_888,
            "version_number": 888_888,
        },
    )


def _things(
    dataset: Dataset, query: Query, owner: Membership, member: Membership
) -> dict[str, Any]:
    survey = opened(owner)
    return {
        "slug": dataset.slug,
        "survey_id": survey.pk,
        "survey_code": survey.code,
        "joint_id": bare(owner).pk,
        "query_id": query.id,
        "saved_id": _saved(query, member).pk,
        "ready_made_id": published(owner, dataset).pk,
        "approval_id": wanted_approval(member, dataset).pk,
        "request_id": _request(query, member).pk,
        "upload_id": _upload(owner).id,
        "arrival_id": _deriving(owner).pk,
        "dataset_id": _held(owner).id,
        "archived_id": _archived(owner).id,
        "version_id": current_version(dataset).pk,
        "version_number": _followed(dataset),
        "membership_id": member.id,
        "project_id": _project(member).id,
        "change_id": _change(dataset, owner).id,
        "budget_id": dataset.budget_id,
        "shared_budget_id": shared_budget_of(owner),
        "allocation_id": _allocation(dataset, member).pk,
        "sequence": 1,
        "size": _checkpoint(owner),
        "notice_id": notice_of(owner),
        "webhook_id": webhook_of(owner),
        "invitation_id": _invitation(owner.tenant),
    }


def _invitation(tenant: Tenant) -> UUID:
    """Which ends with nobody's role."""
    return invite_as_operator(tenant=tenant, email="i@example.org", role="analyst")[0].pk


def _saved(query: Query, member: Membership) -> SavedQuestion:
    """A question that the analyst keeps."""
    return save_question(membership=member, dataset=query.dataset, name="Kept", plan=query.plan)


def _request(query: Query, member: Membership) -> BudgetRequest:
    """What the analyst asks the owner for."""
    return ask_for_budget(
        membership=member,
        dataset=query.dataset,
        about=BudgetRequest.About.ALLOCATION,
        epsilon_nano=6 * NANO,
        reason="the study grows",
    )


def _change(dataset: Dataset, owner: Membership) -> ChangeRequest:
    """A higher limit, requested by the owner."""
    return request_raise(
        membership=owner, budget=dataset.budget, limit_nano=11 * NANO, reason="the study goes on"
    )


def _allocation(dataset: Dataset, member: Membership) -> Allocation:
    """What the analyst may use of the dataset."""
    return allocate(
        dataset_budget=dataset.budget,
        holder=member.user,
        limit_nano=5 * NANO,
        actor=OPERATOR,
        reason="the study",
    )


def _project(member: Membership) -> Project:
    """A project that this person works on."""
    project = Project.objects.create(tenant=member.tenant, name=f"Study {member.tenant.slug}")
    ProjectMember.objects.create(tenant=member.tenant, project=project, user=member.user)
    return project


def _checkpoint(owner: Membership) -> int:
    """The log as it is now, signed."""
    made = make_checkpoint(tenant_id=owner.tenant_id)
    assert made
    return made.size


def _held(owner: Membership) -> Dataset:
    """A dataset that waits for a compliance check."""
    held = register_small_dataset(owner, name=f"Held at {owner.tenant.slug}")
    reason = Dataset.HeldReason.LIKE_EARLIER_DATA
    Dataset.objects.filter(pk=held.pk).update(held_at=timezone.now(), held_reason=reason)
    return held


def _archived(owner: Membership) -> Dataset:
    """A dataset that is out of use, whose data was not deleted yet."""
    budget = open_budget(tenant=owner.tenant, label="Old", limit_nano=NANO)
    return Dataset.objects.create(
        tenant=owner.tenant,
        slug="old",
        name="Old",
        owner=owner.user,
        max_rows=10,
        budget=budget,
        per_query_limit_nano=NANO,
        archived_at=timezone.now(),
    )


def _followed(dataset: Dataset) -> int:
    """A version before the one that is asked."""
    asked = current_version(dataset)
    DatasetVersion.objects.filter(pk=asked.pk).update(number=2)
    earlier = DatasetVersion(tenant=dataset.tenant, dataset=dataset, number=1, file_seal="older")
    earlier.added_by_id = asked.added_by_id
    earlier.save()
    return earlier.number


def _deriving(owner: Membership) -> Arrival:
    """Two datasets that this owner wants put together, on a machine that has neither."""
    wanted = DERIVATION.as_json()
    for side in ("first", "second"):
        wanted[side]["version"] = str(uuid4())
    return Arrival.objects.create(tenant=owner.tenant, asked_by=owner.user, declared=wanted)


def _upload(owner: Membership) -> Upload:
    return Upload.objects.create(
        tenant=owner.tenant,
        uploader=owner.user,
        original_name="visits.csv",
        format="csv",
        byte_size=10,
        headers=["age", "sex"],
    )
