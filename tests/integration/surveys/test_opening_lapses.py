"""M1: whom a shared budget protects, its price and the last day may change while a survey waits.

What could overspend: three people who are hidden together and lose three times ε, of which once ε
is charged, because the budget said only later whom it protects.
"""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import DatabaseError, transaction

from dpgov.approvals.models import ChangeRequest
from dpgov.audit.actor import OPERATOR
from dpgov.budgets.models import Budget, Correction
from dpgov.budgets.services.dividing import merge_shared_budgets
from dpgov.budgets.services.opening import open_budget
from dpgov.budgets.services.shared_budgets import PaidForOneEach, join_shared_budget
from dpgov.budgets.words import promise_of
from dpgov.operation import clock
from dpgov.privacy.accounting.decimals import NANO
from dpgov.surveys.errors import LastDayOver
from dpgov.surveys.services import open_alone
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.models import Membership
from tests.integration.surveys.made import agreed, asked_for, drafted, shared
from tests.made_once import made_once


def _dataset(owner: Membership, together: int) -> Budget:
    """The budget of a dataset that hides so many together."""
    return open_budget(
        tenant=owner.tenant,
        label=f"{together} together",
        limit_nano=3 * NANO,
        protects=promise_of(together, removed=True),
    )


def _join(owner: Membership, budget: Budget, together: int) -> None:
    with acting_for(owner.tenant_id):
        join_shared_budget(
            shared_budget=budget, dataset_budget=_dataset(owner, together), actor=OPERATOR
        )


@made_once
def charged(owner: Membership, officer: Membership) -> Budget:
    """A shared budget that nobody joined, to which a survey at ε 1 was charged."""
    budget = shared(owner, limit_nano=9 * NANO)
    agreed(officer, asked_for(owner, drafted(owner, shared_budget=budget)))
    return Budget.objects.get(pk=budget.pk)


@pytest.fixture
def tomorrow(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Makes it the day after."""
    later = clock.now() + timedelta(days=1)
    return lambda: monkeypatch.setattr(clock, "now", lambda: later)


def test_data_that_hides_a_group_does_not_join_what_paid_for_one_each(
    owner: Membership, charged: Budget
) -> None:
    """M1: three respondents lost three times ε together; data that hides one joins as before."""
    with pytest.raises(PaidForOneEach, match="3 units together"):
        _join(owner, charged, 3)
    charged.refresh_from_db()
    assert (charged.protects, charged.spent_nano, charged.members.count()) == ("", NANO, 0)
    _join(owner, charged, 1)
    charged.refresh_from_db()
    assert charged.protects == promise_of(1, removed=True)


def test_the_database_lets_no_group_in_either(charged: Budget) -> None:
    """M1: plain SQL."""
    row = Budget.objects.filter(pk=charged.pk)
    with pytest.raises(DatabaseError, match="protects no group"), transaction.atomic():
        row.update(protects=promise_of(3, removed=True))
    row.update(protects=promise_of(1, removed=True))


@pytest.mark.parametrize("paid_stays", [True, False])
def test_no_merge_brings_a_group_to_what_paid_for_one_each(
    owner: Membership, charged: Budget, paid_stays: bool
) -> None:
    """M1: whichever of the two stays."""
    group = shared(owner, name="Families")
    _join(owner, group, 3)
    into, other = (charged, group) if paid_stays else (group, charged)
    with acting_for(owner.tenant_id), pytest.raises(PaidForOneEach):
        merge_shared_budgets(into=into, other=other, reason="the same people")
    assert not Budget.objects.filter(closed_at__isnull=False).exists()


def test_a_merge_forgets_no_survey_of_one_each(owner: Membership, charged: Budget) -> None:
    """M1: what was carried over is no survey's charge by name, and still one answer's price."""
    fresh = shared(owner, limit_nano=9 * NANO, name="Later")
    with acting_for(owner.tenant_id):
        merge_shared_budgets(into=fresh, other=charged, reason="the same people")
    with pytest.raises(PaidForOneEach):
        _join(owner, fresh, 3)


def test_a_price_that_changed_while_it_waited_is_said_and_nothing_is_charged(
    owner: Membership, officer: Membership
) -> None:
    """M1: the officer approved the price of one, and data that hides three joined meanwhile."""
    budget = shared(owner, limit_nano=9 * NANO)
    request = asked_for(owner, drafted(owner, shared_budget=budget))
    _join(owner, budget, 3)
    lapsed = agreed(officer, request)
    assert lapsed.state == ChangeRequest.State.STALE
    assert "price of this survey" in str(lapsed.outcome)
    assert Correction.objects.count() == 0


def test_a_survey_whose_last_day_is_over_is_neither_opened_nor_requested(
    owner: Membership, tomorrow: Callable[[], None]
) -> None:
    """M1: nobody could answer what everybody was charged for."""
    today = clock.now().date()
    alone = drafted(owner, closes_on=today)
    named = drafted(owner, closes_on=today, shared_budget=shared(owner))
    tomorrow()
    with pytest.raises(LastDayOver):
        open_alone(membership=owner, survey=alone)
    with pytest.raises(LastDayOver):
        asked_for(owner, named)
    assert (Correction.objects.count(), ChangeRequest.objects.count()) == (0, 0)


def test_a_request_lapses_with_the_last_day(
    owner: Membership, officer: Membership, tomorrow: Callable[[], None]
) -> None:
    """M1: the officer decides a day too late."""
    survey = drafted(owner, closes_on=clock.now().date(), shared_budget=shared(owner))
    request = asked_for(owner, survey)
    tomorrow()
    assert agreed(officer, request).state == ChangeRequest.State.STALE
    assert Correction.objects.count() == 0
