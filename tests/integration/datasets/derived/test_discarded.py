"""M67: two persons discard a dataset: what was derived from it holds its rows, and goes with it.

What could leak: data that two persons took out of use is asked about under another name, and its
rows lie there when the file itself was deleted.
"""

from collections.abc import Callable
from datetime import timedelta

import pytest

from dpgov.approvals.models import ChangeRequest
from dpgov.approvals.services import approve
from dpgov.audit.actor import OPERATOR
from dpgov.budgets.models import Budget
from dpgov.budgets.services import confirm_budget
from dpgov.budgets.services.freezing import freeze_tenant
from dpgov.budgets.standing import frozen_budgets
from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import current_version, datasets_of
from dpgov.datasets.services import (
    archive_dataset,
    change_new_data_rule,
    delete_data,
    delete_version_data,
    pause_questions,
)
from dpgov.datasets.services.deleting import QuestionsOnTheirWay
from dpgov.datasets.services.held.deciding import (
    DISCARD_HELD_DATASET,
    decide_as_agreed,
    request_decision,
)
from dpgov.datasets.services.held.looks import pause
from dpgov.operation import clock
from dpgov.oversight.reconciliation.report import reconcile
from dpgov.queries.answering.ending import seal_failure
from dpgov.queries.answering.lease import Stopped, claim, give_back, mark_opened
from dpgov.queries.answering.sweep import sweep
from dpgov.queries.asking.gate import NotOpen
from dpgov.queries.models import Query, Release
from dpgov.tenants.models import Membership
from tests.cast import answer_query, publish_now
from tests.integration.datasets.derived.family import derived, newer

Pair = tuple[Dataset, Dataset]
Ask = Callable[..., Query]


def _discarded(owner: Membership, officer: Membership, dataset: Dataset) -> ChangeRequest:
    """An officer holds it, and two persons discard it."""
    pause(version=current_version(dataset), membership=officer, reason="uploaded by mistake")
    request = request_decision(
        membership=owner, dataset=dataset, kind=DISCARD_HELD_DATASET, reason="a mistake"
    )
    return approve(
        request_id=request.pk, decider=officer, reason="yes", carry_out=decide_as_agreed
    ).request


@pytest.mark.parametrize("place", [0, 1])
def test_what_was_derived_from_discarded_data_is_asked_about_no_more(
    owner: Membership,
    officer: Membership,
    analyst: Membership,
    both: Dataset,
    visits_and_costs: Pair,
    ask: Ask,
    place: int,
) -> None:
    """M67: archived with it, by an entry of its own, and its data deleted with that one's."""
    ask(analyst, of=both)
    parent = visits_and_costs[place]
    assert _discarded(owner, officer, parent).state == "approved"
    with pytest.raises(NotOpen):
        ask(analyst, of=both)
    assert both not in datasets_of(owner)
    assert reconcile(owner.tenant).findings == ()


@pytest.mark.parametrize("begun", [False, True])
def test_what_waits_for_a_held_dataset_whose_parent_is_archived_ends_for_nothing(
    owner: Membership,
    officer: Membership,
    analyst: Membership,
    both: Dataset,
    visits_and_costs: Pair,
    ask: Ask,
    begun: bool,
) -> None:
    """M67: nobody can let it go on any more, so that its questions would wait for their expiry.

    Nothing was opened and nothing is spent, of the derived dataset and of both parents. A worker
    that has one still holds it, and finds it stopped.
    """
    query = ask(analyst, of=both)
    held = claim(query.pk) if begun else None
    pause(version=current_version(both), membership=officer, reason="whose are these?")
    archive_dataset(dataset=visits_and_costs[0], user=owner.user)
    if held is not None:
        assert sweep().given_up == 0
        with pytest.raises(Stopped):
            mark_opened(held)
        give_back(held)
    assert sweep().given_up == 1
    query.refresh_from_db()
    assert (query.state, query.opened_at) == (Query.State.VOIDED, None)
    for budget in Budget.objects.all():
        assert (budget.reserved_nano, budget.spent_nano) == (0, 0)
    assert sweep().given_up == 0
    assert reconcile(owner.tenant).findings == ()


