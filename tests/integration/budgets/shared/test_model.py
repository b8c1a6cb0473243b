"""Shared budgets against a small model that knows which questions each group of people was in."""

import uuid
from dataclasses import dataclass, field

import pytest
from django.db import transaction
from hypothesis import HealthCheck
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from dpgov.audit.actor import OPERATOR
from dpgov.budgets.errors import LedgerRefusal
from dpgov.budgets.findings import ledger_findings
from dpgov.budgets.models import Budget
from dpgov.budgets.services import settle, void
from dpgov.budgets.services.shared_budgets import join_shared_budget, open_shared_budget
from dpgov.tenants.models import Tenant
from tests.agreed import merge_as_two, split_as_two
from tests.examples import examples
from tests.integration.budgets.shared.sharing import acting, charge, dataset_budget

DATASETS = range(5)
PLACES = st.sampled_from(DATASETS)
SHARES = st.integers(min_value=0, max_value=5)


@dataclass
class Model:
    """Which questions were about the people of a dataset, and of a shared budget as a whole.

    Sets, so that a question counts once for a person, however the shared budgets came about.
    """

    asked: dict[uuid.UUID, set[uuid.UUID]] = field(default_factory=dict)
    about: dict[uuid.UUID, set[uuid.UUID]] = field(default_factory=dict)
    home: dict[uuid.UUID, uuid.UUID] = field(default_factory=dict)
    cost: dict[uuid.UUID, int] = field(default_factory=dict)

    def loss(self, questions: set[uuid.UUID]) -> int:
        """The true sum over these questions; one that never opened the data costs nothing."""
        return sum(self.cost[query_id] for query_id in questions)


class SharedBudgetMachine(RuleBasedStateMachine):
    @initialize()
    def begin(self) -> None:
        self.transaction = transaction.atomic()
        self.transaction.__enter__()
        self.tenant = Tenant.objects.create(slug="model", name="Model")
        self.acting = acting(self.tenant)
        self.acting.__enter__()
        self.datasets = [dataset_budget(self.tenant, f"d{n}", limit=60) for n in DATASETS]
        self.shared_budgets: list[Budget] = []
        self.held: list[uuid.UUID] = []
        self.model = Model(asked={budget.pk: set() for budget in self.datasets})

    def chosen(self, number: int) -> Budget | None:
        return (
            self.shared_budgets[number % len(self.shared_budgets)] if self.shared_budgets else None
        )

    @rule(limit=st.integers(min_value=5, max_value=80))
    def open(self, limit: int) -> None:
        if len(self.shared_budgets) > 5:
            return
        name = f"p{len(self.shared_budgets)}-{uuid.uuid4()}"
        shared = open_shared_budget(tenant=self.tenant, name=name, limit_nano=limit, actor=OPERATOR)
        self.shared_budgets.append(shared)
        self.model.about[shared.pk] = set()

    @rule(place=PLACES, number=SHARES)
    def join(self, place: int, number: int) -> None:
        shared, dataset = self.chosen(number), self.datasets[place]
        if shared is None:
            return
        try:
            with transaction.atomic():
                join_shared_budget(shared_budget=shared, dataset_budget=dataset, actor=OPERATOR)
        except LedgerRefusal:
            return
        assert dataset.pk not in self.model.home
        self.model.home[dataset.pk] = shared.pk
        self.model.about[shared.pk] |= self.model.asked[dataset.pk]

    @rule(place=PLACES, amount=st.integers(min_value=1, max_value=9))
    def ask(self, place: int, amount: int) -> None:
        dataset, query_id = self.datasets[place], uuid.uuid4()
        try:
            with transaction.atomic():
                charge(dataset, amount, query_id)
        except LedgerRefusal:
            return
        self.held.append(query_id)
        self.model.cost[query_id] = amount
        self.model.asked[dataset.pk].add(query_id)
        if dataset.pk in self.model.home:
            self.model.about[self.model.home[dataset.pk]].add(query_id)

    @rule(number=st.integers(min_value=0, max_value=30), opened=st.booleans())
    def end(self, number: int, opened: bool) -> None:
        if not self.held:
            return
        query_id = self.held.pop(number % len(self.held))
        if opened:
            settle(query_id=query_id, amount_nano=self.model.cost[query_id])
        else:
            void(query_id=query_id)
            self.model.cost[query_id] = 0

    @rule(one=SHARES, two=SHARES)
    def merge(self, one: int, two: int) -> None:
        into, other = self.chosen(one), self.chosen(two)
        if into is None or other is None or into.pk == other.pk:
            return
        before = [Budget.objects.get(pk=budget.pk) for budget in (into, other)]
        merge_as_two(into=into, other=other, reason="model")
        after = Budget.objects.get(pk=into.pk)
        total = sum(budget.committed_nano for budget in before)
        assert after.committed_nano == total
        assert after.limit_nano == max(min(budget.limit_nano for budget in before), total)
        self.shared_budgets.remove(other)
        self.model.about[into.pk] |= self.model.about.pop(other.pk)
        for dataset, home in self.model.home.items():
            if home == other.pk:
                self.model.home[dataset] = into.pk

    @rule(number=SHARES, places=st.sets(PLACES, min_size=1, max_size=3))
    def split(self, number: int, places: set[int]) -> None:
        shared = self.chosen(number)
        if shared is None:
            return
        going = {self.datasets[place].pk for place in places}
        name = str(uuid.uuid4())
        try:
            with transaction.atomic():
                split_as_two(
                    shared_budget=shared, leaving=going, tenant=self.tenant, name=name, reason="m"
                )
        except LedgerRefusal:
            return
        apart = Budget.objects.get(label=name)
        self.shared_budgets.append(apart)
        self.model.about[apart.pk] = set(self.model.about[shared.pk])
        self.model.home |= dict.fromkeys(going, apart.pk)

    @invariant()
    def nobody_lost_more_than_their_shared_budget_knows(self) -> None:
        """Also somebody who is in every dataset of the shared budget and was in all that merged."""
        if not hasattr(self, "model"):
            return
        for shared in Budget.objects.filter(pk__in=self.model.about):
            assert shared.committed_nano >= self.model.loss(self.model.about[shared.pk])
            assert shared.remaining_nano >= 0
        for dataset in Budget.objects.filter(pk__in=self.model.asked):
            assert dataset.committed_nano == self.model.loss(self.model.asked[dataset.pk])
            home = self.model.home.get(dataset.pk)
            present = dataset.shared_budgets.filter(left_at__isnull=True)
            assert [member.shared_budget_id for member in present] == ([home] if home else [])
        assert ledger_findings() == []

    def teardown(self) -> None:
        if hasattr(self, "transaction"):
            self.acting.__exit__(None, None, None)
            transaction.set_rollback(True)
            self.transaction.__exit__(None, None, None)


@pytest.mark.django_db
def test_no_shared_budget_forgets_what_anybody_in_it_lost() -> None:
    """A3, F11: open, join, ask, settle, void, merge, split and leave in any order."""
    run_state_machine_as_test(
        SharedBudgetMachine,
        settings=examples(40, stateful_step_count=30, suppress_health_check=list(HealthCheck)),
    )
