"""The ask form as a browser fills it in, and what a refusal must leave alone."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from dpgov.audit.actor import OPERATOR
from dpgov.audit.models import AuditEntry
from dpgov.budgets.models import Budget, Charge, Reservation
from dpgov.budgets.services import change_limit
from dpgov.datasets.models import Dataset
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from tests.made_once import made_once


@dataclass
class Filled:
    """A filled-in form: `add` puts in a row, `posted` is what the browser sends."""

    epsilon: str = "0.5"
    fields: dict[str, Any] = field(default_factory=dict)
    key: str = field(default_factory=lambda: str(uuid4()))

    def add(self, what: str, /, **values: Any) -> "Filled":
        rows = self.fields.setdefault(what, [])
        rows.append(str(len(rows)))
        for name, value in values.items():
            self.fields[f"{what}-{rows[-1]}-{name}"] = value
        return self

    def posted(self, **more: Any) -> dict[str, Any]:
        return {"epsilon": self.epsilon, "key": self.key, **self.fields, **more}


@pytest.fixture
def counting() -> Filled:
    """A form that asks for a count of all rows."""
    return Filled().add("statistic", kind="count")


@made_once
def browser(analyst: Membership, client_for: Callable[[Membership], Client]) -> Client:
    """The analyst's browser."""
    return client_for(analyst)


def lower_limit(dataset: Dataset, limit_nano: int) -> None:
    """The owner lowers the limit of the dataset's budget."""
    budget = Budget.objects.get(pk=dataset.budget_id)
    change_limit(budget=budget, limit_nano=limit_nano, actor=OPERATOR, reason="test")


def ledger_state() -> tuple[Any, ...]:
    """Everything that a refusal must leave as it was."""
    return (
        list(
            Budget.objects.order_by("pk").values_list("limit_nano", "reserved_nano", "spent_nano")
        ),
        Reservation.objects.count(),
        Charge.objects.count(),
        Query.objects.count(),
        AuditEntry.objects.count(),
    )


@pytest.fixture
def unchanged(dataset: Dataset) -> Callable[[], Any]:
    """`with unchanged():` nothing is spent, reserved, stored or logged inside."""

    @contextmanager
    def nothing_changes() -> Generator[None]:
        before = ledger_state()
        yield
        assert ledger_state() == before

    return nothing_changes


@pytest.fixture
def answer_now(answer_all: Callable[[], int]) -> Callable[[], int]:
    """Answer and publish what waits."""
    return answer_all


@pytest.fixture
def stored(
    analyst: Membership, ask: Callable[..., Query], answer_now: Callable[[], int]
) -> Callable[..., Query]:
    """A paid question whose answer may be seen."""

    def answered(raw: dict[str, Any]) -> Query:
        query = ask(analyst, **raw)
        answer_now()
        query.refresh_from_db()
        return query

    return answered
