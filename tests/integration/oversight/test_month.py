"""The officer's month: what was asked, refused and nearly refused, on the page and on paper."""

import csv
import io
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from dpgov.approvals.services import reject
from dpgov.audit.checkpoints.signing import make_checkpoint
from dpgov.audit.models import AuditEntry
from dpgov.budgets.errors import InsufficientBudget, NotAdmitted
from dpgov.budgets.models import Correction
from dpgov.budgets.services import freeze_tenant
from dpgov.budgets.services.corrections import correct
from dpgov.budgets.services.raising import request_raise
from dpgov.datasets.models import Dataset
from dpgov.datasets.services import set_needs_allocation
from dpgov.oversight.month.calendar import Month
from dpgov.oversight.month.course import courses_of
from dpgov.oversight.month.month import figures_of
from dpgov.privacy.accounting.decimals import NANO
from dpgov.queries.asking.policy import QueryLimitExceeded
from dpgov.queries.models import Query, Refusal
from dpgov.tenants.models import Membership
from tests.agreed import given_a_budget_of_its_own
from tests.cast import Ask
from tests.integration.queries.web.test_quote_page import text_of
from tests.made_once import made_once
from tests.small_dataset import register_small_dataset

pytestmark = pytest.mark.django_db
ClientFor = Callable[[Membership], Client]
NOW = Month.read("")


@made_once
def busy(ask: Ask, answer_all: Callable[[], int], analyst: Membership) -> None:
    """Two answered questions, one of them as large as may be; one waits; three refusals."""
    ask(analyst, epsilon=2)
    ask(analyst, epsilon=0.5)
    answer_all()
    ask(analyst, epsilon=0.25)
    for _ in range(2):
        with pytest.raises(QueryLimitExceeded):
            ask(analyst, epsilon=2.5)


def test_the_month_adds_up_by_dataset_and_by_person(
    busy: None, dataset: Dataset, analyst: Membership
) -> None:
    figures = figures_of(dataset.tenant, NOW)
    for lines, name in ((figures.datasets, "Visits"), (figures.people, "Anna")):
        (line,) = lines
        assert (line.name, line.asked, line.taken) == (name, 3, "ε 2.75")
        assert (line.near, line.refused, line.free, line.unpaid) == (1, 2, 0, 0)
    assert (figures.asked, figures.refused, figures.near) == (3, 2, 1)
    assert figures.nearly_spent == ()


def test_refusals_are_counted_by_day_and_reason_and_never_logged(
    busy: None, ask: Ask, analyst: Membership, owner: Membership, dataset: Dataset
) -> None:
    """A refusal changes nothing but its count, so nobody can fill the log with it."""
    logged, asked = AuditEntry.objects.count(), Query.objects.count()
    with pytest.raises(QueryLimitExceeded):
        ask(analyst, epsilon=3)
    (counted,) = Refusal.objects.all()
    assert (counted.reason, counted.number, counted.largest_nano) == ("question", 3, 3 * NANO)
    assert counted.day == timezone.now().astimezone(UTC).date()
    assert (AuditEntry.objects.count(), Query.objects.count()) == (logged, asked)


def test_each_reason_is_counted_by_itself(
    ask: Ask, analyst: Membership, owner: Membership, dataset: Dataset
) -> None:
    for _ in range(5):
        ask(analyst, epsilon=2)
    with pytest.raises(InsufficientBudget):
        ask(analyst, epsilon=1)
    set_needs_allocation(dataset=dataset, needed=True, user=owner.user)
    dataset.refresh_from_db()
    with pytest.raises(Exception, match="need an allocation"):
        ask(analyst, epsilon=1)
    set_needs_allocation(dataset=dataset, needed=False, user=owner.user)
    dataset.refresh_from_db()
    freeze_tenant(tenant_id=dataset.tenant_id, reason="restored")
    with pytest.raises(NotAdmitted):
        ask(analyst, epsilon=1)
    reasons = Refusal.objects.order_by("pk").values_list("reason", "number")
    assert list(reasons) == [("budget", 1), ("allocation", 1), ("stopped", 1)]
    figures = figures_of(dataset.tenant, NOW)
    assert [one.number for one in figures.refusals] == [1, 1, 1]
    assert figures.nearly_spent == (), "reserved is not spent"


def test_a_batch_that_is_refused_counts_once(
    dataset: Dataset, analyst: Membership, api_for: Callable[[Membership], Any]
) -> None:
    plans = [{"statistics": [{"statistic": "count"}]}] * 2
    answer = api_for(analyst).post(
        f"/api/v1/datasets/{dataset.slug}/batches/",
        {"epsilon": 9, "plans": plans},
        format="json",
        headers={"Idempotency-Key": "b"},
    )
    assert answer.status_code == 400, answer.json()
    assert Refusal.objects.get().number == 1


