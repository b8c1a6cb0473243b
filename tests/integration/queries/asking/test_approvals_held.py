"""L40: the database and its locks hold an approval to what it is for, whoever asks or writes."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import DatabaseError, IntegrityError, transaction

from dpgov.budgets.findings import ledger_findings
from dpgov.datasets.models import Dataset
from dpgov.privacy.accounting.decimals import NANO
from dpgov.queries.asking.approval import NotAsApproved
from dpgov.queries.asking.submit import submit
from dpgov.queries.models import BudgetRequest, Query
from dpgov.tenants.models import Membership, Role
from tests.cast import join
from tests.integration.children import run_at_once
from tests.integration.queries.asking.approving import (
    PLAN,
    approved,
    ask,
    needs_approval,
    requested,
)
from tests.made_once import made_once

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def above_half(dataset: Dataset) -> None:
    """Above ε 0.5 a question needs an owner."""
    needs_approval(dataset)


@made_once
def approval(analyst: Membership, owner: Membership, dataset: Dataset) -> BudgetRequest:
    """Of a count at ε 1."""
    return approved(analyst, owner, dataset)


def test_the_database_takes_no_question_without_its_approval(
    approval: BudgetRequest, analyst: Membership, dataset: Dataset
) -> None:
    """L40: whoever writes the row, and however the services were got round."""
    query = ask(analyst, approval)
    again = Query.objects.get(pk=query.pk)
    again.pk, again.idempotency_key = uuid4(), "by hand"
    with pytest.raises(IntegrityError), transaction.atomic():
        again.save(force_insert=True)
    again.approval = None
    with pytest.raises(DatabaseError, match="needs a permit or an approval"), transaction.atomic():
        again.save(force_insert=True)
    with pytest.raises(DatabaseError, match="stays with the question"), transaction.atomic():
        Query.objects.filter(pk=query.pk).update(approval=None)


@pytest.mark.parametrize("changed", ["cost_nano", "analyst", "plan", "submitted_at"])
def test_the_database_holds_an_approval_to_what_it_is_for(
    approval: BudgetRequest, analyst: Membership, dataset: Dataset, changed: str
) -> None:
    """L40: the price, the person, the plan and the two weeks."""
    cheap = submit(
        membership=analyst,
        dataset=dataset,
        raw_plan=PLAN | {"epsilon": 0.1},
        idempotency_key="cheap",
    ).query
    cheap.pk, cheap.idempotency_key, cheap.approval = uuid4(), "by hand", approval
    cheap.plan, cheap.cost_nano = approval.plan, NANO
    others: dict[str, Any] = {
        "cost_nano": NANO + 1,
        "analyst": join(dataset.tenant, Role.ANALYST, "bert").user,
        "plan": {**cheap.plan, "epsilon": 2},
        "submitted_at": cheap.submitted_at + timedelta(days=15),
    }
    right = getattr(cheap, changed)
    setattr(cheap, changed, others[changed])
    with pytest.raises(DatabaseError, match="for one plan"), transaction.atomic():
        cheap.save(force_insert=True)
    setattr(cheap, changed, right)
    with transaction.atomic():
        cheap.save(force_insert=True)
        transaction.set_rollback(True)


def test_the_database_lets_nobody_approve_by_hand(
    analyst: Membership, owner: Membership, officer: Membership, dataset: Dataset
) -> None:
    """L40: not from the beginning, not by oneself or an officer, and nothing afterwards."""
    sent = requested(analyst, dataset)
    rows = BudgetRequest.objects.filter(pk=sent.pk)
    yes = {"state": "granted", "granted_nano": NANO, "answered_at": sent.asked_at}
    for who in (analyst.user, officer.user):
        with pytest.raises(DatabaseError), transaction.atomic():
            rows.update(**yes, answered_by=who)
    with pytest.raises(DatabaseError, match="never changed"), transaction.atomic():
        rows.update(cost_nano=2 * NANO)
    rows.update(**yes, answered_by=owner.user)
    with pytest.raises(DatabaseError, match="never changed"), transaction.atomic():
        rows.update(answered_at=sent.asked_at + timedelta(days=9))
    sent.pk, sent.canonical_sha256 = uuid4(), "other"
    sent.state, sent.answered_by, sent.answered_at = "granted", owner.user, sent.asked_at
    sent.granted_nano = NANO
    with pytest.raises(DatabaseError, match="begins as a request"), transaction.atomic():
        sent.save(force_insert=True)


@pytest.mark.django_db(transaction=True)
def test_one_approval_is_one_question_for_eight_who_ask_at_once(
    approval: BudgetRequest, analyst: Membership
) -> None:
    """L40 and A1: looked at under the lock of its row, in the transaction that accepts."""

    def ask_now() -> int:
        try:
            ask(analyst, approval)
        except NotAsApproved:
            return 0
        return 1

    assert sum(run_at_once([ask_now] * 8)) == 1
    assert Query.objects.count() == 1
    assert ledger_findings() == []


@pytest.mark.django_db(transaction=True)
def test_one_key_sent_eight_times_at_once_is_one_question(
    approval: BudgetRequest, analyst: Membership
) -> None:
    """L40: its twins are not refused, they are it."""

    def ask_now() -> int:
        return 7 if ask(analyst, approval, key="k-1").approval_id == approval.pk else 1

    assert run_at_once([ask_now] * 8) == [7] * 8
    assert Query.objects.count() == 1
