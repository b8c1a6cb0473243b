"""M64, M65: two datasets of the same people become one, by declarations alone, whole or not at all.

What could leak: rows matched by anything but the unit, or with a loss counted in another way, would
take more of people than is charged; how long it took, how many matched or why it failed would tell
its owner of rows that somebody else brought. What could overspend: a second budget for people who
have one.
"""

import itertools
import json
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import duckdb
import pytest
from django.conf import settings
from django.db import DatabaseError, transaction

from dpgov.audit.models import AuditEntry
from dpgov.budgets.findings import ledger_findings
from dpgov.budgets.models import Budget, DerivedBudget
from dpgov.datasets import storage
from dpgov.datasets.cubes import cubes_in
from dpgov.datasets.models import Arrival, Dataset, DatasetVersion, DerivedFrom
from dpgov.datasets.selectors import current_version, schema_of
from dpgov.datasets.services import (
    DeclaredParent,
    OneAtATime,
    ask_derived,
    change_new_data_rule,
    engine_for,
)
from dpgov.datasets.services.derived import making
from dpgov.datasets.services.files.data import sees
from dpgov.datasets.services.fingerprint_key import key_id
from dpgov.datasets.tasks import read_next
from dpgov.engines import child
from dpgov.engines.child import RefusedFile
from dpgov.engines.cubes.keeping import layouts_in
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.plan.cubes import answers, cubes_of
from dpgov.privacy.plan.request import ExactRequest, Measure, MeasureKind, UnitBounds
from dpgov.privacy.plan.schema import InvalidDomain, Neighbouring, PrivacyUnit
from dpgov.tenants.models import Membership
from tests.eager import read_waiting
from tests.integration.children import Death, run
from tests.integration.datasets.arrivals.conftest import files
from tests.integration.datasets.derived.conftest import derive_here
from tests.integration.datasets.derived.family import (
    COSTS,
    DAYS,
    DERIVATION,
    PAID,
    asked,
    derived,
    parents,
    registered,
)

Pair = tuple[Dataset, Dataset]


def test_it_has_the_declarations_of_both_and_a_bound_of_its_own(
    owner: Membership, both: Dataset, visits_and_costs: Pair
) -> None:
    """M64, L41: one transaction and one entry, which names what it was made of."""
    version = current_version(both)
    schema = schema_of(version)
    assert [spec.name for spec in schema.columns] == ["ward", "days", "paid"]
    assert schema.columns[1].domain == DAYS.domain
    assert schema.unit.private_id == "id"
    assert (schema.unit.max_rows_per_unit, schema.max_rows, schema.group_size) == (3, 200, 1)
    assert sees(version.pk, version.file_seal, key_id())
    with duckdb.connect(str(storage.data_path(version.pk)), read_only=True) as connection:
        cubes = layouts_in(connection)
    # Counted from its own rows, as many of each person as it declares.
    assert cubes == cubes_of(schema.columns, max_rows=200, rows_of_unit=3)
    assert cubes == cubes_in(version, schema.columns)
    request = ExactRequest((), (), (Measure(MeasureKind.ROWS),), UnitBounds(3))
    assert answers(cubes[0], request)
    assert engine_for(version).answer(request) == ((4,),)
    of = set(DerivedBudget.objects.values_list("budget", "parent"))
    assert of == {(both.budget_id, parent.budget_id) for parent in visits_and_costs}
    (entry,) = AuditEntry.objects.filter(action="DATASET_DERIVED")
    named = json.loads(entry.detail)["derived_from"]
    assert [(one["dataset"], one["version"]) for one in named] == [("visits", 1), ("costs", 1)]


def test_equal_names_want_a_prefix(owner: Membership, visits_and_costs: Pair) -> None:
    second = DeclaredParent("costs", 1, ("paid", "days"))
    with pytest.raises(InvalidDomain) as refused:
        asked(owner, second=second, rows_of_unit=2)
    assert refused.value.field == "prefix_second"
    made = derived(owner, second=replace(second, prefix="cost "), rows_of_unit=2)
    names = [spec.name for spec in schema_of(current_version(made)).columns]
    assert names == ["ward", "days", "cost paid", "cost days"]


