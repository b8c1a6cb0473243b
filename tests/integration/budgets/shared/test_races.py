"""Who shares a budget changes while questions are being submitted: none is forgotten."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from unittest.mock import patch
from uuid import uuid4

import pytest
from django.db import connection, transaction

from dpgov.audit.actor import OPERATOR
from dpgov.budgets.errors import BudgetsMoved, InsufficientBudget, LedgerRefusal
from dpgov.budgets.findings import ledger_findings
from dpgov.budgets.models import Budget, Charge
from dpgov.budgets.services.shared_budgets import join_shared_budget
from dpgov.datasets.models import Dataset
from dpgov.queries.asking.submit import submit
from dpgov.queries.asking.touched import lines_of
from dpgov.tenants.models import Membership, Tenant
from tests.agreed import merge_as_two, split_as_two
from tests.integration.budgets.shared.sharing import (
    NANO,
    acting,
    charge,
    committed,
    dataset_budget,
    fresh,
    members,
    shared_budget,
)
from tests.integration.children import run_at_once
from tests.integration.meeting import Turn, until_somebody_waits

pytestmark = pytest.mark.django_db(transaction=True)
PROCESSES = 16
_PLAN = {"statistics": [{"statistic": "count"}], "where": [], "group_by": [], "epsilon": 0.1}


@dataclass
class Between:
    """Something else happens between reading what to charge and charging it, once."""

    read: Turn
    done: Turn
    times: int = 0

    def after(self, read_lines: Callable[..., object]) -> Callable[..., object]:
        def around(*arguments: object, **named: object) -> object:
            lines = read_lines(*arguments, **named)
            self.times += 1
            if self.times == 1 and connection.vendor == "postgresql":
                # SQLite has one writer: the other one begins when this one is done.
                self.read.give()
                self.done.wait()
            return lines

        return around

    def meanwhile(self, step: Callable[[], object]) -> None:
        if connection.vendor == "postgresql":
            self.read.wait()
        step()
        self.done.give()


def join(shared: Budget, other: Budget, dataset: Budget) -> object:
    return join_shared_budget(shared_budget=shared, dataset_budget=dataset, actor=OPERATOR)


def merge(shared: Budget, other: Budget, dataset: Budget) -> object:
    return merge_as_two(into=shared, other=other, reason="same")


def split(shared: Budget, other: Budget, dataset: Budget) -> object:
    return split_as_two(
        shared_budget=other, leaving=[dataset.pk], tenant=other.tenant, name="Apart", reason="x"
    )


@pytest.mark.parametrize(("step", "counted_in"), [(join, "One"), (merge, "One"), (split, "Apart")])
def test_a_question_that_was_reserved_but_not_committed_yet_is_waited_for(
    tenant: Tenant, step: Callable[..., object], counted_in: str
) -> None:
    """A1: what is carried over is read under the locks that the reservation holds."""
    dataset, neighbour = dataset_budget(tenant, "dataset"), dataset_budget(tenant, "neighbour")
    shared = shared_budget(tenant, "One")
    other = shared_budget(tenant, "Two", neighbour, *([] if step is join else [dataset]))
    reserved, done = Turn(), Turn()

    def ask() -> None:
        with transaction.atomic():
            charge(dataset, NANO)
            reserved.give()
            until_somebody_waits(done)

    def change() -> None:
        reserved.wait()
        with acting(tenant):
            step(shared, other, dataset)
        done.give()

    assert run_at_once([ask, change]) == [0, 0]
    assert committed(Budget.objects.get(label=counted_in)) == NANO
    assert ledger_findings() == []


def question(membership: Membership, dataset: Dataset) -> None:
    plan = {**_PLAN, "dataset": dataset.slug}
    submit(membership=membership, dataset=dataset, raw_plan=plan, idempotency_key=str(uuid4()))


def test_a_question_whose_dataset_joins_in_the_very_moment_is_charged_to_both(
    dataset: Dataset, analyst: Membership
) -> None:
    """A1: the lines were read before the dataset joined; the reservation finds that out."""
    shared = shared_budget(dataset.tenant, "Residents")
    between = Between(Turn(), Turn())

    def ask() -> int:
        with patch("dpgov.queries.asking.submit.lines_of", between.after(lines_of)):
            question(analyst, dataset)
        return between.times

    def join() -> None:
        between.meanwhile(
            lambda: join_shared_budget(
                shared_budget=shared, dataset_budget=dataset.budget, actor=OPERATOR
            )
        )

    times, _ = run_at_once([ask, join])
    assert times == (2 if connection.vendor == "postgresql" else 1)
    assert committed(shared) == committed(dataset.budget) == NANO // 10


def test_a_question_whose_shared_budget_is_merged_in_the_very_moment_is_charged_to_the_kept_one(
    dataset: Dataset, analyst: Membership
) -> None:
    """A1"""
    other = shared_budget(dataset.tenant, "Other", dataset.budget)
    kept = shared_budget(dataset.tenant, "Kept")
    between = Between(Turn(), Turn())

    def ask() -> int:
        with patch("dpgov.queries.asking.submit.lines_of", between.after(lines_of)):
            question(analyst, dataset)
        return between.times

    def merge() -> None:
        with acting(dataset.tenant):
            between.meanwhile(lambda: merge_as_two(into=kept, other=other, reason="same"))

    run_at_once([ask, merge])
    assert committed(kept) == committed(dataset.budget) == NANO // 10
    assert fresh(other).closed_at is not None


def test_whenever_a_dataset_joins_every_question_on_it_counts_once(
    dataset: Dataset, analyst: Membership
) -> None:
    """A1, A2: fifteen processes ask; one joins among them; none is forgotten or counted twice."""
    shared = shared_budget(dataset.tenant, "Residents")

    def ask() -> None:
        for _ in range(4):
            question(analyst, dataset)

    def join() -> None:
        join_shared_budget(shared_budget=shared, dataset_budget=dataset.budget, actor=OPERATOR)

    assert run_at_once([*[ask] * (PROCESSES - 1), join]) == [0] * PROCESSES
    assert committed(dataset.budget) == (PROCESSES - 1) * 4 * NANO // 10
    assert committed(shared) == committed(dataset.budget)
    assert ledger_findings() == []


def test_whenever_shared_budgets_merge_every_loss_is_in_the_kept_one(tenant: Tenant) -> None:
    """A1, A2: fourteen processes charge both sides, one merges, one joins; no limit is passed."""
    one, two, three = (dataset_budget(tenant, name) for name in "123")
    kept = shared_budget(tenant, "Kept", one, limit=100)
    other = shared_budget(tenant, "Other", two, limit=90)

    def take(budget: Budget) -> int:
        return sum(_admitted(budget) for _ in range(10))

    def merge() -> None:
        with acting(tenant):
            merge_as_two(into=kept, other=other, reason="same people")

    def join() -> None:
        join_shared_budget(shared_budget=kept, dataset_budget=three, actor=OPERATOR)

    steps = [lambda budget=(one, two)[n % 2]: take(budget) for n in range(PROCESSES - 2)]
    codes = run_at_once([*steps, merge, join])
    assert codes[-2:] == [0, 0]
    assert members(kept) == sorted([one.pk, two.pk, three.pk])
    assert sum(codes) == committed(one) + committed(two) == committed(kept)
    assert committed(kept) <= fresh(kept).limit_nano
    assert ledger_findings() == []


def _admitted(budget: Budget) -> int:
    """One question of one nano-ε, submitted as the pages do it: once more when it was moved."""
    for _ in range(3):
        try:
            with transaction.atomic():
                charge(budget, 1)
        except BudgetsMoved:
            continue
        except InsufficientBudget:
            return 0
        return 1
    return 99


def test_two_that_would_end_each_other_do_not_deadlock(tenant: Tenant) -> None:
    """A2: opposing merges, splits and joins at once: one after another, each refused or done."""
    ones = [dataset_budget(tenant, f"one {n}") for n in range(4)]
    twos = [dataset_budget(tenant, f"two {n}") for n in range(4)]
    first = shared_budget(tenant, "First", *ones)
    second = shared_budget(tenant, "Second", *twos)

    def attempt(step: Callable[[], object]) -> int:
        try:
            with acting(tenant):
                step()
        except LedgerRefusal:
            return 1
        return 0

    def merge(into: Budget, other: Budget) -> int:
        return attempt(lambda: merge_as_two(into=into, other=other, reason="x"))

    def leave(shared: Budget, gone: Budget, name: str) -> int:
        return attempt(
            lambda: split_as_two(
                shared_budget=shared, leaving=[gone.pk], tenant=tenant, name=name, reason="x"
            )
        )

    steps: list[Callable[[], int]] = [lambda: merge(first, second), lambda: merge(second, first)]
    steps += [partial(leave, first, ones[n], f"a{n}") for n in range(3)]
    steps += [partial(leave, second, twos[n], f"b{n}") for n in range(3)]
    codes = run_at_once(steps)
    assert set(codes) <= {0, 1}
    assert codes[:2].count(0) == 1
    assert all(_has_one_open_shared_budget(budget) for budget in (*ones, *twos))
    assert ledger_findings() == []
    assert not Charge.objects.exists()


def _has_one_open_shared_budget(budget: Budget) -> bool:
    present = budget.shared_budgets.filter(left_at__isnull=True)
    return [member.shared_budget.closed_at for member in present] == [None]
