"""Asking what an owner approved: one plan, at one price, by one person, once, within two weeks.

The approval takes no budget and keeps none: when it is asked, the question is admitted like every
other, by the same function. It is looked at and used up under the lock of its row, in the
transaction that accepts the question. Whether it holds is a function of the plan, its price, the
declarations, the log and the clock; never of data.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from dpgov.audit.actions import Action
from dpgov.audit.selectors import EntryFilter, entries_of
from dpgov.datasets.lineage import governing
from dpgov.datasets.models import Dataset, DatasetVersion
from dpgov.datasets.services.held.deciding import hold_has_ended
from dpgov.operation.clock import database_now
from dpgov.privacy.plan.plan import InvalidPlan
from dpgov.queries.asking.asked import Asked, read_plan
from dpgov.queries.asking.policy import OutsidePolicy
from dpgov.queries.guards import APPROVAL_DAYS
from dpgov.queries.models import BudgetRequest, Query
from dpgov.tenants.models import Membership, Role
from dpgov.tenants.roles import having_since

_ENDED = "approval_ended"
# Why, with what the API calls it and what a person reads.
_WHY: dict[str, tuple[str, str]] = {
    "missing": ("no_approval", gettext_noop("There is no such approval of yours.")),
    "unanswered": ("not_approved", gettext_noop("No owner has approved this question.")),
    "used": (
        "approval_used",
        gettext_noop("This approval was used: it holds for asking the question once."),
    ),
    "late": (_ENDED, gettext_noop("This approval has ended: it held for 14 days.")),
    "moved": (
        _ENDED,
        gettext_noop(
            "This approval has ended: your membership has changed since you asked for it."
        ),
    ),
    "version": (
        _ENDED,
        gettext_noop("This approval has ended: the dataset has a newer version since."),
    ),
    "paused": (
        _ENDED,
        gettext_noop("This approval has ended: questions about the dataset were paused since."),
    ),
    "frozen": (_ENDED, gettext_noop("This approval has ended: the dataset was frozen since.")),
    "plan": (
        "another_plan",
        gettext_noop("An owner approved another question. Ask it just as it was approved."),
    ),
    "price": (
        _ENDED,
        gettext_noop("The price of this question is not the approved one any more."),
    ),
}


def sentence_of(why: str) -> str:
    """What a key of the table says to a person; "" for ""."""
    return _(_WHY[why][1]) if why else ""


class NotAsApproved(OutsidePolicy):
    """The approval does not let this question be asked; `why` is a key of the table above."""

    def __init__(self, why: str, requested_nano: int = 0) -> None:
        self.why = why
        self.code = _WHY[why][0]
        # Two sentences: the second is the same for all.
        message = f"{sentence_of(why)} {_('Nothing was charged.')}"
        super().__init__(message, requested_nano=requested_nano)


@dataclass(frozen=True, slots=True)
class ApprovedReader:
    """Reads the plan that was sent under this approval, for this person and key, under its lock."""

    membership: Membership
    approval_id: UUID
    key: str

    def __call__(self, version: DatasetVersion, raw_plan: object) -> Asked:
        """Raises NotAsApproved and InvalidPlan. In the accepting transaction only."""
        found = (
            BudgetRequest.objects.select_for_update(of=("self",))
            .filter(
                pk=self.approval_id,
                about=BudgetRequest.About.QUESTION,
                tenant_id=self.membership.tenant_id,
                dataset=version.dataset_id,
                asked_by_id=self.membership.user_id,
            )
            .first()
        )
        if found is None:
            raise NotAsApproved("missing")
        if why := why_not(found, version, own_key=self.key):
            raise NotAsApproved(why, found.cost_nano or 0)
        asked = read_plan(version, raw_plan)
        if why := _differs(asked, found):
            raise NotAsApproved(why, found.cost_nano or 0)
        return replace(asked, approval=found)


def why_not(approval: BudgetRequest, version: DatasetVersion, own_key: str = "") -> str:
    """Why it lets nothing be asked (any more), or "". A question of one's own key does not count.

    `version` is the dataset's newest.
    """
    if approval.state != BudgetRequest.State.GRANTED or approval.answered_at is None:
        return "unanswered"
    used = Query.objects.filter(approval=approval)
    if used.exclude(analyst_id=approval.asked_by_id, idempotency_key=own_key).exists():
        return "used"
    if database_now() >= ends_at(approval):
        return "late"
    if approval.version_id != version.pk:
        return "version"
    return _ended_since(approval, version.dataset, approval.answered_at)


def _ended_since(approval: BudgetRequest, dataset: Dataset, since: datetime) -> str:
    """What happened to the person or the dataset meanwhile; a pause of now is refused elsewhere."""
    if not _is_same_member(approval):
        return "moved"
    # Read again, because they may be resumed at this moment.
    governed = governing(dataset)
    its = Dataset.objects.filter(pk__in=[one.pk for one in governed])
    if its.filter(resumed_at__gte=since).exists() or hold_has_ended(governed, since=since):
        return "paused"
    return "frozen" if _was_frozen(dataset, since) else ""


def ends_at(approval: BudgetRequest) -> datetime:
    """Until when a granted one can be used."""
    return (approval.answered_at or approval.asked_at) + timedelta(days=APPROVAL_DAYS)


def _is_same_member(approval: BudgetRequest) -> bool:
    rows = Membership.objects.filter(tenant_id=approval.tenant_id, user_id=approval.asked_by_id)
    return rows.filter(having_since(Role.ANALYST, approval.asked_at), user__is_active=True).exists()


def _was_frozen(dataset: Dataset, since: datetime) -> bool:
    """Whether an officer confirmed its budget since, or a parent's: then it had been frozen."""
    confirmed = EntryFilter(action=Action.BUDGET_CONFIRMED.value, since=since)
    found = entries_of(dataset.tenant_id, confirmed)
    budgets = [f"budget:{one.budget_id}" for one in governing(dataset)]
    return found.filter(subject__in=budgets).exists()


def _differs(asked: Asked, approval: BudgetRequest) -> str:
    (blueprint,) = asked.blueprints
    if blueprint.plan.as_json() != approval.plan:
        return "plan"
    return "" if blueprint.cost_nano == approval.cost_nano else "price"


def holds_now(approval: BudgetRequest, version: DatasetVersion) -> bool:
    """Whether its plan still has the price that was asked for, at this version."""
    try:
        return approval.version_id == version.pk and not _differs(
            read_plan(version, approval.plan), approval
        )
    except InvalidPlan:
        return False
