"""L40: what an owner approved is asked as it was approved, by whom it was, once, in two weeks."""

import json
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from dpgov.audit.actor import OPERATOR
from dpgov.audit.models import AuditEntry
from dpgov.budgets.errors import InsufficientBudget
from dpgov.budgets.models import Budget
from dpgov.budgets.services import confirm_budget, freeze_tenant
from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import current_version
from dpgov.datasets.services import pause_questions, resume_questions
from dpgov.datasets.services.held.looks import let_begin
from dpgov.privacy.accounting.decimals import NANO
from dpgov.queries.asking.approval import NotAsApproved
from dpgov.queries.asking.gate import Paused
from dpgov.queries.asking.once import InvalidKey
from dpgov.queries.asking.policy import (
    NeedsApproval,
    OnlyReadyMade,
    OutsidePolicy,
)
from dpgov.queries.asking.submit import submit, submit_batch
from dpgov.queries.models import BudgetRequest, Query, Refusal
from dpgov.queries.workbench.budget_requests import (
    decline_request,
    withdraw_request,
)
from dpgov.tenants.models import Membership, Role
from tests.cast import join
from tests.integration.queries.asking.approving import (
    PLAN,
    approved,
    ask,
    held_for_a_while,
    moved_away_and_back,
    needs_approval,
    new_version,
    requested,
    waited_for_a_look,
)
from tests.integration.queries.conftest import lower_limit
from tests.integration.queries.ready_made.published import VALUES, published
from tests.integration.queries.ready_made.published import ask as ask_ready_made
from tests.made_once import made_once
from tests.triggers import without_triggers

pytestmark = pytest.mark.django_db
Unchanged = Callable[[], AbstractContextManager[None]]


@pytest.fixture(autouse=True)
def above_half(dataset: Dataset) -> None:
    """Above ε 0.5 a question needs an owner."""
    needs_approval(dataset)


@made_once
def approval(analyst: Membership, owner: Membership, dataset: Dataset) -> BudgetRequest:
    """Of a count at ε 1."""
    return approved(analyst, owner, dataset)


def _dated(approval: BudgetRequest, ago: timedelta) -> None:
    """As if it had been answered so long ago."""
    assert approval.answered_at
    with without_triggers("queries_budgetrequest"):
        moved = approval.answered_at - ago
        BudgetRequest.objects.filter(pk=approval.pk).update(answered_at=moved)


def test_it_is_asked_at_its_price_and_admitted_like_every_question(
    approval: BudgetRequest, analyst: Membership, dataset: Dataset, answer_all: Callable[[], int]
) -> None:
    """Asking and approving hold nothing; then it is one ordinary question."""
    assert Budget.objects.get(pk=dataset.budget_id).committed_nano == 0
    query = ask(analyst, approval)
    assert (query.approval, query.cost_nano) == (approval, NANO)
    assert Budget.objects.get(pk=dataset.budget_id).reserved_nano == NANO
    detail = json.loads(AuditEntry.objects.get(action="QUERY_SUBMITTED").detail)
    assert detail["approval"] == str(approval.pk)
    assert answer_all() == 1
    assert Query.objects.get(pk=query.pk).state == Query.State.RELEASED


def test_both_steps_are_in_the_log_with_the_plan_and_the_price(approval: BudgetRequest) -> None:
    wanted = json.loads(AuditEntry.objects.get(action="APPROVAL_REQUESTED").detail)
    given = json.loads(AuditEntry.objects.get(action="QUESTION_APPROVED").detail)
    assert wanted["plan"] == given["plan"] == approval.plan
    assert (wanted["epsilon"], wanted["reason"]) == ("1", "the spring study")
    assert (given["epsilon"], given["reason"]) == ("1", "for the study")


