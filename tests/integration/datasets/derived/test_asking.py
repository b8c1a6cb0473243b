"""M66, M67: a question about joined rows is charged everywhere, and keeps the rules of both.

What could leak: somebody who may not see one of two datasets reads it through what was derived from
it; a pause, a hold, terms or a policy of a parent that do not hold there. Each is looked at by the
program and, behind it, by the database.
"""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
from django.db import IntegrityError, transaction
from django.http import Http404

from dpgov.audit.actor import OPERATOR
from dpgov.audit.models import AuditEntry
from dpgov.budgets.allocated import AllocationNeeded
from dpgov.budgets.models import Budget, Charge
from dpgov.budgets.services import allocate
from dpgov.datasets.finding import available_on
from dpgov.datasets.models import Dataset
from dpgov.datasets.rules import Rules, own_rules_of
from dpgov.datasets.selectors import current_version, datasets_of
from dpgov.datasets.services import (
    DeclaredParent,
    PausedDataset,
    RowsInDerived,
    archive_dataset,
    change_audience,
    change_policy,
    delete_data,
    delete_version_data,
    pause_questions,
    resume_questions,
    set_needs_allocation,
    set_terms,
)
from dpgov.datasets.storage import data_path
from dpgov.limits.ways import ways_to_ask
from dpgov.oversight.reconciliation.report import reconcile
from dpgov.privacy.accounting.decimals import NANO
from dpgov.queries.answering.lease import claim
from dpgov.queries.asking.gate import NotOpen, Paused, TermsNotAccepted
from dpgov.queries.asking.policy import OnlyReadyMade, QueryLimitExceeded
from dpgov.queries.asking.quote import quote
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership, Role
from dpgov.tenants.projects import add_project_member, create_project
from tests.cast import join
from tests.integration.datasets.derived.family import derived, newer, parents, shared_budget

Pair = tuple[Dataset, Dataset]
Ask = Callable[..., Query]
PLAN = {"statistics": [{"statistic": "count"}], "where": [], "group_by": []}


def _fits(user: Membership, dataset: Dataset) -> set[int]:
    """What fits by the price, the desk, the list of datasets and the page of limits."""
    fresh = datasets_of(user).get(pk=dataset.pk)
    priced = quote(user=user.user, dataset=fresh, raw_plan=PLAN | {"epsilon": 0.1})
    way = max(ways_to_ask(fresh, user), key=lambda one: one.fit_nano)
    return {
        priced.largest_fit_nano,
        way.fit_nano,
        available_on(user.user, [fresh])[fresh.pk].fit.nano,
    }


