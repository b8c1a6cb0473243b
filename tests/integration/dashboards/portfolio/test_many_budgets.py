"""E11: of thousands of budgets those that move are looked at singly; nothing is told otherwise."""

from collections.abc import Callable
from itertools import chain

import pytest
from django.db.models import F

from dpgov.audit.actor import OPERATOR
from dpgov.budgets.models import Budget
from dpgov.budgets.services.shared_budgets import join_shared_budget, open_shared_budget
from dpgov.dashboards.forecast.forecast import Forecast, days_of_all, forecasts
from dpgov.dashboards.forecast.many import Forecasts, outlook
from dpgov.dashboards.home.headline import headline
from dpgov.datasets.held import datasets_and_held
from dpgov.datasets.models import Dataset, Policy
from dpgov.datasets.selectors import datasets_of
from dpgov.operation import clock
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.accounting.loss import PURE
from dpgov.tenants.models import Membership
from tests.agreed import given_a_budget_of_its_own
from tests.cast import Ask
from tests.integration.dashboards.test_home import registered
from tests.made_once import made_once
from tests.small_dataset import register_small_dataset
from tests.triggers import GUARDED, without_triggers

MOVE = {"Asked", "Full", "Low", "Dear", "Shares", "Tiny"}
# "Visits" is the one that every test has.
QUIET = {"Alpha", "Beta", "Gamma", "Frozen", "Visits"}


@made_once
def all_kinds(
    owner: Membership, analyst: Membership, ask: Ask, answer_all: Callable[[], int]
) -> dict[str, Dataset]:
    """One in each standing; and a held one, of which there is no forecast."""
    made = {name: _one(owner, name) for name in ({*MOVE, *QUIET, "Held"} - {"Visits"})}
    shared = open_shared_budget(
        tenant=owner.tenant, name="Residents", limit_nano=NANO, currency=PURE, actor=OPERATOR
    )
    join_shared_budget(shared_budget=shared, dataset_budget=made["Shares"].budget, actor=OPERATOR)
    for one in made.values():
        registered(one, 400)
    made["Asked"].refresh_from_db()
    ask(analyst, epsilon=2, of=made["Asked"])
    answer_all()
    Policy.objects.create(tenant=owner.tenant, dataset=made["Dear"], least_nano=6 * NANO)
    with without_triggers(*GUARDED):
        _spend(made["Full"], 10 * NANO)
        _spend(made["Low"], 9 * NANO)
        _spend(made["Dear"], 5 * NANO)
        Budget.objects.filter(pk=made["Tiny"].budget_id).update(limit_nano=1)
        Budget.objects.filter(pk=made["Frozen"].budget_id).update(frozen_at=clock.now())
        Dataset.objects.filter(pk=made["Held"].pk).update(
            held_at=clock.now(), held_reason=Dataset.HeldReason.NEW_DATA
        )
    return made


def _one(owner: Membership, name: str) -> Dataset:
    dataset = register_small_dataset(owner, name=name)
    given_a_budget_of_its_own(dataset, label=name, limit_nano=10 * NANO)
    return dataset


def _spend(dataset: Dataset, nano: int) -> None:
    Budget.objects.filter(pk=dataset.budget_id).update(spent_nano=F("spent_nano") + nano)


def _names(found: list[Forecast]) -> list[str]:
    return [one.dataset.name for one in found]


def _look(owner: Membership, *, first: int) -> Forecasts:
    today = clock.today()
    days = days_of_all([owner.tenant_id], today)
    return outlook(datasets_and_held(owner), days, today, first=first)


@pytest.mark.tampers_with_ledger
def test_every_forecast_is_the_one_that_looking_at_all_of_them_gives(
    all_kinds: dict[str, Dataset], owner: Membership
) -> None:
    """And what ends or is used up stands in the same order, before everything else."""
    singly = forecasts(list(datasets_of(owner)), clock.today())
    ending = [one for one in singly if not one.left_nano or one.ends_on]
    assert _names(ending) == ["Full", "Asked"]
    for first in (0, 1, 3, 20):
        found = _look(owner, first=first)
        assert {one.dataset.name for one in found.moving} == MOVE
        assert (len(found), [one.name for one in found.held]) == (len(MOVE | QUIET), ["Held"])
        told = {one.dataset.name: (one, one.status, one.words) for one in found[:]}
        assert told == {one.dataset.name: (one, one.status, one.words) for one in singly}
        assert _names(list(found[: len(ending)])) == _names(ending)
        assert headline(found.first, clock.today()) == headline(singly, clock.today())
        _has_each_on_one_page(found)


def _has_each_on_one_page(found: Forecasts) -> None:
    """The quiet ones last and by name, however large a page is."""
    for size in (1, 4, 7):
        pages = [found[place : place + size] for place in range(0, len(found), size)]
        names = _names(list(chain.from_iterable(pages)))
        assert set(names[: len(MOVE)]) == MOVE
        assert names[len(MOVE) :] == sorted(QUIET)
    assert found[len(MOVE)].dataset.name == "Alpha"


@pytest.mark.tampers_with_ledger
def test_what_is_low_by_a_hair_moves_and_what_is_not_is_quiet(
    owner: Membership, dataset: Dataset
) -> None:
    """A tenth is low, as its status says."""
    registered(dataset, 400)
    for spent, moves in ((9 * NANO - 1, False), (9 * NANO, True)):
        with without_triggers("budgets_budget"):
            Budget.objects.filter(pk=dataset.budget_id).update(spent_nano=spent)
        found = _look(owner, first=1)
        assert [bool(found.moving), bool(found.first_quiet)] == [moves, not moves]