def test_without_it_every_service_refuses(
    analyst: Membership, dataset: Dataset, unchanged: Unchanged
) -> None:
    """L40: single, and as a part of a batch; no more than the threshold passes."""
    known: dict[str, Any] = {"membership": analyst, "dataset": dataset}
    with unchanged(), pytest.raises(NeedsApproval, match="approval of just this one"):
        submit(**known, raw_plan=PLAN, idempotency_key="k-1")
    batch = {"plans": [{"statistics": PLAN["statistics"]}] * 2, "epsilon": 1.5}
    with unchanged(), pytest.raises(NeedsApproval):
        submit_batch(**known, raw_batch=batch, idempotency_key="k-2")
    assert Refusal.objects.get().reason == Refusal.Reason.POLICY
    assert submit(**known, raw_plan=PLAN | {"epsilon": 0.5}, idempotency_key="k-3").created


def test_every_question_can_need_one_but_a_ready_made_one(
    analyst: Membership, owner: Membership, dataset: Dataset
) -> None:
    """L40: an owner published it, so an owner approved it."""
    needs_approval(dataset, 0)
    with pytest.raises(NeedsApproval, match="Each question"):
        submit(
            membership=analyst,
            dataset=dataset,
            raw_plan=PLAN | {"epsilon": 0.01},
            idempotency_key="k",
        )
    assert ask_ready_made(analyst, published(owner, dataset), VALUES).approval is None


def test_it_is_used_once(
    approval: BudgetRequest, analyst: Membership, unchanged: Unchanged
) -> None:
    """L40: again under another key is refused; the same key is the same question."""
    first = ask(analyst, approval, key="k-1")
    with unchanged(), pytest.raises(NotAsApproved, match="was used"):
        ask(analyst, approval)
    assert ask(analyst, approval, key="k-1") == first


@pytest.mark.parametrize(
    "changed",
    [
        {"epsilon": 1.1},
        {"epsilon": 0.9},
        {"statistics": [{"statistic": "mean", "column": "age"}]},
        {"where": [{"column": "age", "op": ">=", "value": 30}]},
        {"group_by": [{"column": "sex"}]},
    ],
)
def test_another_plan_or_price_is_not_approved(
    approval: BudgetRequest, analyst: Membership, unchanged: Unchanged, changed: dict[str, Any]
) -> None:
    """L40: and the refusal does not use it up."""
    with unchanged(), pytest.raises(NotAsApproved, match="approved another question"):
        ask(analyst, approval, PLAN | changed)
    assert ask(analyst, approval).approval == approval


def test_it_is_for_one_person_and_one_dataset(
    approval: BudgetRequest,
    dataset: Dataset,
    stranger: Membership,
    foreign_dataset: Dataset,
    unchanged: Unchanged,
) -> None:
    """L40: another analyst, and somebody of another organisation, find no such approval."""
    bert = join(dataset.tenant, Role.ANALYST, "bert")
    fred = join(stranger.tenant, Role.ANALYST, "fred")
    for asker, of in ((bert, dataset), (fred, foreign_dataset)):
        with unchanged(), pytest.raises(NotAsApproved, match="no such approval"):
            ask(asker, approval, of=of)


def test_what_is_not_granted_lets_nothing_be_asked(
    analyst: Membership, owner: Membership, dataset: Dataset, unchanged: Unchanged
) -> None:
    """L40: waiting, declined and withdrawn ones."""
    sent = requested(analyst, dataset)
    with unchanged(), pytest.raises(NotAsApproved, match="No owner has approved"):
        ask(analyst, sent)
    decline_request(membership=owner, request_id=sent.pk, answer="not needed")
    with unchanged(), pytest.raises(NotAsApproved, match="No owner has approved"):
        ask(analyst, sent)
    again = requested(analyst, dataset)
    withdraw_request(membership=analyst, request_id=again.pk)
    with unchanged(), pytest.raises(NotAsApproved, match="No owner has approved"):
        ask(analyst, again)