CHANGES: list[tuple[dict[str, Any], str]] = [
    ({"second": DeclaredParent("visits", 1, ("days",))}, "second"),
    ({"second": DeclaredParent("missing", 1, ())}, "second"),
    ({"first": DeclaredParent("visits", 3, ("days",))}, "rows_first"),
    ({"second": DeclaredParent("costs", 0, ("paid",))}, "rows_second"),
    ({"first": DeclaredParent("visits", 2, ("id",))}, "columns_first"),
    ({"first": DeclaredParent("visits", 2, ("days", "days"))}, "columns_first"),
    (
        {"first": DeclaredParent("visits", 2, ()), "second": DeclaredParent("costs", 2, ())},
        "columns_first",
    ),
    ({"rows_of_unit": 5}, "rows_of_unit"),
    ({"rows_of_unit": 0}, "rows_of_unit"),
    ({"limit_nano": 11 * NANO}, "epsilon_limit"),
    ({"per_query_limit_nano": 3 * NANO}, "epsilon_per_query"),
]


@pytest.mark.parametrize(("changes", "field"), CHANGES, ids=str)
def test_anything_else_is_refused_at_its_field(
    owner: Membership, visits_and_costs: Pair, changes: dict[str, Any], field: str
) -> None:
    """M64: before anything waits; nothing was changed."""
    with pytest.raises(InvalidDomain) as refused:
        asked(owner, **changes)
    assert refused.value.field == field
    assert not Arrival.objects.exists()


@pytest.mark.parametrize(
    "change",
    [
        {"neighbouring": Neighbouring.CHANGE_ONE},
        {"group_size": 2},
        {"unit": PrivacyUnit()},
        {},
    ],
    ids=str,
)
def test_two_that_do_not_promise_the_same_are_refused(
    owner: Membership, change: dict[str, Any]
) -> None:
    """M64: without a shared budget, under another relation, for groups of another size."""
    registered(owner, "Visits", "id,days,ward\np1,3,North\n", (DAYS,), **change)
    registered(owner, "Costs", COSTS, (PAID,))
    with pytest.raises(InvalidDomain) as refused:
        asked(owner, first=DeclaredParent("visits", 1, ("days",)))
    assert refused.value.field in ("first", "second")


def test_what_was_derived_is_no_parent(owner: Membership, both: Dataset) -> None:
    """M64: and the database says so, of the ledger and of the rows."""
    with pytest.raises(InvalidDomain, match="derived itself"):
        asked(owner, first=DeclaredParent(both.slug, 1, ("days",)))
    rows = DerivedFrom.objects.all()
    for change in (rows.delete, lambda: rows.update(rows_of_unit=9)):
        with pytest.raises(DatabaseError), transaction.atomic():
            change()
    with pytest.raises(DatabaseError), transaction.atomic():
        Dataset.objects.filter(pk=both.pk).update(is_derived=False)
    first = rows.first()
    assert first is not None
    first.pk, first.dataset_id, first.parent_id = None, first.parent_id, both.pk
    with pytest.raises(DatabaseError), transaction.atomic():
        first.save(force_insert=True)


def test_another_tenants_dataset_is_no_parent(
    stranger: Membership, owner: Membership, visits_and_costs: Pair
) -> None:
    """M64: to them there is none of this name."""
    with pytest.raises(InvalidDomain, match="There is no dataset"):
        ask_derived(membership=stranger, derivation=DERIVATION)


def test_a_second_one_waits_for_the_first(owner: Membership, visits_and_costs: Pair) -> None:
    first = asked(owner)
    assert asked(owner).pk == first.pk
    with pytest.raises(OneAtATime):
        asked(owner, name="Another")
    assert Arrival.objects.count() == 1


