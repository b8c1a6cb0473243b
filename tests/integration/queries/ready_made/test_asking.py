"""L29: a ready-made question is asked as it was published, at its price, within its quota."""

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any
from uuid import uuid4

import pytest
from django.db import DatabaseError, transaction

from dpgov.audit.models import AuditEntry
from dpgov.budgets.allocated import AllocationNeeded
from dpgov.budgets.errors import InsufficientBudget
from dpgov.budgets.findings import ledger_findings
from dpgov.budgets.models import Budget
from dpgov.datasets.models import Dataset
from dpgov.datasets.rules import Rules
from dpgov.datasets.services import change_policy, pause_questions
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.plan.plan import InvalidPlan
from dpgov.queries.asking.gate import Paused
from dpgov.queries.asking.once import IdempotencyConflict
from dpgov.queries.asking.policy import OutsidePolicy, QueryLimitExceeded
from dpgov.queries.asking.ready_made import QuotaUsedUp, Withdrawn, offered_to
from dpgov.queries.models import Query, ReadyMade, Refusal
from dpgov.queries.workbench.ready_made import NotAnOwner, ReadyMadeNameTaken, withdraw
from dpgov.tenants.models import Membership, Role
from tests.cast import join
from tests.integration.children import run_at_once
from tests.integration.queries.conftest import lower_limit
from tests.integration.queries.ready_made.published import PARAMETERS, PLAN, ask, draft, published
from tests.made_once import made_once
from tests.triggers import without_triggers

pytestmark = pytest.mark.django_db
Unchanged = Callable[[], AbstractContextManager[None]]


@made_once
def women(owner: Membership, dataset: Dataset) -> ReadyMade:
    """Women from an age on, at ε 0.1."""
    return published(owner, dataset)


def test_it_is_admitted_like_every_other_question(
    women: ReadyMade, analyst: Membership, dataset: Dataset, answer_all: Callable[[], int]
) -> None:
    query = ask(analyst, women)
    assert query.cost_nano == women.cost_nano == NANO // 10
    assert query.plan["where"][0] == {"column": "age", "op": ">=", "value": 30}
    assert Budget.objects.get(pk=dataset.budget_id).reserved_nano == NANO // 10
    detail = json.loads(AuditEntry.objects.get(action="QUERY_SUBMITTED").detail)
    assert (detail["ready_made"], detail["ready_made_name"]) == (str(women.pk), women.name)
    assert answer_all() == 1
    assert Query.objects.get(pk=query.pk).state == Query.State.RELEASED


@pytest.mark.parametrize(
    ("values", "path"),
    [
        ({"from age": 17, "sex": "Female"}, "values.from age"),
        ({"from age": 66, "sex": "Female"}, "values.from age"),
        ({"from age": "x", "sex": "Female"}, "values.from age"),
        ({"from age": 30, "sex": "Male"}, "values.sex"),
        ({"from age": 30, "sex": ["Female"]}, "values.sex"),
        ({"from age": 30}, "values.sex"),
        ({"from age": 30, "sex": "Female", "epsilon": 2}, "values.epsilon"),
        ({"from age": {"parameter": "sex"}, "sex": "Female"}, "values.from age"),
        ([], "values"),
        ("", "values"),
    ],
)
def test_nothing_but_what_was_declared_goes_into_its_blanks(
    women: ReadyMade, analyst: Membership, unchanged: Unchanged, values: object, path: str
) -> None:
    """L29: a value outside the declared range or choices, or any other part of a plan."""
    with unchanged(), pytest.raises(InvalidPlan) as refused:
        ask(analyst, women, values)
    assert path in [problem.path for problem in refused.value.problems]


def test_a_withdrawn_one_is_asked_no_more(
    women: ReadyMade, owner: Membership, analyst: Membership, dataset: Dataset, unchanged: Unchanged
) -> None:
    """L29: what was asked before stays, and its key names it still."""
    before = ask(analyst, women, key="k-1")
    withdraw(membership=owner, dataset=dataset, ready_made_id=women.pk)
    withdraw(membership=owner, dataset=dataset, ready_made_id=women.pk)
    assert AuditEntry.objects.filter(action="READY_MADE_WITHDRAWN").count() == 1
    with unchanged(), pytest.raises(Withdrawn):
        ask(analyst, women)
    assert ask(analyst, women, key="k-1") == before
    assert offered_to(analyst.user, dataset) == []


