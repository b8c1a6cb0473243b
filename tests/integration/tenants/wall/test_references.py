"""H2: a row cannot point into another tenant, not even one that was written past the policies."""

from typing import Any
from uuid import uuid4

import pytest
from django.db import IntegrityError, connection, transaction

from dpgov.budgets.models import Budget, BudgetAccess
from dpgov.datasets.models import Dataset, DatasetVersion
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership, Project, ProjectMember
from dpgov.tenants.wall.raising import foreign_keys
from tests.integration.tenants.wall.conftest import rows
from tests.triggers import without_triggers

pytestmark = pytest.mark.django_db
Two = tuple[Membership, Membership]


def test_every_reference_between_tenants_rows_carries_the_tenant() -> None:
    """H2: enumerated from the models, found in the database."""
    found = rows(
        "SELECT conrelid::regclass::text, conname FROM pg_constraint"
        " WHERE contype = 'f' AND convalidated AND conname LIKE 'wall%'"
    )
    wanted = [(table, name) for table, name, _ in foreign_keys()]
    assert sorted(found) == sorted(wanted)
    assert len(wanted) >= 15


@pytest.mark.parametrize(
    ("model", "field", "target", "guard"),
    [
        # Nobody swaps data or a budget alone, whosever it is: those guards are the first.
        (Query, "dataset", Dataset, "a question stays with the data"),
        (Query, "version", DatasetVersion, "a question stays with the data"),
        (Dataset, "budget", Budget, "a dataset shares another budget"),
        (ProjectMember, "project", Project, "wall_project_id"),
    ],
)
def test_a_row_cannot_be_led_into_another_tenant(
    model: Any, field: str, target: Any, guard: str, two_tenants: Two
) -> None:
    """H2: as the owner who sees all; the database itself refuses it, by the name of the guard."""
    ours, theirs = two_tenants
    foreign = target.objects.filter(tenant=theirs.tenant).first()
    row = model.objects.filter(tenant=ours.tenant).first()
    with pytest.raises(IntegrityError, match=guard), transaction.atomic():
        model.objects.filter(pk=row.pk).update(**{field: foreign})


@pytest.mark.parametrize(
    ("field", "target", "key"),
    [("dataset", Dataset, "wall_dataset_id"), ("version", DatasetVersion, "wall_version_id")],
)
def test_behind_the_guard_of_a_question_its_references_hold(
    field: str, target: Any, key: str, two_tenants: Two
) -> None:
    """H2: whoever lifts one still meets the other."""
    ours, theirs = two_tenants
    foreign = target.objects.filter(tenant=theirs.tenant).first()
    mine = Query.objects.filter(tenant=ours.tenant)
    with (
        without_triggers("queries_query"),
        pytest.raises(IntegrityError, match=key),
        transaction.atomic(),
    ):
        mine.update(**{field: foreign})
        connection.check_constraints()


def test_a_row_cannot_take_its_references_to_another_tenant(two_tenants: Two) -> None:
    """H2"""
    ours, theirs = two_tenants
    with pytest.raises(IntegrityError, match="wall_"), transaction.atomic():
        Query.objects.filter(tenant=ours.tenant).update(tenant=theirs.tenant)


def test_a_foreign_budget_is_held_only_where_its_owner_let_us(two_tenants: Two) -> None:
    """H2, F4: an entry needs the access that was agreed on."""
    ours, theirs = two_tenants
    budget = Budget.objects.filter(tenant=theirs.tenant)[0]
    hold = (
        "INSERT INTO budgets_reservation"
        " (tenant_id, budget_id, query_id, amount_nano, factor, state, created_at, counted_on)"
        " VALUES (%s, %s, %s, 1, 1, 'voided', now(), now())"
    )
    with pytest.raises(IntegrityError, match="wall_budget_id"), transaction.atomic():
        rows(hold, ours.tenant_id, budget.pk, uuid4())
    BudgetAccess.objects.create(budget=budget, tenant=ours.tenant)
    rows(hold, ours.tenant_id, budget.pk, uuid4())
