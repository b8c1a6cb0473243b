"""G8: what was recorded and what is booked must agree, and each kind of disagreement is found."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from io import StringIO
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.models import F

from dpgov.approvals.services import approve
from dpgov.audit.append_only import protect, unprotect
from dpgov.audit.models import AuditEntry
from dpgov.budgets.models import Budget, Charge, Correction, LimitChange, Reservation
from dpgov.budgets.services import confirm_budget, freeze_tenant
from dpgov.budgets.services.allocations import allocate
from dpgov.budgets.services.populations import join_population, open_population
from dpgov.budgets.services.raising import raise_limit, request_raise
from dpgov.dashboards.reconciliation.report import reconcile
from dpgov.datasets.models import Dataset
from dpgov.datasets.services import lower_limit
from dpgov.queries.models import Query, Release
from dpgov.queries.refunding import refund, request_refund
from dpgov.queries.sweep import sweep
from dpgov.tenants.models import Membership, Tenant
from dpgov.tenants.selectors import actor_of
from tests.integration.ledger.test_refunds import spoil

NANO = 10**9
HALF = NANO // 2
Asking = Callable[..., Query]


@pytest.fixture
def used(
    dataset: Dataset,
    owner: Membership,
    officer: Membership,
    analyst: Membership,
    ask: Asking,
    answer_all: Callable[[], int],
) -> Dataset:
    """A dataset with something of everything: answers, a grant, a shared budget, a refund, …"""
    by = actor_of(owner.user)
    allocate(
        dataset_budget=dataset.budget,
        holder=analyst.user,
        limit_nano=8 * NANO,
        actor=by,
        reason="the study",
    )
    ask(analyst)
    answer_all()
    population = open_population(
        tenant=owner.tenant, name="Patients", limit_nano=20 * NANO, actor=by
    )
    join_population(population=population, dataset_budget=dataset.budget, actor=by)
    ask(analyst), ask(analyst, epsilon=0.25)
    answer_all()
    lower_limit(dataset=dataset, limit_nano=9 * NANO, user=owner.user, reason="less")
    raised = request_raise(
        membership=owner,
        budget=Budget.objects.get(pk=dataset.budget_id),
        limit_nano=10 * NANO,
        reason="more",
    )
    approve(request_id=raised.pk, decider=officer, reason="agreed", carry_out=raise_limit)
    unread = ask(analyst)
    spoil(dataset)
    answer_all()
    given = request_refund(membership=owner, query=unread, reason="damaged")
    approve(request_id=given.pk, decider=officer, reason="seen", carry_out=refund)
    freeze_tenant(tenant_id=owner.tenant_id, reason="restored")
    for budget in Budget.objects.filter(frozen_at__isnull=False):
        missing = NANO if budget.kind == Budget.Kind.DATASET else None
        confirm_budget(
            budget=budget, actor=actor_of(officer.user), reason="compared", missing_nano=missing
        )
    ask(analyst)
    return dataset


def findings(tenant: Tenant) -> list[str]:
    return list(reconcile(tenant).findings)


@contextmanager
def _lifted(*tables: str) -> Generator[None]:
    """Without the triggers, as somebody with full access to the database would do it."""
    with connection.schema_editor() as editor:
        for table in tables:
            unprotect(table)(None, editor)
    try:
        yield
    finally:
        with connection.schema_editor() as editor:
            for table in tables:
                protect(table)(None, editor)


@pytest.mark.django_db(transaction=True)
def test_what_was_done_by_the_services_agrees(used: Dataset) -> None:
    """G8: no finding where there is nothing to find, with something of everything."""
    assert findings(used.tenant) == []
    out = StringIO()
    call_command("reconcile", stdout=out)
    assert out.getvalue().splitlines() == ["harbour: 5 questions, everything agrees"]


@pytest.mark.django_db(transaction=True)
def test_reading_leaves_nothing_behind(used: Dataset) -> None:
    """G8: twice in a row on one connection, and no row is written."""
    before = AuditEntry.objects.count()
    assert reconcile(used.tenant) == reconcile(used.tenant)
    assert AuditEntry.objects.count() == before


@dataclass(frozen=True)
class Seeded:
    """An inconsistency, hidden as well as its author could, and what is said about it."""

    name: str
    seed: Callable[[Dataset], object]
    found: str


def _released() -> Query:
    return Query.objects.filter(state="released").order_by("submitted_at")[0]


def _dataset_charge() -> Charge:
    return Charge.objects.get(query_id=_released().pk, budget__kind="dataset")


def _move_spent(budget_id: object, nano: int) -> None:
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
    Reservation.objects.create(**same, amount_nano=5, state="settled")
    Charge.objects.create(**same, amount_nano=5, spent_after_nano=0)
    _move_spent(dataset.budget_id, 5)


def _another_answer(_: Dataset) -> None:
    import hashlib

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
    query = Query.objects.get(state="queued")
    Query.objects.filter(pk=query.pk).update(state="voided")


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
    Seeded("a charge taken away", _without_a_charge, "is to be charged, but ε nothing is"),
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
TAMPERED = (
    "audit_auditentry",
    "budgets_charge",
    "budgets_correction",
    "budgets_limitchange",
    "queries_release",
)


@pytest.mark.django_db(transaction=True)
@pytest.mark.tampers_with_ledger
@pytest.mark.parametrize("seeded", SEEDED, ids=lambda seeded: seeded.name)
def test_each_seeded_inconsistency_is_found(seeded: Seeded, used: Dataset) -> None:
    """G8: twelve of them, each as well hidden as full access to the database allows."""
    with _lifted(*TAMPERED):
        seeded.seed(used)
    said = findings(used.tenant)
    assert any(seeded.found in sentence for sentence in said), said
    errors = StringIO()
    with pytest.raises(CommandError, match="disagreements found"):
        call_command("reconcile", stdout=StringIO(), stderr=errors)
    assert seeded.found in errors.getvalue()


@pytest.mark.django_db(transaction=True)
def test_the_sweepers_endings_agree_too(
    dataset: Dataset, analyst: Membership, ask: Asking, settings: Any
) -> None:
    """G8: what was voided or has expired left nothing behind."""
    settings.DPGOV_EXPIRY_SECONDS = 0
    ask(analyst)
    sweep()
    assert Query.objects.get().state == "expired"
    assert findings(dataset.tenant) == []


@pytest.mark.django_db(transaction=True)
def test_another_tenant_is_not_in_the_report(
    used: Dataset, foreign_dataset: Dataset, stranger: Membership
) -> None:
    """H2: each log is held against its own tenant's ledger."""
    assert findings(stranger.tenant) == []
    assert reconcile(stranger.tenant).questions == 0
    with pytest.raises(CommandError, match="no tenant"):
        call_command("reconcile", "--tenant", "nobody")
