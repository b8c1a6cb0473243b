"""Two persons decide what becomes of a held dataset: asking for it, and carrying it out.

Whoever asks may be the owner, who does not know what the dataset resembles; whoever approves is an
officer, who does. Each carries out inside the approval's transaction and returns what its one
audit entry has to say.
"""

from collections.abc import Collection
from datetime import UTC, datetime
from uuid import UUID

from dpgov.approvals.errors import NotApproved, Stale
from dpgov.approvals.kinds import Effect
from dpgov.approvals.models import ChangeRequest
from dpgov.approvals.services import approved, request_change
from dpgov.audit.actions import Action
from dpgov.audit.entry import canonical_json
from dpgov.audit.selectors import EntryFilter, entries_of
from dpgov.datasets.discarded import was_asked
from dpgov.datasets.models import Dataset
from dpgov.datasets.services.held.holds import (
    AskedAlready,
    NotHeld,
    OtherBudget,
    SamePeople,
    discard_held,
    possible_lenders,
    release_held,
    share_budget,
)
from dpgov.datasets.services.pausing import PausedDataset
from dpgov.language.said import said
from dpgov.privacy.plan.schema import InvalidDomain
from dpgov.tenants.models import Membership

RELEASE_HELD_DATASET = "release_held_dataset"
SHARE_HELD_DATASET_BUDGET = "share_held_dataset_budget"
DISCARD_HELD_DATASET = "discard_held_dataset"
HOLD_KINDS = (
    RELEASE_HELD_DATASET,
    SHARE_HELD_DATASET_BUDGET,
    DISCARD_HELD_DATASET,
)
_SINCE = "held_at"
_OVERTAKEN = (NotHeld, SamePeople, AskedAlready, OtherBudget, PausedDataset, InvalidDomain)


def request_decision(
    *,
    membership: Membership,
    dataset: Dataset,
    kind: str,
    reason: str,
    earlier: Dataset | None = None,
) -> ChangeRequest:
    """Ask that a held dataset be released, share the budget of `earlier`, or be discarded.

    Raises NotHeld, AskedAlready, OtherBudget, and what `approvals.services.request_change` raises.
    """
    held = Dataset.objects.filter(
        pk=dataset.pk,
        tenant_id=membership.tenant_id,
        held_at__isnull=False,
        archived_at__isnull=True,
    ).first()
    if held is None or kind not in HOLD_KINDS:
        raise NotHeld
    payload = {"held_dataset": str(held.pk), "name": held.name, _SINCE: _since(held)}
    if kind == SHARE_HELD_DATASET_BUDGET:
        if was_asked(held):
            raise AskedAlready
        lender = earlier and possible_lenders(held).filter(pk=earlier.pk).first()
        if lender is None:
            raise OtherBudget
        payload |= {"earlier": str(lender.pk), "earlier_name": lender.name}
    return request_change(
        membership=membership,
        kind=kind,
        subject=f"dataset:{held.pk}",
        dataset=held.slug,
        payload=payload,
        reason=reason,
    )


def hold_has_ended(datasets: Collection[Dataset], *, since: datetime) -> bool:
    """Whether one of these, of one tenant, was held and is not any more, by two persons or a look.

    Read off the decisions themselves, which stay; the row of the dataset keeps nothing of it.
    """
    (tenant_id,) = {dataset.tenant_id for dataset in datasets}
    subjects = [f"dataset:{dataset.pk}" for dataset in datasets]
    agreed = ChangeRequest.objects.filter(
        tenant_id=tenant_id,
        kind__in=HOLD_KINDS,
        subject__in=subjects,
        state=ChangeRequest.State.APPROVED,
        decided_at__gte=since,
    )
    looked = EntryFilter(action=Action.DATASET_LOOKED_AT.value, since=since)
    began = entries_of(tenant_id, looked).filter(
        subject__in=subjects, detail__contains=canonical_json({"begins": True})[1:-1]
    )
    return agreed.exists() or began.exists()


def _since(dataset: Dataset) -> str | None:
    """When its hold began, by which it differs from every other one; guard_hold compares it."""
    return None if dataset.held_at is None else dataset.held_at.astimezone(UTC).isoformat()


def decide_as_agreed(request: ChangeRequest) -> Effect:
    """Carry out an approved decision of any of HOLD_KINDS; Stale when it cannot be so any more,
    and where the hold that it was about has ended and another one has begun.

    BudgetFrozen, which leaves the request waiting, until the balances are confirmed.
    """
    payload = approved(request, request.kind)
    dataset = Dataset.objects.select_related("tenant").get(
        pk=UUID(payload["held_dataset"]), tenant_id=request.tenant_id
    )
    decider = request.decided_by
    if decider is None:
        raise NotApproved
    # Where it is not held at all, each step says so; where it is, it locks this very hold.
    if dataset.held_at is not None and payload.get(_SINCE) != _since(dataset):
        raise Stale(
            said("This was requested about an earlier hold, which has ended. Request it again.")
        )
    try:
        if request.kind == RELEASE_HELD_DATASET:
            release_held(dataset=dataset, by=decider)
        elif request.kind == SHARE_HELD_DATASET_BUDGET:
            earlier = Dataset(pk=UUID(payload["earlier"]))
            share_budget(dataset=dataset, earlier=earlier, by=decider)
        else:
            discard_held(dataset=dataset, by=decider)
    except _OVERTAKEN as overtaken:
        raise Stale(overtaken.args[0]) from overtaken
    return Effect(payload)
