"""What was booked or published is not changed, whoever asks."""

import uuid

import pytest
from django.db import DatabaseError, connection, transaction

from dpgov.budgets.models import Budget
from dpgov.budgets.services import Line, reserve, settle
from tests.integration.budgets.conftest import NANO

TABLES = ["budgets_charge", "budgets_limitchange"]


@pytest.mark.django_db
@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("statement", ["UPDATE {} SET created_at = created_at", "DELETE FROM {}"])
def test_the_database_refuses_to_change_the_ledger(
    budget: Budget, table: str, statement: str
) -> None:
    """A7: UPDATE and DELETE as the application's own database role."""
    query_id = uuid.uuid4()
    reserve(query_id=query_id, tenant_id=budget.tenant_id, lines=[Line(budget.id, NANO)])
    settle(query_id=query_id, amount_nano=NANO)
    with (
        pytest.raises(DatabaseError, match="append-only"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(statement.format(table))
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM {table}")
        assert cursor.fetchone()[0] == 1