@pytest.mark.parametrize("how", ["answered", "exhausted"])
@pytest.mark.parametrize("which", ["derived", "parent"])
def test_what_was_read_of_a_held_dataset_whose_parent_is_archived_ends_as_a_failure(
    owner: Membership,
    officer: Membership,
    analyst: Membership,
    both: Dataset,
    visits_and_costs: Pair,
    ask: Ask,
    how: str,
    which: str,
) -> None:
    """M67: nobody could ever let it go on: it is charged, its answer is seen by nobody, and no
    budget is held by it. Neither it nor its parents keep their data for it.
    """
    query = ask(analyst, of=both)
    _read(query, how)
    held = both if which == "derived" else visits_and_costs[0]
    pause(version=current_version(held), membership=officer, reason="whose are these?")
    sweep()
    assert publish_now() == 0, "as long as a decision can let it go on"
    if which == "derived":
        archive_dataset(dataset=visits_and_costs[0], user=owner.user)
    else:
        _archived_before_a_hold_was_looked_for(visits_and_costs[0], both)
    sweep()
    assert publish_now() == 1
    query.refresh_from_db()
    assert (query.state, query.sealed_text) == (Query.State.FAILED, "")
    assert not Release.objects.exists()
    assert {budget.reserved_nano for budget in Budget.objects.all()} == {0}
    assert Budget.objects.get(pk=both.budget_id).spent_nano == query.cost_nano
    delete_data(dataset=Dataset.objects.get(pk=visits_and_costs[0].pk), user=owner.user)
    assert reconcile(owner.tenant).findings == ()


def _archived_before_a_hold_was_looked_for(*datasets: Dataset) -> None:
    """Rows that are left from then: what is held itself is archived with its parent alone now."""
    going = Dataset.objects.filter(pk__in=[dataset.pk for dataset in datasets])
    assert going.update(archived_at=clock.now()) == len(datasets)


def _read(query: Query, how: str) -> None:
    """Its answer is sealed, or its last worker opened the data and vanished."""
    if how == "answered":
        assert answer_query(query.pk)
        return
    taken = claim(query.pk)
    assert taken is not None
    mark_opened(taken)
    long_ago = clock.now() - timedelta(hours=1)
    Query.objects.filter(pk=query.pk).update(lease_until=long_ago, attempts=99)


def test_what_was_read_waits_while_its_budget_is_frozen(
    owner: Membership,
    officer: Membership,
    analyst: Membership,
    both: Dataset,
    visits_and_costs: Pair,
    ask: Ask,
) -> None:
    """A9, M67: it may have been charged in what a backup lacks, so an officer confirms first."""
    _read(ask(analyst, of=both), "answered")
    pause(version=current_version(both), membership=officer, reason="whose are these?")
    archive_dataset(dataset=visits_and_costs[0], user=owner.user)
    freeze_tenant(tenant_id=owner.tenant_id, reason="restored")
    assert publish_now() == 0
    for budget in frozen_budgets(owner.tenant_id):
        confirm_budget(budget=budget, actor=OPERATOR, reason="compared")
    assert publish_now() == 1


def test_a_freeze_of_a_parent_alone_keeps_no_answer_and_costs_no_patience(
    analyst: Membership, both: Dataset, visits_and_costs: Pair, ask: Ask
) -> None:
    """A9, M67: as one of its own, until an officer has confirmed the parent's budget."""
    asked, parent = ask(analyst, of=both), visits_and_costs[1].budget
    held = claim(asked.pk)
    assert held is not None
    mark_opened(held)
    Budget.objects.filter(pk=parent.pk).update(frozen_at=clock.now())
    with pytest.raises(Stopped):
        seal_failure(held, started=held.passed())
    give_back(held)
    Query.objects.filter(pk=asked.pk).update(submitted_at=clock.now() - timedelta(hours=25))
    confirm_budget(budget=parent, actor=OPERATOR, reason="compared")
    assert sweep().given_up == 0
    assert answer_query(asked.pk)