def test_an_answer_is_charged_to_both_parents_and_to_what_they_share(
    analyst: Membership, both: Dataset, visits_and_costs: Pair, ask: Ask, answer_all: Any
) -> None:
    """M66: log and ledger agree on it, and a fresh look at both finds nothing."""
    query = ask(analyst, of=both, epsilon=0.5)
    answer_all()
    query.refresh_from_db()
    assert query.state == Query.State.RELEASED
    charged = dict(Charge.objects.filter(query_id=query.pk).values_list("budget", "amount_nano"))
    whole = [both.budget, *(parent.budget for parent in visits_and_costs)]
    those = {budget.pk for budget in (*whole, shared_budget(visits_and_costs[0]))}
    assert charged == dict.fromkeys(those, NANO // 2)
    entry = AuditEntry.objects.get(action="QUERY_RELEASED")
    assert {line["budget"] for line in json.loads(entry.detail)["lines"]} == set(map(str, those))


def test_every_part_of_a_divided_parent_is_charged(
    owner: Membership, analyst: Membership, ask: Ask
) -> None:
    """M66: whoever is joined may lie in any part."""
    visits, _ = parents(owner, partition_column="ward")
    made = derived(owner, first=DeclaredParent(visits.slug, 2, ("ward", "days")))
    query = ask(analyst, of=made, epsilon=0.5)
    for part in Budget.objects.filter(as_part__dataset_budget=visits.budget):
        assert part.reserved_nano == NANO // 2
    assert query.state == Query.State.QUEUED


def test_one_value_says_what_fits(
    analyst: Membership, owner: Membership, both: Dataset, visits_and_costs: Pair, ask: Ask
) -> None:
    """M66: that of the narrowest, whichever of them it is."""
    assert _fits(analyst, both) == {NANO}
    costs = visits_and_costs[1]
    rules = replace(own_rules_of(costs), per_query_nano=NANO // 2)
    change_policy(dataset=costs, rules=rules, user=owner.user)
    assert _fits(analyst, both) == {NANO // 2}
    with pytest.raises(QueryLimitExceeded):
        ask(analyst, of=both, epsilon=0.6)
    for _ in range(4):
        ask(analyst, of=visits_and_costs[0], epsilon=2)
    for _ in range(3):
        ask(analyst, of=visits_and_costs[0], epsilon=0.6)
    assert _fits(analyst, both) == {NANO // 5}


def test_an_allocation_on_a_parent_is_charged_there(
    analyst: Membership, owner: Membership, both: Dataset, visits_and_costs: Pair, ask: Ask
) -> None:
    """M66: as if the parent had been asked; where a parent needs one, so does the derived one."""
    visits, costs = visits_and_costs
    set_needs_allocation(dataset=visits, needed=True, user=owner.user)
    fresh = Dataset.objects.get(pk=both.pk)
    with pytest.raises(AllocationNeeded):
        ask(analyst, of=fresh)
    assert ways_to_ask(fresh, analyst) == []
    assert available_on(analyst.user, [fresh])[fresh.pk].needs_allocation
    granted = allocate(
        dataset_budget=visits.budget,
        holder=analyst.user,
        limit_nano=NANO // 4,
        actor=OPERATOR,
        reason="",
    )
    assert _fits(analyst, both) == {NANO // 4}
    ask(analyst, of=fresh, epsilon=0.25)
    assert Budget.objects.get(pk=granted.pk).reserved_nano == NANO // 4
    assert costs.budget.allocations.count() == 0


@pytest.mark.parametrize("place", [0, 1])
def test_a_pause_of_a_parent_is_one_of_it(
    analyst: Membership,
    owner: Membership,
    both: Dataset,
    visits_and_costs: Pair,
    ask: Ask,
    place: int,
) -> None:
    """M67: new questions are refused, those that wait are not opened, and go on afterwards."""
    waits, parent = ask(analyst, of=both), visits_and_costs[place]
    pause_questions(dataset=parent, user=owner.user, reason="a mistake in the file")
    assert claim(waits.pk) is None
    with pytest.raises(Paused):
        ask(analyst, of=both)
    assert _fits_nothing(analyst, both)
    row = Query.objects.get(pk=waits.pk)
    row.pk, row.idempotency_key = uuid4(), "by hand"
    with pytest.raises(IntegrityError, match="paused"), transaction.atomic():
        row.save(force_insert=True)
    resume_questions(dataset=parent, user=owner.user)
    assert claim(waits.pk) is not None


def _fits_nothing(analyst: Membership, dataset: Dataset) -> bool:
    fresh = Dataset.objects.get(pk=dataset.pk)
    return not available_on(analyst.user, [fresh])[fresh.pk].fit.nano


@pytest.mark.parametrize("place", [0, 1])
def test_it_is_seen_and_asked_by_whom_both_parents_are(
    analyst: Membership,
    owner: Membership,
    both: Dataset,
    visits_and_costs: Pair,
    ask: Ask,
    place: int,
) -> None:
    """M67: to everybody else there is no such dataset, and the database takes no question."""
    other = join(owner.tenant, Role.ANALYST, "abel")
    change_audience(
        dataset=visits_and_costs[place], named_only=True, named=[other.pk], user=owner.user
    )
    assert both in datasets_of(other)
    assert both not in datasets_of(analyst)
    assert both in datasets_of(owner)
    ask(other, of=both)
    with pytest.raises(Http404):
        ask(analyst, of=both)
    row = Query.objects.get()
    row.pk, row.idempotency_key, row.analyst_id = uuid4(), "by hand", analyst.user_id
    with pytest.raises(IntegrityError, match="named"), transaction.atomic():
        row.save(force_insert=True)


def test_terms_of_a_parent_are_accepted_first(
    analyst: Membership, owner: Membership, both: Dataset, visits_and_costs: Pair, ask: Ask
) -> None:
    """M67: by the program, and by the database."""
    ask(analyst, of=both)
    set_terms(dataset=visits_and_costs[1], text="Publish no single ward.", user=owner.user)
    fresh = Dataset.objects.get(pk=both.pk)
    with pytest.raises(TermsNotAccepted, match="Costs"):
        ask(analyst, of=fresh)
    priced = quote(user=analyst.user, dataset=fresh, raw_plan=PLAN | {"epsilon": 0.1})
    assert priced.refusal is not None
    assert priced.terms_to_accept is None
    row = Query.objects.get()
    row.pk, row.idempotency_key = uuid4(), "by hand"
    with pytest.raises(IntegrityError, match="terms"), transaction.atomic():
        row.save(force_insert=True)


def test_the_policies_of_both_hold(
    analyst: Membership, owner: Membership, both: Dataset, visits_and_costs: Pair, ask: Ask
) -> None:
    """M67: the narrower of each rule; where both allow nothing in common, nothing is asked."""
    visits, costs = visits_and_costs
    ask(analyst, of=both)
    for parent, allowed in ((visits, ("count", "sum")), (costs, ("sum", "mean"))):
        rules = Rules(NANO, statistics=allowed)
        change_policy(dataset=parent, rules=rules, user=owner.user)
    with pytest.raises(QueryLimitExceeded):
        ask(analyst, of=both)
    change_policy(dataset=costs, rules=Rules(NANO, statistics=("mean",)), user=owner.user)
    with pytest.raises(OnlyReadyMade):
        ask(analyst, of=both)
    change_policy(dataset=costs, rules=Rules(NANO, only_ready_made=True), user=owner.user)
    row = Query.objects.get()
    row.pk, row.idempotency_key = uuid4(), "by hand"
    with pytest.raises(IntegrityError, match="ready-made"), transaction.atomic():
        row.save(force_insert=True)


def test_it_is_archived_and_deleted_with_a_parent(
    analyst: Membership, owner: Membership, both: Dataset, visits_and_costs: Pair, ask: Ask
) -> None:
    """M67: its rows are rows of the parent; each step has its entry. What was spent stays."""
    visits, file = visits_and_costs[0], data_path(current_version(both).pk)
    pause_questions(dataset=both, user=owner.user, reason="")
    with pytest.raises(PausedDataset, match="Visits and costs"):
        archive_dataset(dataset=visits, user=owner.user)
    resume_questions(dataset=both, user=owner.user)
    archive_dataset(dataset=visits, user=owner.user)
    assert both not in datasets_of(owner)
    with pytest.raises(NotOpen):
        ask(analyst, of=both)
    with transaction.atomic():
        delete_data(dataset=Dataset.objects.get(pk=visits.pk), user=owner.user)
    assert Dataset.objects.get(pk=both.pk).data_deleted_at is not None
    assert file.exists()
    entries = AuditEntry.objects.filter(action__startswith="DATASET_").order_by("pk")
    told = [(one.action, one.dataset) for one in entries][-4:]
    assert told == [
        ("DATASET_ARCHIVED", "visits-and-costs"),
        ("DATASET_ARCHIVED", "visits"),
        ("DATASET_DATA_DELETED", "visits-and-costs"),
        ("DATASET_DATA_DELETED", "visits"),
    ]


def test_a_version_whose_rows_are_in_it_is_not_deleted(
    owner: Membership, both: Dataset, visits_and_costs: Pair
) -> None:
    """M67: the promise that the rows are gone would be none."""
    visits = visits_and_costs[0]
    newer(owner, visits)
    old = visits.versions.get(number=1)
    with pytest.raises(RowsInDerived, match="Visits and costs"):
        delete_version_data(version=old, user=owner.user)


def test_the_books_and_the_log_agree(
    analyst: Membership, both: Dataset, ask: Ask, answer_all: Any
) -> None:
    """M66: a recount from the log knows the new budget and all four lines of its question."""
    ask(analyst, of=both)
    answer_all()
    assert reconcile(analyst.tenant).findings == ()


def test_several_projects_on_a_parent_are_no_choice_here(
    analyst: Membership, owner: Membership, both: Dataset, visits_and_costs: Pair, ask: Ask
) -> None:
    """M66: none of them could be named, so that nobody is told to choose."""
    for name in ("Ageing", "Income"):
        project = create_project(tenant=owner.tenant, name=name, actor=OPERATOR)
        add_project_member(project=project, membership=analyst, actor=OPERATOR)
        allocate(
            dataset_budget=visits_and_costs[0].budget,
            holder=project,
            limit_nano=NANO,
            actor=OPERATOR,
            reason="",
        )
    with pytest.raises(AllocationNeeded, match="your projects: Ageing, Income"):
        ask(analyst, of=both)