def test_a_new_version_of_a_parent_leaves_it(owner: Membership, visits_and_costs: Pair) -> None:
    """Asked for version 1, made of version 1, whatever came in between."""
    from dpgov.datasets.services import change_unit_bounds

    arrival = asked(owner)
    change_unit_bounds(dataset=visits_and_costs[0], max_rows=1, max_groups=None, user=owner.user)
    read_waiting()
    arrival.refresh_from_db()
    assert list(DerivedFrom.objects.values_list("version__number", flat=True)) == [1, 1]


def test_where_new_data_waits_for_an_officer_it_waits_too(
    owner: Membership, officer: Membership, visits_and_costs: Pair
) -> None:
    """M64: the house's rule for two persons holds for it."""
    change_new_data_rule(tenant=owner.tenant, waits=True, user=officer.user)
    made = derived(owner)
    assert made.held_reason == Dataset.HeldReason.NEW_DATA


@pytest.mark.parametrize("problem", [RefusedFile("more memory than 200 rows"), child.FullDisk()])
def test_whatever_fails_says_one_thing_at_one_moment(
    owner: Membership,
    visits_and_costs: Pair,
    problem: Exception,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """M65: a reader that died over these rows tells nothing of them, and nothing is left."""
    arrival, waited = asked(owner), []
    monkeypatch.setattr(making, "await_moment", lambda _, rows, *__: waited.append(rows))

    def dies(*_: Any, **__: Any) -> None:
        raise problem

    with patch.object(child, "derive", dies):
        read_waiting()
    arrival.refresh_from_db()
    assert arrival.state == Arrival.State.REFUSED
    assert "could not be put together" in json.dumps(arrival.outcome)
    assert "memory" not in json.dumps(arrival.outcome)
    assert waited == [400]
    (entry,) = AuditEntry.objects.filter(action="DATASET_NOT_DERIVED", actor_id=owner.user_id)
    told = json.loads(entry.detail)
    assert (told["name"], len(told)) == ("Visits and costs", 2)
    assert [one["name"] for one in told["derived_from"]] == ["Visits", "Costs"]
    assert (arrival.rows_read, arrival.bytes_read) == (0, 0)
    assert Dataset.objects.count() == 2 == Budget.objects.filter(kind="dataset").count()


def test_nothing_is_made_for_somebody_who_was_removed_meanwhile(
    owner: Membership, visits_and_costs: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    """L13, M64: it is looked at again in the transaction that would record it."""

    def derive_without_them(*args: Any, **kwargs: Any) -> None:
        Membership.objects.filter(pk=owner.pk).delete()
        derive_here(*args, **kwargs)

    arrival, before = asked(owner), files("data")
    monkeypatch.setattr(child, "derive", derive_without_them)
    read_next()
    arrival.refresh_from_db()
    assert arrival.state == Arrival.State.CANCELLED
    assert Dataset.objects.count() == len(visits_and_costs)
    assert files("data") == before


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("stride", [11, pytest.param(1, marks=pytest.mark.long)])
def test_a_worker_that_dies_at_any_statement_leaves_it_to_another(
    owner: Membership, stride: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """M65: no half version, budget or link; one dataset and one entry for each that was asked."""
    monkeypatch.setattr(settings, "DPGOV_LEASE_SECONDS", 0)
    parents(owner)
    with patch.object(child, "derive", derive_here):
        for count in itertools.count():
            arrival, point = asked(owner, name=f"Both {count}"), count * stride
            code = run(read_next, Death(statement=1 + point // 2, after=bool(point % 2)))
            assert code in (0, -9)
            read_waiting()
            arrival.refresh_from_db()
            assert arrival.state == Arrival.State.DONE
            if code == 0:
                break
    assert point >= 20
    assert ledger_findings() == []
    made = Dataset.objects.filter(is_derived=True).count()
    assert made == count + 1 == AuditEntry.objects.filter(action="DATASET_DERIVED").count()
    assert DerivedFrom.objects.count() == DerivedBudget.objects.count() == 2 * made
    kept = {f"{pk}.duckdb" for pk in DatasetVersion.objects.values_list("pk", flat=True)}
    assert {name for name in files("data") if name.endswith(".duckdb")} >= kept
    assert not {name for name in files("data") if ".draft" in name}
