"""The ledger against a small, obviously correct model of it, on random sequences of steps."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
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
from dpgov.budgets.services import (
    Line,
    change_limit,
    expire,
    open_budget,
    reserve,
    settle,
    void,
)
from dpgov.tenants.models import Tenant
from tests.agreed import move_as_two
from tests.examples import examples

IDS = [uuid.UUID(int=number) for number in range(1, 9)]
AMOUNTS = st.integers(min_value=1, max_value=40)


@dataclass
class Model:
    """Ten lines that a person can check by eye."""

    limit: int = 100
    spent: int = 0
    held: dict[uuid.UUID, int] = field(default_factory=dict)
    used: set[uuid.UUID] = field(default_factory=set)

    @property
    def reserved(self) -> int:
        return sum(self.held.values())


class LedgerMachine(RuleBasedStateMachine):
    @initialize()
    def begin(self) -> None:
        self.transaction = transaction.atomic()
        self.transaction.__enter__()
        tenant = Tenant.objects.create(slug="model", name="Model")
        self.budget = open_budget(tenant=tenant, label="model", limit_nano=100)
        self.model = Model()

    @contextmanager
    def expect(self, admitted: bool) -> Iterator[None]:
        """The step must be admitted or refused exactly as the model says."""
        if admitted:
            yield
        else:
            with pytest.raises(LedgerRefusal):
                yield

    @rule(query_id=st.sampled_from(IDS), amount=AMOUNTS)
    def reserve(self, query_id: uuid.UUID, amount: int) -> None:
        model = self.model
        fits = model.spent + model.reserved + amount <= model.limit
        admitted = fits and query_id not in model.used
        with self.expect(admitted):
            reserve(
                query_id=query_id,
                tenant_id=self.budget.tenant_id,
                lines=[Line(self.budget.pk, amount)],
            )
        if admitted:
            model.held[query_id] = amount
            model.used.add(query_id)

    @rule(query_id=st.sampled_from(IDS), amount=AMOUNTS)
    def settle(self, query_id: uuid.UUID, amount: int) -> None:
        booked = self.model.held.get(query_id, amount)
        with self.expect(query_id in self.model.held):
            settle(query_id=query_id, amount_nano=booked)
        self.model.spent += self.model.held.pop(query_id, 0)

    @rule(query_id=st.sampled_from(IDS), give_back=st.sampled_from([void, expire]))
    def give_back(self, query_id: uuid.UUID, give_back: object) -> None:
        with self.expect(query_id in self.model.held):
            give_back(query_id=query_id)  # type: ignore[operator]
        self.model.held.pop(query_id, None)

    @rule(limit=st.integers(min_value=1, max_value=200))
    def change_limit(self, limit: int) -> None:
        admitted = limit >= self.model.spent + self.model.reserved
        with self.expect(admitted):
            self._set_limit(limit)
        if admitted:
            self.model.limit = limit

    def _set_limit(self, limit: int) -> None:
        """One person lowers; what two persons have approved raises by the step below that."""
        if limit <= self.model.limit:
            change_limit(budget=self.budget, limit_nano=limit, actor=OPERATOR, reason="model")
        else:
            stored = Budget.objects.get(pk=self.budget.pk)
            move_as_two(budget=stored, limit_nano=limit, reason="model")

    @invariant()
    def balances_are_equal(self) -> None:
        if not hasattr(self, "model"):
            return
        stored = Budget.objects.get(pk=self.budget.pk)
        expected = (self.model.limit, self.model.reserved, self.model.spent)
        assert (stored.limit_nano, stored.reserved_nano, stored.spent_nano) == expected
        assert ledger_findings() == []

    def teardown(self) -> None:
        if hasattr(self, "transaction"):
            transaction.set_rollback(True)
            self.transaction.__exit__(None, None, None)


@pytest.mark.django_db
def test_the_ledger_and_a_small_model_agree_on_every_balance() -> None:
    """A3, F2: reserve, settle, void, expire, raise, lower, repeat an id."""
    run_state_machine_as_test(
        LedgerMachine,
        settings=examples(60, stateful_step_count=40, suppress_health_check=list(HealthCheck)),
    )