def test_it_ends_after_fourteen_days(
    approval: BudgetRequest, analyst: Membership, unchanged: Unchanged
) -> None:
    """L40: a minute before it holds, from then on it does not."""
    _dated(approval, timedelta(days=14))
    with unchanged(), pytest.raises(NotAsApproved, match="held for 14 days"):
        ask(analyst, approval)
    _dated(approval, timedelta(days=14) - timedelta(minutes=1))
    assert ask(analyst, approval).approval == approval


def _paused_for_a_while(dataset: Dataset, owner: Membership) -> None:
    pause_questions(dataset=dataset, user=owner.user, reason="a doubt")
    resume_questions(dataset=dataset, user=owner.user)


def _frozen_for_a_while(dataset: Dataset, owner: Membership) -> None:
    freeze_tenant(tenant_id=dataset.tenant_id, reason="restored")
    budget = Budget.objects.get(pk=dataset.budget_id)
    confirm_budget(budget=budget, actor=OPERATOR, reason="compared")


@pytest.mark.parametrize(
    ("happens", "said"),
    [
        (held_for_a_while, "were paused since"),
        (waited_for_a_look, "were paused since"),
        (new_version, "newer version"),
        (_paused_for_a_while, "were paused since"),
        (_frozen_for_a_while, "was frozen since"),
        (moved_away_and_back, "your membership has changed"),
    ],
)
def test_what_happens_meanwhile_ends_it(
    approval: BudgetRequest,
    analyst: Membership,
    owner: Membership,
    dataset: Dataset,
    unchanged: Unchanged,
    happens: Callable[[Dataset, Membership], None],
    said: str,
) -> None:
    """L40: also what is over again when it is asked."""
    happens(dataset, owner)
    with unchanged(), pytest.raises(NotAsApproved, match=said):
        ask(analyst, approval)


def test_a_look_that_ends_no_hold_leaves_it(
    approval: BudgetRequest, analyst: Membership, officer: Membership, dataset: Dataset
) -> None:
    """L40: whatever the officer writes about it; questions went on."""
    said = '"begins":true'
    let_begin(version=current_version(dataset), membership=officer, reason=said)
    assert ask(analyst, approval).approval == approval


def test_every_other_rule_and_limit_binds_as_ever(
    approval: BudgetRequest, analyst: Membership, dataset: Dataset, unchanged: Unchanged
) -> None:
    """L40: an approval keeps no budget and passes no other rule; it is not used up by a refusal."""
    needs_approval(dataset, only_ready_made=True)
    with unchanged(), pytest.raises(OnlyReadyMade):
        ask(analyst, approval)
    needs_approval(dataset, statistics=("mean",))
    with unchanged(), pytest.raises(OutsidePolicy, match="does not allow"):
        ask(analyst, approval)
    needs_approval(dataset)
    pause_questions(dataset=dataset, user=dataset.owner, reason="a doubt")
    with pytest.raises(Paused):
        ask(analyst, approval)
    Dataset.objects.filter(pk=dataset.pk).update(paused_at=None)
    lower_limit(dataset, NANO - 1)
    with unchanged(), pytest.raises(InsufficientBudget):
        ask(analyst, approval)
    assert not Query.objects.exists()


def test_no_key_of_a_program_is_that_of_the_button(
    analyst: Membership, owner: Membership, dataset: Dataset, client_for: Callable[..., Client]
) -> None:
    """L40: whoever names a key after an approval takes its button away from nobody."""
    approval = approved(analyst, owner, dataset)
    for key in (f"approval-{approval.pk}", f"approval {approval.pk}"):
        with suppress(InvalidKey):
            submit(
                membership=analyst,
                dataset=dataset,
                raw_plan=PLAN | {"epsilon": 0.1},
                idempotency_key=key,
            )
    assert Query.objects.count() == 1
    answer = client_for(analyst).post(f"/requests/{approval.pk}/ask/", {})
    assert answer["Location"] == f"/queries/{Query.objects.get(approval=approval).pk}/"