def test_another_dataset_s_and_another_tenant_s_are_not_there(
    stranger: Membership,
    analyst: Membership,
    dataset: Dataset,
    foreign_dataset: Dataset,
    unchanged: Unchanged,
) -> None:
    """L29: under whatever dataset it is named."""
    foreign = published(stranger, foreign_dataset)
    with unchanged(), pytest.raises(Withdrawn):
        ask(analyst, foreign, of=dataset)
    with pytest.raises(ReadyMade.DoesNotExist):
        withdraw(
            membership=join(dataset.tenant, Role.OWNER, "otto"),
            dataset=foreign_dataset,
            ready_made_id=foreign.pk,
        )


def test_its_price_permit_and_switch_are_the_owner_s_own(
    owner: Membership, analyst: Membership, dataset: Dataset
) -> None:
    """L29: it needs no permit, and passes where nothing else does; all other rules still bind."""
    rules = {"approval_above_nano": NANO // 100, "only_ready_made": True}
    change_policy(dataset=dataset, rules=Rules(NANO, **rules), user=owner.user)  # type: ignore[arg-type]
    women = published(owner, dataset)
    assert ask(analyst, women).ready_made == women
    change_policy(
        dataset=dataset,
        rules=Rules(NANO, statistics=("mean",), only_ready_made=True),
        user=owner.user,
    )
    with pytest.raises(OutsidePolicy, match="does not allow"):
        ask(analyst, women)


def test_the_budget_allocations_and_a_pause_bind_as_ever(
    women: ReadyMade, owner: Membership, analyst: Membership, dataset: Dataset, unchanged: Unchanged
) -> None:
    """L29: a published question promises no budget."""
    lower_limit(dataset, NANO // 20)
    with unchanged(), pytest.raises(InsufficientBudget):
        ask(analyst, women)
    Dataset.objects.filter(pk=dataset.pk).update(needs_allocation=True)
    with unchanged(), pytest.raises(AllocationNeeded):
        ask(analyst, women, of=Dataset.objects.get(pk=dataset.pk))
    pause_questions(dataset=dataset, user=owner.user, reason="a doubt")
    with pytest.raises(Paused):
        ask(analyst, women)


def test_a_quota_is_for_each_analyst_and_for_all(
    owner: Membership, analyst: Membership, dataset: Dataset
) -> None:
    """L29: refused in words, and counted like any refusal of the policy."""
    women = published(owner, dataset, per_analyst=1, altogether=2)
    bert = join(dataset.tenant, Role.ANALYST, "bert")
    carl = join(dataset.tenant, Role.ANALYST, "carl")
    ask(analyst, women)
    with pytest.raises(QuotaUsedUp, match=r"as often as you may \(1\)"):
        ask(analyst, women)
    ask(bert, women)
    with pytest.raises(QuotaUsedUp, match=r"by all together \(2\)"):
        ask(carl, women)
    assert Query.objects.count() == 2
    assert Refusal.objects.filter(reason=Refusal.Reason.POLICY).count() == 2
    (offered,) = offered_to(analyst.user, dataset)
    assert (offered.left_for_me, offered.left_for_all, offered.is_used_up) == (0, 0, True)


def test_a_retry_under_one_key_counts_once(
    owner: Membership, analyst: Membership, dataset: Dataset
) -> None:
    """L29: the same request again is the same question; with other values it is refused."""
    women = published(owner, dataset, per_analyst=2)
    first = ask(analyst, women, key="k-1")
    assert ask(analyst, women, key="k-1") == first
    with pytest.raises(IdempotencyConflict):
        ask(analyst, women, {"from age": 31, "sex": "Female"}, key="k-1")
    assert offered_to(analyst.user, dataset)[0].left_for_me == 1


def test_a_question_that_was_given_back_may_be_asked_again(
    owner: Membership, analyst: Membership, dataset: Dataset
) -> None:
    women = published(owner, dataset, per_analyst=1)
    query = ask(analyst, women)
    with without_triggers():
        Query.objects.filter(pk=query.pk).update(state=Query.State.VOIDED)
        assert offered_to(analyst.user, dataset)[0].left_for_me == 1
        Query.objects.filter(pk=query.pk).update(state=query.state)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"parameters": []}, "Say what"),
        ({"parameters": [*PARAMETERS, PARAMETERS[0]]}, "twice"),
        ({"parameters": [PARAMETERS[0], {**PARAMETERS[1], "choices": ["Other"]}]}, "Unknown"),
        ({"parameters": [PARAMETERS[0], {**PARAMETERS[1], "choices": []}]}, "Must have"),
        ({"parameters": [{**PARAMETERS[0], "from": -1}, PARAMETERS[1]]}, "outside the declared"),
        ({"parameters": [{**PARAMETERS[0], "to": 101}, PARAMETERS[1]]}, "outside the declared"),
        ({"parameters": [{**PARAMETERS[0], "from": 66}, PARAMETERS[1]]}, "swap"),
        ({"parameters": [{**PARAMETERS[0], "column": "hours"}, PARAMETERS[1]]}, "is a value of"),
        ({"plan": {**PLAN, "epsilon": {"parameter": "from age"}}}, "Say how much|number"),
        ({"plan": {**PLAN, "where": []}}, "stands nowhere"),
    ],
)
def test_what_is_not_whole_is_not_published(
    owner: Membership, dataset: Dataset, changed: dict[str, Any], said: str
) -> None:
    """L29: only values can be left open, and only within what the column declares."""
    with pytest.raises(InvalidPlan, match=said):
        published(owner, dataset, **changed)
    assert not ReadyMade.objects.exists()


