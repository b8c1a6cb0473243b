"""Owners publish ready-made questions of a dataset, and withdraw them. Each step is one entry.

Publishing spends nothing and promises no budget: when it is asked, a ready-made question is
admitted like every other. What was published is never changed, so that everybody knows what was
approved; another question is another one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from dpgov.audit.actions import Action
from dpgov.audit.services import append
from dpgov.budgets.words import noted
from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import current_version, schema_of
from dpgov.operation import clock
from dpgov.privacy.answer.blueprint import Blueprint
from dpgov.privacy.plan.blanks import blanks_of
from dpgov.privacy.plan.parameters import filled, read_parameters, sample
from dpgov.queries.asking.asked import read_plan
from dpgov.queries.asking.policy import policy_for, refuse_outside
from dpgov.queries.models import ReadyMade
from dpgov.tenants.models import Membership
from dpgov.tenants.permissions import Permission, may
from dpgov.tenants.selectors import actor_of

MOST_PUBLISHED = 100


class ReadyMadeNameTaken(ValueError):
    """One name stands for one ready-made question of a dataset."""

    def __init__(self, name: str) -> None:
        refusal = _("There is a ready-made question called “{name}”. Choose another name.")
        super().__init__(refusal.format(name=name))


class TooManyPublished(ValueError):
    """A list that nobody reads to its end helps nobody."""

    def __init__(self) -> None:
        refusal = _("There are {number} ready-made questions. Withdraw one first.")
        super().__init__(refusal.format(number=MOST_PUBLISHED))


class NotAnOwner(ValueError):
    """Data owners publish and withdraw."""

    def __init__(self) -> None:
        super().__init__(_("Data owners publish ready-made questions."))


@dataclass(frozen=True, slots=True)
class ReadyMadeDraft:
    """What is to be published: a plan with blanks, their parameters, and how often each asks it."""

    name: str
    purpose: str
    plan: Mapping[str, Any]
    parameters: object
    per_analyst: int | None = None
    altogether: int | None = None


@transaction.atomic
def publish(*, membership: Membership, dataset: Dataset, draft: ReadyMadeDraft) -> ReadyMade:
    """Let every analyst ask it from now on.

    Raises NotAnOwner, InvalidPlan, QueryLimitExceeded and OutsidePolicy where the dataset's policy
    would refuse it as it is now, ReadyMadeNameTaken and TooManyPublished.
    """
    if not may(membership, Permission.REGISTER_DATASETS):
        raise NotAnOwner
    present = ReadyMade.objects.filter(dataset=dataset, withdrawn_at__isnull=True)
    if present.count() >= MOST_PUBLISHED:
        raise TooManyPublished
    ready_made, blueprint = _made(membership, dataset, draft)
    refuse_outside(blueprint, dataset, policy_for(dataset, membership.user, ready_made))
    try:
        with transaction.atomic():
            ready_made.save(force_insert=True)
    except IntegrityError as taken:
        raise ReadyMadeNameTaken(draft.name) from taken
    detail = {
        "purpose": draft.purpose,
        **noted(ready_made.cost_nano, dataset.budget.currency),
        "plan": ready_made.plan,
        "parameters": ready_made.parameters,
        "per_analyst": draft.per_analyst,
        "altogether": draft.altogether,
    }
    _record(ready_made, membership, Action.READY_MADE_PUBLISHED, detail)
    return ready_made


def _made(
    membership: Membership, dataset: Dataset, draft: ReadyMadeDraft
) -> tuple[ReadyMade, Blueprint]:
    """The row, and the question with sample values in its blanks, which has its price."""
    version = current_version(dataset)
    schema = schema_of(version)
    parameters = read_parameters(draft.parameters, draft.plan, schema)
    raw = filled(draft.plan, parameters, sample(draft.plan, parameters), schema)
    blueprint = read_plan(version, raw).blueprints[0]
    ready_made = ReadyMade(
        tenant_id=dataset.tenant_id,
        dataset=dataset,
        name=draft.name,
        purpose=draft.purpose,
        plan=_in_one_form(draft.plan, blueprint),
        parameters=[one.as_json() for one in parameters],
        cost_nano=blueprint.cost_nano,
        per_analyst=draft.per_analyst,
        altogether=draft.altogether,
        published_by=membership.user,
    )
    return ready_made, blueprint


def _in_one_form(plan: Mapping[str, Any], blueprint: Blueprint) -> dict[str, Any]:
    """The plan's one JSON form, with the blanks where they were."""
    form = blueprint.plan.as_json()
    open_blanks = any(blank.parameter for blank in blanks_of(plan))
    return (
        {**form, "where": plan.get("where", []), "group_by": plan.get("group_by", [])}
        if (open_blanks)
        else form
    )


@transaction.atomic
def withdraw(*, membership: Membership, dataset: Dataset, ready_made_id: UUID) -> ReadyMade:
    """From now on it is not asked any more; what was asked goes on. Twice is once.

    Raises NotAnOwner; ReadyMade.DoesNotExist for another dataset's and a missing one alike.
    """
    if not may(membership, Permission.REGISTER_DATASETS):
        raise NotAnOwner
    rows = ReadyMade.objects.filter(tenant_id=membership.tenant_id, dataset=dataset)
    ready_made = rows.select_for_update(of=("self",)).get(pk=ready_made_id)
    if ready_made.withdrawn_at is None:
        ready_made.withdrawn_by, ready_made.withdrawn_at = membership.user, clock.now()
        ready_made.save(update_fields=["withdrawn_by", "withdrawn_at"])
        _record(ready_made, membership, Action.READY_MADE_WITHDRAWN, {})
    return ready_made


def _record(
    ready_made: ReadyMade, membership: Membership, action: Action, detail: dict[str, Any]
) -> None:
    append(
        tenant_id=ready_made.tenant_id,
        actor=actor_of(membership.user),
        action=action,
        subject=f"ready_made:{ready_made.pk}",
        dataset=ready_made.dataset.slug,
        detail={"name": ready_made.name, **detail},
    )