def test_the_data_of_both_is_deleted(
    owner: Membership, officer: Membership, both: Dataset, visits_and_costs: Pair
) -> None:
    """M67: no row of what was discarded is left in what was derived from it."""
    _discarded(owner, officer, visits_and_costs[0])
    delete_data(dataset=Dataset.objects.get(pk=visits_and_costs[0].pk), user=owner.user)
    both.refresh_from_db()
    assert both.data_deleted_at is not None


@pytest.mark.parametrize("which", [0, 1, 2])
def test_what_was_asked_about_it_is_answered_before_any_data_goes(
    owner: Membership,
    analyst: Membership,
    both: Dataset,
    visits_and_costs: Pair,
    ask: Ask,
    answer_all: Callable[[], int],
    which: int,
) -> None:
    """L22: its file goes with that of a parent, and by itself, but never under a question."""
    ask(analyst, of=both)
    archive_dataset(dataset=visits_and_costs[0], user=owner.user)
    archive_dataset(dataset=visits_and_costs[1], user=owner.user)
    chosen = Dataset.objects.get(pk=(*visits_and_costs, both)[which].pk)
    with pytest.raises(QuestionsOnTheirWay):
        delete_data(dataset=chosen, user=owner.user)
    assert not Dataset.objects.filter(data_deleted_at__isnull=False).exists()
    assert answer_all() == 1
    delete_data(dataset=chosen, user=owner.user)
    both.refresh_from_db()
    assert both.data_deleted_at is not None


def test_what_was_read_of_a_dataset_that_is_discarded_in_its_pause_ends_as_a_failure(
    owner: Membership, officer: Membership, analyst: Membership, visits_and_costs: Pair, ask: Ask
) -> None:
    """M67: while it is held nobody can resume it, and afterwards there is nothing to resume."""
    visits, _ = visits_and_costs
    query = ask(analyst, of=visits)
    _read(query, "answered")
    pause_questions(dataset=visits, user=owner.user, reason="")
    assert _discarded(owner, officer, visits).state == ChangeRequest.State.APPROVED
    assert publish_now() == 1
    query.refresh_from_db()
    assert (query.state, query.sealed_text) == (Query.State.FAILED, "")
    assert {budget.reserved_nano for budget in Budget.objects.all()} == {0}
    delete_data(dataset=Dataset.objects.get(pk=visits.pk), user=owner.user)


def test_a_pause_of_what_was_derived_is_ended_first(
    owner: Membership, officer: Membership, both: Dataset, visits_and_costs: Pair
) -> None:
    """M67: it could still be resumed; the request lapses and nothing was changed."""
    pause_questions(dataset=both, user=owner.user, reason="")
    request = _discarded(owner, officer, visits_and_costs[0])
    assert request.state == ChangeRequest.State.STALE
    assert Dataset.objects.filter(archived_at__isnull=False).count() == 0


def test_what_was_derived_and_never_opened_keeps_no_old_version(
    owner: Membership, officer: Membership, visits_and_costs: Pair
) -> None:
    """M67: its file is gone, and no page lists it whose data one would have to delete first."""
    visits = visits_and_costs[0]
    change_new_data_rule(tenant=owner.tenant, waits=True, user=officer.user)
    both = derived(owner)
    request = request_decision(
        membership=owner, dataset=both, kind=DISCARD_HELD_DATASET, reason="a mistake"
    )
    approve(request_id=request.pk, decider=officer, reason="yes", carry_out=decide_as_agreed)
    change_new_data_rule(tenant=owner.tenant, waits=False, user=officer.user)
    newer(owner, visits)
    old = visits.versions.get(number=1)
    delete_version_data(version=old, user=owner.user)
    old.refresh_from_db()
    assert old.data_deleted_at is not None