def test_owners_publish_under_free_names_and_within_their_own_policy(
    women: ReadyMade, owner: Membership, analyst: Membership, dataset: Dataset
) -> None:
    with pytest.raises(ReadyMadeNameTaken):
        published(owner, dataset)
    with pytest.raises(NotAnOwner):
        published(analyst, dataset, name="Other")
    with pytest.raises(QueryLimitExceeded):
        published(owner, dataset, name="Dear", plan={**PLAN, "epsilon": 5})
    entry = json.loads(AuditEntry.objects.get(action="READY_MADE_PUBLISHED").detail)
    assert entry["epsilon"] == "0.1"
    assert entry["parameters"] == women.parameters
    assert draft().name == entry["name"]


def test_the_database_keeps_it_as_it_was_published(women: ReadyMade, analyst: Membership) -> None:
    """L29: no plan, price or quota changes under its name, and none is asked once withdrawn."""
    asked = ask(analyst, women)
    rows = ReadyMade.objects.filter(pk=women.pk)
    for changed in ({"plan": PLAN}, {"cost_nano": 1}, {"per_analyst": 9}, {"altogether": 9}):
        with pytest.raises(DatabaseError, match="never changed"), transaction.atomic():
            rows.update(**changed)
    rows.update(withdrawn_at=women.published_at, withdrawn_by=women.published_by)
    with pytest.raises(DatabaseError, match="never changed"), transaction.atomic():
        rows.update(withdrawn_at=None, withdrawn_by=None)
    asked.pk, asked.idempotency_key = uuid4(), "by hand"
    with pytest.raises(DatabaseError, match="as long as it is published"), transaction.atomic():
        asked.save(force_insert=True)


@pytest.mark.django_db(transaction=True)
def test_a_quota_holds_against_eight_who_ask_at_once(
    owner: Membership, analyst: Membership, dataset: Dataset
) -> None:
    """L29 and A1: counted under the lock of its row, in the transaction that accepts."""
    women = published(owner, dataset, altogether=5)

    def ask_twice() -> int:
        admitted = 0
        for _ in range(2):
            try:
                ask(analyst, women)
                admitted += 1
            except QuotaUsedUp:
                pass
        return admitted

    assert sum(run_at_once([ask_twice] * 8)) == 5
    assert Query.objects.count() == 5
    assert ledger_findings() == []


@pytest.mark.django_db(transaction=True)
def test_one_key_sent_eight_times_at_once_is_one_question_of_the_quota(
    owner: Membership, analyst: Membership, dataset: Dataset
) -> None:
    """L29: the quota of one is not used up for the twins of the question that used it."""
    women = published(owner, dataset, per_analyst=1, altogether=1)

    def ask_once() -> int:
        return 7 if ask(analyst, women, key="k-1").ready_made_id == women.pk else 1

    assert run_at_once([ask_once] * 8) == [7] * 8
    assert Query.objects.count() == 1
