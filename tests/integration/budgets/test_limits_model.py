"""Several limits at once against a model: parts, allocations, rates, freezing, corrections."""

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

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
from dpgov.budgets.models import Budget, Correction, RateLimit
from dpgov.budgets.services import (
    Line,
    allocate,
    change_limit,
    confirm_budget,
    correct,
    expire,
    freeze_tenant,
    open_budget,
    open_parts,
    reserve,
    set_rate_limit,
    settle,
    void,
    withdraw,
)
from dpgov.budgets.services.corrections import REFUND
from dpgov.tenants.models import Role, Tenant
from tests.agreed import agree
from tests.cast import join
from tests.examples import examples
from tests.integration.budgets.limits_books import PARTS, Books, Limit, Question

IDS = [uuid.UUID(int=number) for number in range(1, 13)]
AMOUNTS = st.integers(min_value=1, max_value=30)
# What one question touches, in whatever order it is named.
WAYS = st.sampled_from(
    [("north", "south", "grant"), ("grant", "south"), ("north",), ("other",), ("south", "north")]
)
# Noon of a Monday, so that days, weeks and months all turn over while a test runs.
MONDAY = datetime(2026, 6, 22, 12, tzinfo=UTC)


class LimitsMachine(RuleBasedStateMachine):
    @initialize()
    def begin(self) -> None:
        self.transaction = transaction.atomic()
        self.transaction.__enter__()
        self.tenant = Tenant.objects.create(slug="model", name="Model")
        divided = open_budget(tenant=self.tenant, label="divided", limit_nano=100)
        open_parts(budget=divided, parts=PARTS)
        other = open_budget(tenant=self.tenant, label="other", limit_nano=100)
        self.person = join(self.tenant, Role.ANALYST, "anna").user
        self.allocation = allocate(
            dataset_budget=divided,
            holder=self.person,
            limit_nano=100,
            actor=OPERATOR,
            reason="model",
        )
        lines = {line.part: line.budget for line in divided.parts.all()}
        self.budgets = {
            **lines,
            "divided": divided,
            "other": other,
            "grant": self.allocation.budget,
        }
        names = (*PARTS, "other", "grant")
        self.books = Books(MONDAY, {name: Limit() for name in names})

    @contextmanager
    def expect(self, admitted: bool) -> Iterator[None]:
        """The step must be admitted or refused exactly as the model says."""
        if admitted:
            yield
        else:
            with pytest.raises(LedgerRefusal):
                yield

    @rule(query_id=st.sampled_from(IDS), way=WAYS, amount=AMOUNTS, factor=st.integers(1, 2))
    def reserve(self, query_id: uuid.UUID, way: tuple[str, ...], amount: int, factor: int) -> None:
        admitted = query_id not in self.books.questions and all(
            self.books.admits(name, amount * factor) for name in way
        )
        lines = [Line(self.budgets[name].pk, amount * factor, factor) for name in way]
        with self.expect(admitted):
            reserve(query_id=query_id, tenant_id=self.tenant.pk, lines=lines, moment=self.books.now)
        if admitted:
            days = {name: self.books.day(name) for name in way}
            self.books.questions[query_id] = Question(way, amount, factor, days)
            for name, day in days.items():
                self.books.limits[name].latest = day

    @rule(query_id=st.sampled_from(IDS))
    def settle(self, query_id: uuid.UUID) -> None:
        question = self.books.questions.get(query_id)
        held = question is not None and question.state == "held"
        with self.expect(held):
            lines = settle(query_id=query_id, amount_nano=question.amount if question else 1)
        if question is not None and held:
            question.state = "settled"
            assert {line.budget_id for line in lines} == {
                self.budgets[name].pk for name in question.way
            }

    @rule(query_id=st.sampled_from(IDS), give_back=st.sampled_from([void, expire]))
    def give_back(self, query_id: uuid.UUID, give_back: Callable[..., object]) -> None:
        question = self.books.questions.get(query_id)
        held = question is not None and question.state == "held"
        with self.expect(held):
            give_back(query_id=query_id)
        if question is not None and held:
            question.state = "given back"

    @rule(days=st.integers(1, 5), back=st.booleans())
    def wait(self, days: int, back: bool) -> None:
        """L14: or the clock is set back."""
        self.books.now += timedelta(days=-days if back else days)

    @rule(
        name=st.sampled_from(["divided", "other", "grant"]),
        period=st.sampled_from(list(RateLimit.Period)),
        limit=st.none() | st.integers(1, 60),
    )
    def set_rate(self, name: str, period: RateLimit.Period, limit: int | None) -> None:
        set_rate_limit(
            budget=self.budgets[name],
            period=period,
            limit_nano=limit,
            actor=OPERATOR,
            moment=self.books.now,
        )
        for one in PARTS if name == "divided" else (name,):
            self.books.limits[one].rates.pop(period.value, None)
            if limit is not None:
                self.books.limits[one].rates[period.value] = limit
                self.books.limits[one].latest = self.books.day(one)

    @rule(limit=st.integers(1, 100))
    def lower(self, limit: int) -> None:
        lines = [self.books.limits[name] for name in PARTS]
        lower = limit <= lines[0].limit
        admitted = lower and all(self.books.committed(name) <= limit for name in PARTS)
        with self.expect(admitted):
            change_limit(
                budget=self.budgets["divided"], limit_nano=limit, actor=OPERATOR, reason="model"
            )
        if admitted:
            for line in lines:
                line.limit = limit

    @rule(limit=st.integers(1, 150))
    def grant(self, limit: int) -> None:
        admitted = self.books.committed("grant") <= limit
        with self.expect(admitted):
            allocate(
                dataset_budget=self.budgets["divided"],
                holder=self.person,
                limit_nano=limit,
                actor=OPERATOR,
                reason="model",
            )
        if admitted:
            self.books.limits["grant"].limit, self.books.limits["grant"].closed = limit, False

    @rule()
    def withdraw(self) -> None:
        if not self.books.limits["grant"].closed:
            withdraw(allocation=self.allocation, actor=OPERATOR, reason="model")
            self.books.limits["grant"].closed = True

    @rule()
    def freeze(self) -> None:
        freeze_tenant(tenant_id=self.tenant.pk, reason="model")
        self.books.frozen = {"divided", "other"}

    @rule(name=st.sampled_from(["divided", "other"]), missing=st.none() | AMOUNTS)
    def confirm(self, name: str, missing: int | None) -> None:
        if name not in self.books.frozen:
            return
        lines = PARTS if name == "divided" else (name,)
        fits = all(
            self.books.committed(o) + (missing or 0) <= self.books.limits[o].limit for o in lines
        )
        with self.expect(fits):
            confirm_budget(
                budget=self.budgets[name], actor=OPERATOR, reason="model", missing_nano=missing
            )
        if fits:
            self.books.frozen.discard(name)
            for one in lines:
                self.books.limits[one].corrected += missing or 0

    @rule(name=st.sampled_from(["north", "other"]), amount=AMOUNTS)
    def carry_over(self, name: str, amount: int) -> None:
        admitted = self.books.committed(name) + amount <= self.books.limits[name].limit
        with self.expect(admitted):
            correct(
                budget=self.budgets[name],
                kind=Correction.Kind.CARRIED_OVER,
                amount_nano=amount,
                reason="model",
            )
        if admitted:
            self.books.limits[name].corrected += amount

    @rule(query_id=st.sampled_from(IDS))
    def refund(self, query_id: uuid.UUID) -> None:
        """Two persons agree each time; the ledger gives back once."""
        question = self.books.questions.get(query_id)
        if question is None or question.state != "settled":
            return
        name = question.way[0]
        admitted = name not in question.refunded
        agree(self.budgets[name].tenant, REFUND, query=str(query_id))
        with self.expect(admitted):
            correct(
                budget=self.budgets[name],
                kind=Correction.Kind.REFUND,
                amount_nano=-question.amount * question.factor,
                reason="model",
                query_id=query_id,
            )
        question.refunded.add(name)

    @invariant()
    def balances_are_equal(self) -> None:
        if not hasattr(self, "books"):
            return
        stored = Budget.objects.in_bulk([budget.pk for budget in self.budgets.values()])
        for name, limit in self.books.limits.items():
            row = stored[self.budgets[name].pk]
            expected = (limit.limit, self.books.spent(name), self.books.sums(name, "held"))
            assert (row.limit_nano, row.spent_nano, row.reserved_nano) == expected, name
            assert row.remaining_nano >= 0
        dataset = stored[self.budgets["divided"].pk]
        assert dataset.spent_nano == max(map(self.books.spent, PARTS))
        assert dataset.committed_nano == max(map(self.books.committed, PARTS))

    def teardown(self) -> None:
        if hasattr(self, "transaction"):
            findings = ledger_findings()
            transaction.set_rollback(True)
            self.transaction.__exit__(None, None, None)
            assert findings == []


@pytest.mark.django_db
def test_many_limits_and_a_small_model_agree_on_every_balance() -> None:
    """A3, L14: parts, allocations, rates over weeks whose clock is set forward and back, freezing,
    closing, carrying over and refunds.
    """
    run_state_machine_as_test(
        LimitsMachine,
        settings=examples(40, stateful_step_count=30, suppress_health_check=list(HealthCheck)),
    )