def test_the_table_can_be_summed(
    busy: None, officer: Membership, client_for: ClientFor, ask: Ask, answer_all: Any
) -> None:
    """Every amount is a plain number, with its unit in a column of its own."""
    rows = list(csv.DictReader(io.StringIO(client_for(officer).get("/month/table/").text)))
    (budget,) = (row for row in rows if row["about"] == "budget")
    numbers = [Decimal(budget[name]) for name in ("spent", "remaining", "limit")]
    assert numbers == [Decimal("2.5"), Decimal("7.5"), Decimal(10)]
    assert {row["unit"] for row in rows} == {"epsilon"}
    (refusal,) = (row for row in rows if row["about"] == "refusal")
    assert refusal["largest refused"] == "2.5"


def test_a_budget_stands_as_it_stood_at_the_end_of_its_month(
    busy: None, dataset: Dataset, owner: Membership
) -> None:
    """From the ledger's own balances: a later month and a later limit change nothing of it."""
    (now,) = figures_of(dataset.tenant, NOW).stands
    assert (now.limit, now.spent, now.earlier, now.left) == ("ε 10", "ε 2.5", "ε 0", "ε 7.5")
    later = Month(NOW.after)
    (after,) = figures_of(dataset.tenant, later).stands
    assert (after.spent, after.earlier, after.left) == ("ε 0", "ε 2.5", "ε 7.5")
    assert figures_of(dataset.tenant, Month.read(NOW.earlier)).stands == ()


def test_the_course_of_a_budget_ends_with_what_stands_in_the_table(
    busy: None, dataset: Dataset, stranger: Membership
) -> None:
    """Of a month that is not over up to today; no day before it was opened. H1: of one's own."""
    (stand,) = figures_of(dataset.tenant, NOW).stands
    (found,) = courses_of((stand,), NOW)
    today = timezone.now().astimezone(UTC).day
    assert found.days == ((today, stand.left_nano, 10 * NANO),)
    later = Month(NOW.after)
    assert courses_of((stand,), Month.read(NOW.earlier))[0].days == ()
    assert courses_of((stand,), later) == ()
    assert courses_of(figures_of(stranger.tenant, NOW).stands, NOW) == ()


def test_a_correction_is_of_its_month_as_a_charge_is(busy: None, dataset: Dataset) -> None:
    """The newest entry of either kind says what had been spent."""
    correct(budget=dataset.budget, kind=Correction.Kind.CARRIED_OVER, amount_nano=NANO)
    later = Month(NOW.after)
    for month, spent in ((NOW, "ε 3.5"), (later, "ε 0")):
        (stand,) = figures_of(dataset.tenant, month).stands
        assert (stand.spent, stand.left) == (spent, "ε 6.5")


def test_decisions_stand_with_names_and_reasons_and_the_log_with_its_proof(
    busy: None, owner: Membership, officer: Membership, dataset: Dataset
) -> None:
    change = request_raise(
        membership=owner, budget=dataset.budget, limit_nano=20 * NANO, reason="a second wave"
    )
    reject(request_id=change.pk, decider=officer, reason="not this year")
    assert figures_of(dataset.tenant, NOW).proof is None
    made = make_checkpoint(tenant_id=dataset.tenant_id)
    assert made is not None
    figures = figures_of(dataset.tenant, NOW)
    (decided,) = figures.decided
    assert (decided.asked_by, decided.reason) == ("Olga", "a second wave")
    assert (decided.decided_by, decided.answer) == ("Oscar", "not this year")
    assert figures.proof is not None
    assert (figures.proof.size, figures.proof.covers) == (made.size, False)
    assert bytes.fromhex(figures.proof.root) == bytes(made.root)


def test_another_month_and_another_tenant_have_none_of_it(
    busy: None, dataset: Dataset, stranger: Membership
) -> None:
    assert figures_of(dataset.tenant, Month.read("2020-01")).asked == 0
    elsewhere = figures_of(stranger.tenant, NOW)
    assert (elsewhere.datasets, elsewhere.refusals, elsewhere.steps) == ((), (), ())


MONTHS = [
    ("2026-11", date(2026, 11, 1)),
    ("2024-02", date(2024, 2, 1)),
    ("nonsense", NOW.first),
    ("2026-13", NOW.first),
    ("9999-99", NOW.first),
    ("9999-12", NOW.first),
    ("0001-01", NOW.first),
]


@pytest.mark.parametrize(("text", "first"), MONTHS)
def test_a_month_is_read_from_the_address(text: str, first: date) -> None:
    assert Month.read(text).first == first


