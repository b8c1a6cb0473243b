"""Inconsistencies between the log, the questions and the ledger, as their authors would hide them.

Whoever has full access to the database lifts the triggers, changes rows and sets counters right.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import F

from dpgov.approvals.models import ChangeRequest
from dpgov.audit.actions import Action
from dpgov.audit.actor import OPERATOR
from dpgov.audit.entry import canonical_json
from dpgov.audit.models import AuditEntry
from dpgov.audit.services import append
from dpgov.budgets.models import (
    Budget,
    BudgetPart,
    Charge,
    Correction,
    LimitChange,
    Reservation,
)
from dpgov.budgets.services import open_budget
from dpgov.datasets.models import Dataset, Look
from dpgov.queries.models import Query, Release

NANO = 10**9
HALF = NANO // 2


@dataclass(frozen=True)
class Seeded:
    """An inconsistency, hidden as well as its author could, and what is said about it."""

    name: str
    seed: Callable[[Dataset], object]
    found: str


def _released(number: int = 0) -> Query:
    return Query.objects.filter(state="released").order_by("submitted_at")[number]


def _dataset_charge() -> Charge:
    return Charge.objects.get(query_id=_released().pk, budget__kind="dataset")


def _move_spent(budget_id: UUID, nano: int) -> None:
    Budget.objects.filter(pk=budget_id).update(spent_nano=F("spent_nano") + nano)


def _without_a_charge(_: Dataset) -> None:
    charge = _dataset_charge()
    Reservation.objects.filter(query_id=charge.query_id, budget=charge.budget_id).update(
        state="voided"
    )
    _move_spent(charge.budget_id, -charge.amount_nano)
    charge.delete()


def _a_smaller_charge(_: Dataset) -> None:
    charge = _dataset_charge()
    same = {"query_id": charge.query_id, "budget_id": charge.budget_id}
    for rows in (Charge.objects, Reservation.objects):
        rows.filter(**same).update(amount_nano=F("amount_nano") - 1)
    _move_spent(charge.budget_id, -1)


def _a_charge_of_nothing(dataset: Dataset) -> None:
    same = {"tenant": dataset.tenant, "budget": dataset.budget, "query_id": uuid4()}
    Reservation.objects.create(**same, amount_nano=5, state="settled", counted_on="2026-01-01")
    Charge.objects.create(**same, amount_nano=5, spent_after_nano=0)
    _move_spent(dataset.budget_id, 5)


def _another_answer(_: Dataset) -> None:
    body = '{"answer": 42}'
    digest = hashlib.sha256(body.encode()).hexdigest()
    Release.objects.filter(pk=_released().pk).update(body=body, sha256=digest)


def _no_answer(_: Dataset) -> None:
    Release.objects.filter(pk=_released().pk).delete()


def _a_counter_set_back(dataset: Dataset) -> None:
    _move_spent(dataset.budget_id, -HALF)


def _a_limit_raised_by_hand(dataset: Dataset) -> None:
    LimitChange.objects.create(
        tenant=dataset.tenant,
        budget=dataset.budget,
        before_nano=10 * NANO,
        after_nano=12 * NANO,
        reason="approved, honestly",
    )
    Budget.objects.filter(pk=dataset.budget_id).update(limit_nano=12 * NANO)


def _a_refund_that_nobody_approved(dataset: Dataset) -> None:
    Correction.objects.create(
        tenant=dataset.tenant,
        budget=dataset.budget,
        kind="refund",
        amount_nano=-HALF,
        spent_after_nano=0,
        query_id=_released().pk,
        reason="approved, honestly",
    )
    _move_spent(dataset.budget_id, -HALF)


def _a_hold_that_was_kept(_: Dataset) -> None:
    Query.objects.filter(state="queued").update(state="voided")


def _a_hold_that_was_lost(_: Dataset) -> None:
    query = Query.objects.get(state="queued")
    for hold in Reservation.objects.filter(query_id=query.pk):
        Budget.objects.filter(pk=hold.budget_id).update(
            reserved_nano=F("reserved_nano") - hold.amount_nano
        )
    Reservation.objects.filter(query_id=query.pk).update(state="voided")


def _an_entry_cut_out(_: Dataset) -> None:
    AuditEntry.objects.filter(action="QUERY_RELEASED", subject=f"query:{_released().pk}").delete()


def _a_cheaper_question(_: Dataset) -> None:
    Query.objects.filter(pk=_released().pk).update(cost_nano=1)


SEEDED = [
    Seeded("a charge taken away", _without_a_charge, "is to be charged, but nothing is"),
    Seeded("a charge made smaller", _a_smaller_charge, "but ε 0.499999999 is"),
    Seeded("a charge without a question", _a_charge_of_nothing, "there is no such question"),
    Seeded("another answer, hash and all", _another_answer, "the stored answer has SHA-256"),
    Seeded("an answer taken away", _no_answer, "but no answer is stored"),
    Seeded("a counter set back", _a_counter_set_back, "but the log adds up to ε"),
    Seeded("a limit raised by hand", _a_limit_raised_by_hand, "which the log does not say"),
    Seeded("a refund by hand", _a_refund_that_nobody_approved, "which nobody approved"),
    Seeded("a hold of an ended question", _a_hold_that_was_kept, "is still held"),
    Seeded("a waiting question without a hold", _a_hold_that_was_lost, "but holds nothing"),
    Seeded("an entry cut out of the log", _an_entry_cut_out, "that the log does not know"),
    Seeded("a question made cheaper", _a_cheaper_question, "but the log says that ε 0.5"),
]


def _no_answer_to_the_second(_: Dataset) -> None:
    Release.objects.filter(pk=_released(1).pk).delete()


def _a_hold_that_was_kept_and_one_that_was_lost(_: Dataset) -> None:
    kept, lost = Query.objects.filter(state="queued").order_by("submitted_at")
    Query.objects.filter(pk=kept.pk).update(state="voided")
    Reservation.objects.filter(query_id=lost.pk).update(state="voided")


def _log(dataset: Dataset, action: Action, subject: str, **detail: Any) -> None:
    """An entry about something that never happened."""
    with transaction.atomic():
        append(
            tenant_id=dataset.tenant_id,
            actor=OPERATOR,
            action=action,
            subject=subject,
            detail=detail,
        )


def _latest() -> Query:
    return Query.objects.filter(state="released").latest("submitted_at")


def _a_question_made_up(dataset: Dataset) -> None:
    _log(dataset, Action.QUERY_SUBMITTED, f"query:{uuid4()}", epsilon="0.5", lines=[])


def _a_question_answered_twice(dataset: Dataset) -> None:
    sha = Release.objects.get(pk=_latest().pk).sha256
    _log(dataset, Action.QUERY_RELEASED, f"query:{_latest().pk}", release_sha256=sha)


def _a_look_made_up(dataset: Dataset) -> None:
    by = {"by": dataset.owner, "tenant": dataset.tenant}
    Look.objects.create(version=dataset.versions.get(), outcome="goes_on", **by)


def _an_answer_made_up(dataset: Dataset) -> None:
    failed = Query.objects.get(state="failed")
    Release.objects.create(query=failed, tenant=dataset.tenant, body="{}", sha256="0" * 64)


def _another_hold(_: Dataset) -> None:
    holds = Reservation.objects.filter(query_id=_latest().pk, budget__kind="shared_budget")
    holds.update(amount_nano=F("amount_nano") + 1)


def _a_raise_by_one_person(dataset: Dataset) -> None:
    _log(
        dataset,
        Action.BUDGET_LIMIT_CHANGED,
        f"budget:{dataset.budget_id}",
        before_epsilon="9.5",
        after_epsilon="9.8",
    )


def _another_beginning(dataset: Dataset) -> None:
    opened = LimitChange.objects.filter(budget=dataset.budget, before_nano=0)
    opened.update(after_nano=11 * NANO)


def _a_larger_part(dataset: Dataset) -> None:
    whole, part = (
        open_budget(
            tenant=dataset.tenant, label=f"{kind} made up", limit_nano=nano, kind=Budget.Kind(kind)
        )
        for kind, nano in (("dataset", 3), ("partition", 4))
    )
    BudgetPart.objects.create(
        budget=part, tenant=dataset.tenant, dataset_budget=whole, position=0, part="north"
    )


def _a_booking_made_up(dataset: Dataset) -> None:
    subject = f"budget:{dataset.budget_id}"
    _log(dataset, Action.BUDGET_CONFIRMED, subject, booked_epsilon="3")


def _a_request_behind_the_log(dataset: Dataset) -> None:
    ChangeRequest.objects.create(
        tenant=dataset.tenant,
        kind="refund",
        subject="query:1",
        payload={},
        requested_by=dataset.owner,
        requested_role="owner",
    )


def _an_approval_made_up(dataset: Dataset) -> None:
    _log(dataset, Action.CHANGE_APPROVED, "query:1", request=str(uuid4()), kind="discard")


def cut_as_before(entry: AuditEntry) -> None:
    """As entries of very many characters were cut once: the whole detail, amounts and all."""
    text = entry.detail
    cut = {
        "cut_from_characters": len(text),
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
        "beginning": text[:2_000],
    }
    AuditEntry.objects.filter(pk=entry.pk).update(detail=canonical_json(cut))


def _entries_that_were_cut(_: Dataset) -> None:
    newest = AuditEntry.objects.order_by("-sequence")
    for action in ("QUERY_SUBMITTED", "BUDGET_ALLOCATED"):
        cut_as_before(newest.filter(action=action)[0])


# With those above, one for every check. The order matters.
EVERYTHING = (
    _a_question_answered_twice,
    _another_hold,
    _a_cheaper_question,
    _without_a_charge,
    _another_answer,
    _no_answer_to_the_second,
    _a_charge_of_nothing,
    _a_question_made_up,
    _an_answer_made_up,
    _a_limit_raised_by_hand,
    _a_raise_by_one_person,
    _another_beginning,
    _a_larger_part,
    _a_refund_that_nobody_approved,
    _a_booking_made_up,
    _a_request_behind_the_log,
    _a_look_made_up,
    _an_approval_made_up,
    _a_hold_that_was_kept_and_one_that_was_lost,
    _entries_that_were_cut,
)
