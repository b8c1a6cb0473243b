"""What a month says of budgets: taken is not spent, and what is over stays as it was."""

import csv
import io
from collections.abc import Callable
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from dpgov.budgets.models import Budget, Correction, LimitChange
from dpgov.budgets.services.corrections import correct
from dpgov.budgets.services.raising import request_raise
from dpgov.datasets.models import Dataset
from dpgov.oversight.month import report
from dpgov.oversight.month.calendar import Month
from dpgov.oversight.month.letter import report_file
from dpgov.oversight.month.month import figures_of
from dpgov.privacy.accounting.decimals import NANO
from dpgov.tenants.models import Membership
from tests.cast import Ask
from tests.made_once import made_once
from tests.triggers import without_triggers

pytestmark = pytest.mark.django_db
ClientFor = Callable[[Membership], Client]
NOW = Month.read("")
EARLIER = NOW.before()


@made_once
def one_waits(ask: Ask, answer_all: Callable[[], int], analyst: Membership) -> None:
    """ε 2 was booked; ε 0.25 is reserved."""
    ask(analyst, epsilon=2)
    answer_all()
    ask(analyst, epsilon=0.25)


@pytest.fixture
def old(dataset: Dataset) -> Dataset:
    """As if it had been there, with its budget, for half a year before the earlier month."""
    long_ago = EARLIER.span()[0] - timedelta(days=180)
    Dataset.objects.filter(pk=dataset.pk).update(created_at=long_ago, opened_at=long_ago)
    with without_triggers("budgets_limitchange", "budgets_budget"):
        LimitChange.objects.filter(budget=dataset.budget_id).update(created_at=long_ago)
        Budget.objects.filter(pk=dataset.budget_id).update(created_at=long_ago)
    return dataset


def _spend(budget: Budget, amount: int, at: datetime | None = None) -> None:
    row = correct(budget=budget, kind=Correction.Kind.CARRIED_OVER, amount_nano=amount)
    if at is not None:
        with without_triggers("budgets_correction"):
            Correction.objects.filter(pk=row.pk).update(created_at=at)


def test_the_page_calls_spent_what_was_booked_and_taken_what_was_asked(
    one_waits: None, officer: Membership, client_for: ClientFor
) -> None:
    html = client_for(officer).get("/month/").text
    assert html.count('data-label="Spent">ε 2<') == 1
    assert html.count('data-label="Taken">ε 2.25<') == 2, "by dataset and by person"
    assert 'data-label="Spent">ε 2.25<' not in html


def test_the_table_has_a_column_for_each_of_the_two(
    one_waits: None, officer: Membership, client_for: ClientFor
) -> None:
    rows = list(csv.DictReader(io.StringIO(client_for(officer).get("/month/table/").text)))
    said = {row["about"]: (row["taken"], row["spent"]) for row in rows}
    assert said == {"dataset": ("2.25", ""), "person": ("2.25", ""), "budget": ("", "2")}
    assert {Decimal(row["spent in the month before"]) for row in rows if row["spent"]} == {0}


