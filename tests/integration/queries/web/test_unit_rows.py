"""An owner chooses how many rows of each person are used: from beliefs or from a paid answer."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from dpgov.audit.models import AuditEntry
from dpgov.datasets.models import Dataset, DatasetVersion
from dpgov.datasets.selectors import current_version, schema_of
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.plan.schema import PrivacyUnit
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from tests.cast import answer_now
from tests.integration.datasets.registering import register, uploaded
from tests.made_once import made_once

NAMED = {"unit": "person", "private_id": "city", "max_rows_per_unit": "2"}
# 40 people with one row each and 20 with four.
VISITS = "age,sex,city\n" + "".join(
    f"{row % 90},f,P{person}\n"
    for person in range(60)
    for row in range(person, person + (1 if person < 40 else 4))
)


@made_once
def browser(owner: Membership, client_for: Callable[[Membership], Client]) -> Client:
    return client_for(owner)


@made_once
def visits(browser: Client) -> Dataset:
    response = register(browser, uploaded(browser, VISITS.encode()), **NAMED)
    assert response.status_code == 302, response.content.decode()
    return Dataset.objects.select_related("budget").get()


def page(browser: Client, **given: str) -> str:
    return browser.get(reverse("queries:unit_rows", args=["people"]), given).content.decode()


def ask(browser: Client, epsilon: str, key: str = "k-1") -> int:
    url = reverse("queries:unit_rows", args=["people"])
    return browser.post(url, {"epsilon": epsilon, "key": key}).status_code


def prices(text: str) -> dict[int, str]:
    """The rows of the table of prices, by their limit."""
    rows = re.findall(r'<th scope="row">(\d+)(.*?)</tr>', text, re.DOTALL)
    return {int(limit): rest for limit, rest in rows}


def test_the_small_question_is_paid_noted_and_used(browser: Client, visits: Dataset) -> None:
    """D6, G1: one charge and one entry like any other question; its answer prices the limits."""
    assert ask(browser, "1") == 302
    entry = AuditEntry.objects.order_by("-sequence")[:1].get()
    assert entry.action == "QUERY_SUBMITTED"
    assert "The question is on its way" in page(browser)
    query = Query.objects.get()
    assert answer_now(query.pk)
    visits.budget.refresh_from_db()
    assert visits.budget.spent_nano == NANO
    found = prices(page(browser))
    assert set(found) == {1, 2, 3, 5, 10, 20, 50, 100}
    assert sum("least error" in row for row in found.values()) == 1


def test_a_question_that_does_not_fit_is_refused_at_its_field(
    browser: Client, visits: Dataset
) -> None:
    """B1: nothing is spent or noted."""
    before = AuditEntry.objects.count()
    for epsilon in ("2", "0", "nonsense", ""):
        assert ask(browser, epsilon) == 422
    assert AuditEntry.objects.count() == before
    assert not Query.objects.exists()


def test_beliefs_price_the_limits_and_read_nothing(browser: Client, visits: Dataset) -> None:
    """E10: the data file is gone, and the page is the same."""
    believed = {"people": "1000", "share_0": "50", "share_3": "50", "epsilon": "1", "part": "100"}
    before = prices(page(browser, **believed))
    path = Path(settings.DPGOV_HOME) / "data" / f"{current_version(visits).pk}.duckdb"
    path.rename(path.with_suffix(".away"))
    assert prices(page(browser, **believed)) == before
    # 500 people with 4 or 5 rows: 3.5 x 500 are over a limit of one, none over five.
    assert "about 1,750 (64" in before[1]
    assert "about 0 (0" in before[5]
    assert "least error" in before[5]


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ({"share_0": "50", "people": "10"}, "make that 100"),
        ({"share_0": "100"}, "about how many people"),
        ({"epsilon": "0"}, "is-invalid"),
        ({"part": "200"}, "less than or equal to 100"),
    ],
)
def test_beliefs_that_cannot_be_are_refused(
    browser: Client, visits: Dataset, typed: dict[str, str], message: str
) -> None:
    text = page(browser, **({"epsilon": "1", "part": "100"} | typed))
    assert message in text or "invalid-feedback" in text
    assert prices(text) == {}


def change(browser: Client, rows: str, groups: str = "") -> int:
    url = reverse("datasets:unit_bounds", args=["people"])
    posted = {"max_rows_per_unit": rows, "max_groups_per_unit": groups}
    return browser.post(url, posted).status_code


def test_another_limit_is_a_new_version_over_the_same_data_and_budget(
    browser: Client, visits: Dataset
) -> None:
    """F11: what was asked before keeps its limit; nothing of the budget comes back."""
    before = current_version(visits)
    assert change(browser, "4", "3") == 302
    after = current_version(visits)
    assert (after.number, schema_of(after).unit) == (2, PrivacyUnit("city", 4, 3))
    assert schema_of(before).unit == PrivacyUnit("city", 2)
    data = [Path(settings.DPGOV_HOME) / "data" / f"{v.pk}.duckdb" for v in (before, after)]
    assert data[0].read_bytes() == data[1].read_bytes()
    assert Dataset.objects.get().budget_id == visits.budget_id
    entry = AuditEntry.objects.order_by("-sequence")[:1].get()
    assert entry.action == "DATASET_VERSION_ADDED"


@pytest.mark.parametrize(
    ("rows", "groups"), [("2", ""), ("0", ""), ("many", ""), ("3", "4"), ("100001", "")]
)
def test_limits_that_change_nothing_or_cannot_be_are_refused(
    browser: Client, visits: Dataset, rows: str, groups: str
) -> None:
    assert change(browser, rows, groups) == 422
    assert DatasetVersion.objects.count() == 1


def test_where_each_row_is_a_person_there_is_nothing_to_choose(browser: Client) -> None:
    register(browser, uploaded(browser))
    assert "each row is one person" in page(browser)
    assert change(browser, "3") == 422
    assert DatasetVersion.objects.count() == 1
