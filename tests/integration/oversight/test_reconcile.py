"""G8: what was recorded and what is booked must agree, and each kind of disagreement is found."""

import re
from collections.abc import Callable
from datetime import date
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from dpgov.approvals.models import ChangeRequest
from dpgov.approvals.services import approve
from dpgov.audit.archive.reading import folder_of
from dpgov.audit.archiving import archive_months, remove_archived
from dpgov.audit.checkpoints.signing import make_checkpoint
from dpgov.audit.models import AuditEntry
from dpgov.budgets.models import Budget, Charge
from dpgov.budgets.services import confirm_budget, freeze_tenant
from dpgov.budgets.services.allocations import allocate
from dpgov.budgets.services.raising import raise_limit, request_raise
from dpgov.budgets.services.shared_budgets import join_shared_budget, open_shared_budget
from dpgov.datasets.models import Dataset
from dpgov.datasets.services import lower_limit
from dpgov.oversight.reconciliation.checks import CHECKS, Check
from dpgov.oversight.reconciliation.report import reconcile
from dpgov.queries.answering.refunding import refund, request_refund
from dpgov.queries.answering.sweep import sweep
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership, Tenant
from dpgov.tenants.selectors import actor_of
from tests.integration.audit.seeds import EVERYTHING, SEEDED, Seeded
from tests.integration.budgets.test_refunds import spoil
from tests.made_once import made_once
from tests.triggers import without_triggers

NANO = 10**9
Asking = Callable[..., Query]


@made_once
def used(
    dataset: Dataset,
    owner: Membership,
    officer: Membership,
    analyst: Membership,
    ask: Asking,
    answer_all: Callable[[], int],
) -> Dataset:
    """A dataset with something of each: answers, an allocation, a shared budget, a refund, …"""
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
    shared_budget = open_shared_budget(
        tenant=owner.tenant, name="Patients", limit_nano=20 * NANO, actor=by
    )
    join_shared_budget(shared_budget=shared_budget, dataset_budget=dataset.budget, actor=by)
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


@pytest.mark.django_db(transaction=True)
@pytest.mark.tampers_with_ledger
def test_reconciliation_reads_the_archive_and_says_when_it_cannot(
    used: Dataset, settings: Any, tmp_path: Path
) -> None:
    """G10, G8: the same questions agree; a charge made smaller is found; without the file nothing
    is said to agree.
    """
    settings.DPGOV_CHECKPOINT_FOLDER = tmp_path / "checkpoints"
    settings.DPGOV_ARCHIVE_FOLDER = tmp_path / "archive"
    whole = reconcile(used.tenant)
    make_checkpoint(tenant_id=used.tenant_id)
    (made,) = archive_months(used.tenant_id, date(2999, 1, 1))
    assert reconcile(used.tenant) == whole
    make_checkpoint(tenant_id=used.tenant_id)
    assert remove_archived(used.tenant_id) > 5
    assert reconcile(used.tenant) == whole
    with without_triggers():
        Charge.objects.filter(budget__kind="dataset").update(amount_nano=1)
    assert "is to be charged, but" in " ".join(findings(used.tenant))
    (folder_of(used.tenant_id) / made.name).unlink()
    with pytest.raises(CommandError, match=r"nothing compared\. Entries 1 to"):
        call_command("reconcile")


@pytest.mark.django_db(transaction=True)
@pytest.mark.tampers_with_ledger
@pytest.mark.parametrize("seeded", SEEDED, ids=lambda seeded: seeded.name)
def test_each_seeded_inconsistency_is_found(seeded: Seeded, used: Dataset) -> None:
    """G8: twelve of them, each as well hidden as full access to the database allows."""
    with without_triggers():
        seeded.seed(used)
    said = findings(used.tenant)
    assert any(seeded.found in sentence for sentence in said), said
    errors = StringIO()
    with pytest.raises(CommandError, match="disagreements found"):
        call_command("reconcile", stdout=StringIO(), stderr=errors)
    assert seeded.found in errors.getvalue()


@pytest.mark.django_db(transaction=True)
@pytest.mark.tampers_with_ledger
@pytest.mark.parametrize("agreed", ["nothing", "another question"])
def test_a_forged_refund_is_found_by_adding_up_alone(used: Dataset, agreed: str) -> None:
    """G8, L8: with every counter right; what two persons approved of another question is none."""
    forged = next(seeded for seeded in SEEDED if seeded.name == "a refund by hand")
    assert forged_refunds() == []
    with without_triggers():
        forged.seed(used)
        if agreed == "nothing":
            ChangeRequest.objects.filter(kind="refund").delete()
    # Without the true request its refund on three budgets is one that nobody approved, too.
    assert len(forged_refunds()) == (4 if agreed == "nothing" else 1)


def forged_refunds() -> list[str]:
    """What `verify_ledger` says about refunds; it fails if it says anything."""
    errors = StringIO()
    try:
        call_command("verify_ledger", stdout=StringIO(), stderr=errors)
    except CommandError:
        assert errors.getvalue()
    return [line for line in errors.getvalue().splitlines() if "was given back for" in line]


@pytest.mark.django_db(transaction=True)
@pytest.mark.tampers_with_ledger
def test_no_check_is_idle(used: Dataset, analyst: Membership, ask: Asking) -> None:
    """G8: for each check there is something that it alone can say, and does."""
    ask(analyst)
    with without_triggers():
        for seed in EVERYTHING:
            seed(used)
    said = findings(used.tenant)
    idle = [check.sentence for check in CHECKS if not any(_says(check, one) for one in said)]
    assert idle == []


def _says(check: Check, sentence: str) -> bool:
    pattern = "(.+)".join(map(re.escape, check.sentence.split("{}")))
    return re.fullmatch(pattern, sentence) is not None


@pytest.mark.django_db(transaction=True)
@pytest.mark.tampers_with_ledger
def test_a_log_that_does_not_read_as_ours_is_said_to_be_broken(used: Dataset) -> None:
    """G8: no traceback, and another command that tells more."""
    with without_triggers():
        AuditEntry.objects.filter(action="QUERY_SUBMITTED").update(detail='{"epsilon":"half"}')
    with pytest.raises(CommandError, match="Run verify_audit_log"):
        call_command("reconcile", stdout=StringIO())


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
    with pytest.raises(CommandError, match="no organisation"):
        call_command("reconcile", "--tenant", "nobody")


def test_what_is_found_is_said_in_one_order_wherever_rows_lie(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An update moves a row behind the others, and the same findings would read as new ones."""
    texts = Check("{} is off", "SELECT 'second' AS one UNION ALL SELECT 'first'")
    monkeypatch.setattr("dpgov.oversight.reconciliation.report.CHECKS", (texts,))
    assert findings(tenant) == ["first is off", "second is off"]