def test_the_report_has_both_words_where_they_hold_and_a_note_for_each(
    one_waits: None, dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    heads: dict[str, tuple[str, ...]] = {}
    notes: list[str] = []

    def table(_page: Any, head: tuple[str, ...], rows: list[tuple[str, ...]], *_: Any) -> None:
        heads.setdefault(head[0], head)
        assert "ε 2.25" not in [row[head.index("Spent")] for row in rows if "Spent" in head]

    monkeypatch.setattr(report, "table", table)
    monkeypatch.setattr(report, "text", lambda _page, sentence: notes.append(sentence))
    figures = figures_of(dataset.tenant, NOW)
    report.report_of("Harbour", figures)
    assert "Taken" in heads["Person"]
    assert "Spent" not in heads["Person"]
    for word in ("Spent", "Taken"):
        assert len([one for one in notes if one.startswith(f"{word} is ")]) == 1


@pytest.mark.parametrize("page", ["/", "/portfolio/"])
def test_what_the_last_days_took_is_called_taken(
    page: str, one_waits: None, owner: Membership, client_for: ClientFor
) -> None:
    """Of questions by when they were asked, reserved included."""
    html = client_for(owner).get(page).text.replace("&nbsp;", " ")
    assert 'data-label="Taken, last 30 days">ε 2.25<' in html
    assert "Spent, last 30 days" not in html


def test_what_is_spent_after_a_month_changes_no_byte_of_its_report(old: Dataset) -> None:
    before = report_file(old.tenant, EARLIER).content
    _spend(old.budget, 9 * NANO)
    assert report_file(old.tenant, EARLIER).content == before
    assert [one.name for one in figures_of(old.tenant, NOW).nearly_spent] == [old.name]


def test_a_budget_that_was_nearly_spent_at_the_end_stays_so_when_it_is_raised(
    old: Dataset, owner: Membership, officer: Membership, client_for: ClientFor
) -> None:
    """What remained then is told, and not what remains now."""
    _spend(old.budget, 9 * NANO, at=EARLIER.span()[0])
    change = request_raise(membership=owner, budget=old.budget, limit_nano=20 * NANO, reason="more")
    client_for(officer).post(f"/approvals/{change.pk}/approve/", {"reason": "yes"})
    assert figures_of(old.tenant, NOW).nearly_spent == ()
    (one,) = figures_of(old.tenant, EARLIER).nearly_spent
    assert (one.name, one.left) == (old.name, "ε 1")
    html = client_for(officer).get("/month/", {"month": EARLIER.text}).text
    assert f'/datasets/{old.slug}/budget/">{old.name}</a>: ε 1 left' in html


@pytest.mark.parametrize(("spent", "told"), [(9 * NANO, ["Visits"]), (9 * NANO - 1, [])])
def test_of_thousands_those_that_were_nearly_spent_at_the_end_are_read(
    spent: int, told: list[str], old: Dataset
) -> None:
    """E11: though nothing was booked on them for months, and whatever was booked since."""
    _spend(old.budget, spent, at=EARLIER.span()[0] - timedelta(days=90))
    found = figures_of(old.tenant, EARLIER, quiet=0)
    assert [one.name for one in found.stands] == told
    _spend(old.budget, 10 * NANO - spent)
    assert figures_of(old.tenant, EARLIER, quiet=0).stands == found.stands


@pytest.mark.tampers_with_ledger
def test_what_was_refunded_since_was_nearly_spent_in_its_month(old: Dataset) -> None:
    """E11: what is over stays as it was, though nothing of it is spent any more."""
    _spend(old.budget, 9 * NANO, at=EARLIER.span()[0] - timedelta(days=90))
    before = figures_of(old.tenant, EARLIER, quiet=0).stands
    assert len(before) == 1
    refund = Correction.Kind.REFUND
    with without_triggers("budgets_correction"):
        correct(budget=old.budget, kind=refund, amount_nano=-9 * NANO, query_id=uuid4())
    old.budget.refresh_from_db()
    assert old.budget.spent_nano == 0
    assert figures_of(old.tenant, EARLIER, quiet=0).stands == before


def test_a_hold_of_today_takes_nothing_out_of_a_month_that_is_over(old: Dataset) -> None:
    """E11: what is held from now on was there at the end."""
    _spend(old.budget, 9 * NANO, at=EARLIER.span()[0])
    before = report_file(old.tenant, EARLIER).content
    rows = Dataset.objects.filter(pk=old.pk)
    rows.update(held_at=EARLIER.span()[1], held_reason=Dataset.HeldReason.PAUSED)
    assert report_file(old.tenant, EARLIER).content == before
    assert figures_of(old.tenant, NOW).stands == ()


def test_what_was_held_to_the_end_of_a_month_is_none_of_it(old: Dataset) -> None:
    """E11: it is of the month in which it could first be asked about."""
    Dataset.objects.filter(pk=old.pk).update(opened_at=EARLIER.span()[1])
    assert figures_of(old.tenant, EARLIER).stands == ()
    assert len(figures_of(old.tenant, NOW).stands) == 1


def test_a_month_before_a_budget_was_opened_has_none_that_is_nearly_spent(
    dataset: Dataset,
) -> None:
    """Where its dataset was there already, as after two budgets became one."""
    begin = EARLIER.span()[0]
    Dataset.objects.filter(pk=dataset.pk).update(created_at=begin, opened_at=begin)
    _spend(dataset.budget, 10 * NANO)
    found = figures_of(dataset.tenant, EARLIER)
    assert [one.limit for one in found.stands] == ["ε 0"]
    assert found.nearly_spent == ()