def test_a_month_reaches_from_its_first_moment_to_that_of_the_next() -> None:
    december = Month.read("2025-12")
    assert december.span() == (datetime(2025, 12, 1, tzinfo=UTC), datetime(2026, 1, 1, tzinfo=UTC))
    assert (december.earlier, december.later) == ("2025-11", "2026-01")
    assert NOW.later == ""


def test_the_page_shows_it_in_few_questions_to_the_database(
    busy: None,
    owner: Membership,
    officer: Membership,
    dataset: Dataset,
    client_for: ClientFor,
    django_assert_max_num_queries: Any,
) -> None:
    """At most 16."""
    change = request_raise(
        membership=owner, budget=dataset.budget, limit_nano=20 * NANO, reason="more"
    )
    reject(request_id=change.pk, decider=officer, reason="no")
    browser = client_for(officer)
    browser.get("/month/")
    with django_assert_max_num_queries(16):
        page = browser.get("/month/")
    assert "Cost more than one question may" in page.text
    assert "1 rejected" in page.text
    assert "action%3ADATASET_REGISTERED%20since%3A" in page.text
    assert "Next month" not in page.text


def test_a_month_without_anything_says_so(officer: Membership, client_for: ClientFor) -> None:
    page = client_for(officer).get("/month/", {"month": "2020-01"}).text
    assert "Nothing was asked in this month" in page
    assert "Next month" in page


@pytest.mark.parametrize(
    ("name", "harmless"),
    [("=cmd()", "'=cmd()"), ("@SUM(A1)", "'@SUM(A1)"), ("Visits;=1+1", "Visits;'=1+1")],
)
def test_the_table_has_the_same_numbers_and_runs_no_formula(
    busy: None, dataset: Dataset, officer: Membership, client_for: ClientFor,
    name: str, harmless: str,
) -> None:  # fmt: skip
    """I3: nor does a program that parts cells at semicolons."""
    Dataset.objects.filter(pk=dataset.pk).update(name=name)
    answer = client_for(officer).get("/month/table/")
    rows = list(csv.reader(io.StringIO(answer.text)))
    assert answer.headers["Content-Disposition"].endswith(f'month-harbour-{NOW.text}.csv"')
    assert rows[1][1:7] == ["dataset", harmless, "", "3", "2.75", "epsilon"]
    assert [row[1] for row in rows[1:]] == ["dataset", "person", "refusal", "budget"]


def test_what_was_booked_in_the_month_stands_whenever_it_was_asked(
    busy: None, dataset: Dataset
) -> None:
    """A question is of the month in which it was submitted, its charge of that of its release."""
    before = timezone.now() - timedelta(days=100)
    Query.objects.update(submitted_at=before)
    Refusal.objects.update(day=before.date())
    found = figures_of(dataset.tenant, NOW, quiet=0)
    assert found.asked == 0
    assert [(one.name, one.spent) for one in found.stands] == [("Visits", "ε 2.5")]


def test_budgets_of_which_nothing_was_taken_are_counted_and_the_table_has_them_all(
    busy: None, dataset: Dataset, owner: Membership, officer: Membership, client_for: ClientFor,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """E11: of thousands a page shows those that something happened to, and so does the report."""
    for name in ("Alpha", "Beta", "Gamma", "Full"):
        one = register_small_dataset(owner, name=name)
        given_a_budget_of_its_own(one, label=name, limit_nano=10 * NANO)
    for name, amount in (("Full", 9 * NANO), ("Beta", NANO)):
        budget = Dataset.objects.get(name=name).budget
        correct(budget=budget, kind=Correction.Kind.CARRIED_OVER, amount_nano=amount)
    whole = figures_of(dataset.tenant, NOW, quiet=None)
    assert {one.name for one in whole.stands} == {"Visits", "Alpha", "Beta", "Gamma", "Full"}
    few = figures_of(dataset.tenant, NOW, quiet=1)
    assert [one.name for one in few.stands] == ["Full", "Visits", "Beta", "Alpha"]
    assert (few.further, whole.further) == (1, 0)
    assert set(few.stands) <= set(whole.stands)
    assert few.nearly_spent == whole.nearly_spent == few.stands[:1]
    monkeypatch.setattr(figures_of, "__kwdefaults__", {"quiet": 1})
    browser = client_for(officer)
    html = browser.get("/month/").content
    assert "The first 4 of 5; the table (CSV) has them all." in text_of(html)
    rows = csv.DictReader(io.StringIO(browser.get("/month/table/").content.decode()))
    assert {row["name"] for row in rows if row["about"] == "budget"} == {
        "Visits", "Alpha", "Beta", "Gamma", "Full",
    }  # fmt: skip
    before = figures_of(dataset.tenant, Month.read(NOW.earlier), quiet=0)
    assert (before.stands, before.further) == ((), 0)
