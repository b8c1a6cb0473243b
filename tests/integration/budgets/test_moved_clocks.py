"""L14: the database's clock is set forward and back, and no window of a rate comes twice."""

import random
from datetime import UTC, datetime, timedelta

import pytest
from django.db import DatabaseError, transaction

from dpgov.budgets.charging import limits_touched
from dpgov.budgets.errors import InsufficientBudget
from dpgov.budgets.findings import ledger_findings
from dpgov.budgets.models import Budget, RateLimit, Reservation
from dpgov.budgets.services import Line, open_parts, void
from dpgov.budgets.services.opening import add_parts
from dpgov.budgets.standing import rates_of
from dpgov.budgets.windows import window_end, window_start
from tests.integration.budgets.test_rates import limit_to, refused, take

pytestmark = pytest.mark.django_db

DAY, WEEK, MONTH = RateLimit.Period
# A Friday; the 31st of a month that ends in the same week.
NOON = datetime(2026, 7, 31, 12, tzinfo=UTC)
AHEAD = {DAY: timedelta(days=1), WEEK: timedelta(days=7), MONTH: timedelta(days=31)}


@pytest.mark.parametrize("period", list(RateLimit.Period))
def test_forward_and_back_and_forward_again_renews_nothing(
    budget: Budget, period: RateLimit.Period
) -> None:
    """L14: each window has its rate once, the one that began early too."""
    ahead = NOON + AHEAD[period]
    limit_to(budget, period, 10, NOON)
    take(budget, 10, NOON)
    take(budget, 10, ahead)
    for moment in (NOON, ahead, NOON, ahead, NOON - 10 * AHEAD[period]):
        refused(budget, 1, moment)
    over = window_end(period, window_start(period, ahead.date()))
    refused(budget, 1, datetime(over.year, over.month, over.day, tzinfo=UTC) - timedelta(seconds=1))
    take(budget, 10, datetime(over.year, over.month, over.day, tzinfo=UTC))
    assert Budget.objects.get(pk=budget.pk).reserved_nano == 30
    assert ledger_findings() == []


def test_the_pages_say_how_long_a_clock_that_was_ahead_costs_patience(budget: Budget) -> None:
    """L14, L16: quotes and the page of limits read the window that the ledger reads."""
    limit_to(budget, DAY, 10, NOON)
    take(budget, 4, NOON + timedelta(days=40))
    (limit, *_) = limits_touched([Line(budget.pk, 1)], NOON)
    (rate, *_) = rates_of(budget, NOON)
    assert (limit.fit_nano, str(limit.renews_on)) == (6, "2026-09-10")
    assert (rate.remaining_nano, str(rate.renews_on)) == (6, "2026-09-10")
    take(budget, 6, NOON)
    assert refused(budget, 1, NOON).remaining_nano == 0
    assert ledger_findings() == []


def test_what_is_given_back_goes_to_the_window_that_it_counted_in(budget: Budget) -> None:
    """L14, F7: which is not that of the moment at which it was made, once a clock was ahead."""
    limit_to(budget, DAY, 10, NOON)
    before = take(budget, 5, NOON)
    take(budget, 4, NOON + AHEAD[DAY])
    behind = take(budget, 6, NOON)
    void(query_id=before)
    refused(budget, 1, NOON)
    void(query_id=behind)
    take(budget, 6, NOON + AHEAD[DAY])
    refused(budget, 1, NOON)
    assert ledger_findings() == []


@pytest.mark.parametrize("lifted", [False, True], ids=["changed", "lifted and set again"])
def test_a_rate_that_is_set_while_the_clock_is_behind_forgets_nothing(
    budget: Budget, lifted: bool
) -> None:
    """L14: nor does one of another period, which takes its windows from the same days."""
    limit_to(budget, DAY, 10, NOON)
    take(budget, 10, NOON + AHEAD[WEEK])
    if lifted:
        limit_to(budget, DAY, None, NOON)
    limit_to(budget, DAY, 11, NOON)
    limit_to(budget, MONTH, 12, NOON)
    assert refused(budget, 2, NOON).remaining_nano == 1
    take(budget, 1, NOON)
    assert {rate.taken_nano for rate in RateLimit.objects.all()} == {11}
    assert ledger_findings() == []


def test_a_rate_that_was_set_while_the_clock_was_ahead_counts_from_there(budget: Budget) -> None:
    """L14: though nothing was asked then."""
    limit_to(budget, DAY, 10, NOON + AHEAD[WEEK])
    take(budget, 10, NOON)
    refused(budget, 1, NOON + AHEAD[DAY])
    refused(budget, 1, NOON + AHEAD[WEEK])
    take(budget, 10, NOON + AHEAD[WEEK] + AHEAD[DAY])


def test_a_part_that_is_added_begins_where_the_others_are(budget: Budget) -> None:
    """L14, F5: with their rates it takes their day."""
    open_parts(budget=budget, parts=["North"])
    limit_to(budget, DAY, 10, NOON)
    (north,) = (part.budget for part in budget.parts.all())
    take(north, 3, NOON + AHEAD[DAY])
    add_parts(budget_id=budget.pk, parts=["South"])
    south = budget.parts.get(part="South").budget
    take(south, 10, NOON)
    refused(south, 1, NOON + AHEAD[DAY])
    (rate, *_) = rates_of(budget, NOON)
    assert (rate.taken_nano, str(rate.renews_on)) == (10, "2026-08-02")
    assert ledger_findings() == []


def test_the_day_of_a_budget_cannot_be_set_back(budget: Budget) -> None:
    """L14: the database refuses it to whoever may change a limit."""
    limit_to(budget, DAY, 10, NOON)
    mine = Budget.objects.filter(pk=budget.pk)
    for day in (None, NOON.date() - AHEAD[DAY]):
        with pytest.raises(DatabaseError, match="never go back"), transaction.atomic():
            mine.update(counted_on=day)
    assert mine.get().counted_on == NOON.date()


@pytest.mark.parametrize("seed", range(3))
def test_whatever_a_clock_does_no_more_is_taken_than_its_windows_admit(
    budget: Budget, seed: int
) -> None:
    """L14: random walks; never more than the rate for each window up to the furthest one."""
    chance, now, furthest = random.Random(seed), NOON, NOON
    for period, limit in ((DAY, 10), (WEEK, 25), (MONTH, 60)):
        limit_to(budget, period, limit, NOON)
    for _ in range(60):
        now += timedelta(hours=chance.choice([-800, -200, -25, -1, 1, 5, 20, 30]))
        try:
            take(budget, chance.randint(1, 10), now)
        except InsufficientBudget:
            continue
        furthest = max(furthest, now)
        taken = sum(Reservation.objects.values_list("amount_nano", flat=True))
        assert taken <= 10 * ((furthest.date() - NOON.date()).days + 1)
        assert taken <= 25 * _windows(WEEK, NOON, furthest)
        assert taken <= 60 * _windows(MONTH, NOON, furthest)
    assert ledger_findings() == []


def _windows(period: str, first: datetime, last: datetime) -> int:
    start, count = window_start(period, first.date()), 1
    while (start := window_end(period, start)) <= last.date():
        count += 1
    return count
