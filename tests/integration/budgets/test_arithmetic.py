"""Sums that floats would get wrong, and recounts that find what counters hide."""

import uuid

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from django.db.models import F

from dpgov.budgets.errors import InsufficientBudget
from dpgov.budgets.findings import ledger_findings
from dpgov.budgets.history import spending_thinned
from dpgov.budgets.models import Budget
from dpgov.budgets.services import Line, open_budget, reserve, settle, void
from dpgov.privacy.accounting.decimals import parse_epsilon
from tests.integration.budgets.conftest import NANO, Balances
from tests.triggers import without_triggers

pytestmark = pytest.mark.django_db


def test_a_limit_of_0_3_admits_exactly_three_charges_of_0_1(budget: Budget) -> None:
    """A6: 0.1 + 0.1 + 0.1 is 0.3 here, and a fourth tenth is refused."""
    small = open_budget(tenant=budget.tenant, label="small", limit_nano=parse_epsilon("0.3"))
    for _ in range(3):
        query_id = uuid.uuid4()
        reserve(
            query_id=query_id,
            tenant_id=budget.tenant_id,
            lines=[Line(small.id, parse_epsilon("0.1"))],
        )
        settle(query_id=query_id, amount_nano=parse_epsilon("0.1"))
    with pytest.raises(InsufficientBudget):
        reserve(query_id=uuid.uuid4(), tenant_id=budget.tenant_id, lines=[Line(small.id, 1)])
    assert Budget.objects.get(pk=small.pk).remaining_nano == 0


def test_a_million_charges_of_one_nano_add_up_exactly(budget: Budget, balances: Balances) -> None:
    """A6: a million rows in the ledger itself; the recount agrees to the last nano-ε."""
    for table, columns, values in (
        ("budgets_reservation", ", state, factor, counted_on", ", 'settled', 1, CURRENT_DATE"),
        ("budgets_charge", ", spent_after_nano", ", n"),
    ):
        _insert_a_million(budget, table, columns, values)
    Budget.objects.filter(pk=budget.pk).update(spent_nano=F("spent_nano") + 1_000_000)
    assert balances() == (10 * NANO, 0, 1_000_000)
    assert ledger_findings() == []


def _insert_a_million(budget: Budget, table: str, columns: str, values: str) -> None:
    """One statement; ids count upwards in the database's own form of a UUID."""
    postgresql = connection.vendor == "postgresql"
    query_id = "lpad(to_hex(n), 32, '0')::uuid" if postgresql else "printf('%%032x', n)"
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            WITH RECURSIVE counter(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counter
                                          WHERE n < 1000000)
            INSERT INTO {table} (tenant_id, budget_id, query_id, amount_nano, created_at{columns})
            SELECT %s, %s, {query_id}, 1, CURRENT_TIMESTAMP{values} FROM counter
            """,
            [str(key) if postgresql else key.hex for key in (budget.tenant_id, budget.pk)],
        )


def test_spending_over_time_ends_at_the_stored_balance(budget: Budget, balances: Balances) -> None:
    """A4: replaying the entries gives the counters."""
    first, second, third = (uuid.uuid4() for _ in range(3))
    for query_id, amount in ((first, 3), (second, 5), (third, 7)):
        reserve(query_id=query_id, tenant_id=budget.tenant_id, lines=[Line(budget.id, amount)])
    settle(query_id=first, amount_nano=3)
    void(query_id=second)
    last = spending_thinned(budget)[0][-1]
    assert (last.limit_nano, last.reserved_nano, last.spent_nano) == balances() == (10 * NANO, 7, 3)


@pytest.mark.tampers_with_ledger
@pytest.mark.parametrize(
    ("counter", "word"),
    [("spent_nano", "spent"), ("reserved_nano", "reserved"), ("limit_nano", "limit")],
)
def test_a_counter_that_moved_by_itself_is_found(budget: Budget, counter: str, word: str) -> None:
    """A4: the command names the budget and the counter, and exits with an error."""
    with without_triggers():
        Budget.objects.filter(pk=budget.pk).update(**{counter: F(counter) + 1})
    assert [finding for finding in ledger_findings() if word in finding and "Census" in finding]
    with pytest.raises(CommandError, match="1 disagreements"):
        call_command("verify_ledger")


def test_the_command_says_how_much_it_checked(
    budget: Budget, capsys: pytest.CaptureFixture[str]
) -> None:
    """A4: a clean ledger says so."""
    call_command("verify_ledger")
    assert "1 budgets add up" in capsys.readouterr().out


@pytest.mark.parametrize(
    "numbers",
    [{"spent_nano": 10 * NANO + 1}, {"reserved_nano": -1}, {"spent_nano": -1}, {"limit_nano": -1}],
)
def test_the_database_itself_refuses_an_overspent_budget(
    budget: Budget, balances: Balances, numbers: dict[str, int]
) -> None:
    """A1: the CHECK constraint stands behind the conditional update."""
    with pytest.raises(IntegrityError), transaction.atomic():
        Budget.objects.filter(pk=budget.pk).update(**numbers)
    assert balances() == (10 * NANO, 0, 0)
