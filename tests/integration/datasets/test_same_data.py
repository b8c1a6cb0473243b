"""F11: the budget belongs to the people in the data, not to the row in the database."""

import random
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from dpgov.audit.models import AuditEntry
from dpgov.budgets.models import Budget
from dpgov.budgets.services import Line, reserve, settle
from dpgov.datasets.models import Dataset, DatasetVersion, Upload, VersionFingerprint
from dpgov.privacy.accounting.decimals import NANO
from dpgov.tenants.models import Membership
from tests.eager import arrived, refused
from tests.integration.datasets.registering import (
    CSV,
    declared,
    register,
    send_file,
    uploaded,
)

REORDERED = b"city,sex,age\nBasel,f,\nBasel,f,30.0\nBern,m,45\n,x,99\n"

# The names stay where they were, so that each now stands for another column.
_REORDERED_AS_TEXT = {
    "age__kind": "category",
    "age__categories": "Basel",
    "city__kind": "number",
    "city__lower": "0",
    "city__upper": "99",
    "city__step": "1",
}

_WRITTEN = {
    "whole numbers and 71,5": lambda age: f"{age:.1f}".replace(".0", "").replace(".", ","),
    "71.250": lambda age: f"{age:.3f}",
}
_COMMA = {"encoding": "utf-8", "delimiter": ";", "decimal": ",", "header": "names"}


def spend(dataset: Dataset, nano: int) -> None:
    query_id = uuid4()
    reserve(query_id=query_id, tenant_id=dataset.tenant_id, lines=[Line(dataset.budget_id, nano)])
    settle(query_id=query_id, amount_nano=nano)


def test_archived_and_registered_again_what_was_spent_stays_spent(browser: Client) -> None:
    """F11: the same row of the ledger, with its limit; the owner is told."""
    register(browser, uploaded(browser))
    first = Dataset.objects.get()
    spend(first, 2 * NANO)
    browser.post(reverse("datasets:archive", args=[first.slug]))
    response = register(browser, uploaded(browser), epsilon_limit="100", name="Fresh")
    again = Dataset.objects.get(name="Fresh")
    assert again.budget_id == first.budget_id
    assert (again.budget.limit_nano, again.budget.spent_nano) == (3 * NANO, 2 * NANO)
    page = browser.get(response.url).content.decode()
    assert "shares the earlier budget" in page
    assert "ε 1 of it remains" in page


def test_other_order_names_and_bounds_share_the_budget_too(browser: Client) -> None:
    """F11: neither the form of the file nor new domains open a new budget."""
    register(browser, uploaded(browser))
    response = register(browser, uploaded(browser, REORDERED), name="Again", **_REORDERED_AS_TEXT)
    assert response.status_code == 302
    assert Budget.objects.count() == 1
    assert Dataset.objects.count() == 2


def test_another_relation_or_group_size_cannot_share_a_budget(browser: Client) -> None:
    """F11: losses under two relations cannot be added up, so the second is refused."""
    register(browser, uploaded(browser))
    upload = uploaded(browser)
    for changes in ({"neighbouring": "change_one"}, {"group_size": "2"}):
        response = register(browser, upload, name="Again", **changes)
        assert refused(response)
        assert "Choose the same" in response.content.decode()
    assert Dataset.objects.count() == 1


def test_other_data_and_other_tenants_do_not_share_a_budget_by_themselves(
    browser: Client, client_for: object, stranger: Membership
) -> None:
    """F11, F9, L1: one changed cell is held; another tenant's data is neither shared nor seen."""
    elsewhere = client_for(stranger)  # type: ignore[operator]
    register(browser, uploaded(browser))
    register(browser, uploaded(browser, CSV.replace(b"45", b"46")), name="Nearly")
    register(elsewhere, uploaded(elsewhere))
    assert Budget.objects.count() == 3
    assert Dataset.objects.filter(held_at__isnull=False).count() == 1


def _people(written: Any, seed: int = 5, count: int = 300) -> bytes:
    drawn = random.Random(seed)
    rows = [
        f"{written(drawn.gauss(50, 12))};{drawn.choice('fm')};{drawn.choice(['Basel', 'Ulm'])}"
        for _ in range(count)
    ]
    return "\n".join(["age;sex;city", *rows, ""]).encode()


def _sent(browser: Client, content: bytes) -> Upload:
    """A file of which its owner is asked first how it is read."""
    assert send_file(browser, content).status_code == 302
    return Upload.objects.latest("created_at")


def _read_with_commas(browser: Client, content: bytes) -> Upload:
    upload = _sent(browser, content)
    browser.post(reverse("datasets:file", args=[upload.pk]), _COMMA)
    upload.refresh_from_db()
    assert upload.reading["decimal"] == ","
    return upload


@pytest.mark.parametrize("written", _WRITTEN.values(), ids=_WRITTEN)
@pytest.mark.parametrize("first_with_commas", [False, True], ids=["point first", "comma first"])
def test_one_file_read_with_another_decimal_mark_shares_the_budget(
    browser: Client, written: Any, first_with_commas: bool
) -> None:
    """F9, F11: every number may become another one or none; the bytes are the same people."""
    content = _people(written)
    ways = [_sent, _read_with_commas]
    first, second = reversed(ways) if first_with_commas else ways
    register(browser, first(browser, content), name="First")
    spend(Dataset.objects.get(), 3 * NANO)
    register(browser, second(browser, content), name="Second", age__upper="99999")
    again = Dataset.objects.get(name="Second")
    assert again.budget_id == Dataset.objects.get(name="First").budget_id
    assert (again.held_at, again.budget.remaining_nano) == (None, 0)


def test_a_file_read_in_another_way_is_no_version_beside_another_budget(browser: Client) -> None:
    """F9: in the words of a file that is recognised by its cells."""
    content = _people(_WRITTEN["71.250"])
    register(browser, _sent(browser, content), name="First")
    register(browser, uploaded(browser), name="Other")
    other, upload = Dataset.objects.get(name="Other"), _read_with_commas(browser, content)
    address = reverse("datasets:add_version", args=[other.slug, upload.pk])
    answer = arrived(browser, browser.post(address, declared(age__upper="99999")))
    assert "which has another budget" in answer.content.decode()
    assert DatasetVersion.objects.filter(dataset=other).count() == 1


def test_added_rows_are_known_by_their_file_too(browser: Client) -> None:
    """F9, L2: not added twice, and no dataset of their own with a budget of its own."""
    register(browser, _sent(browser, _people(_WRITTEN["71.250"], seed=6)), name="First")
    first, added = Dataset.objects.get(), _people(_WRITTEN["71.250"], count=40)
    address = "datasets:add_version"
    for bring, there_already in ((_sent, False), (_read_with_commas, True)):
        posted = declared() | {"holds": "new_rows"}
        where = reverse(address, args=[first.slug, bring(browser, added).pk])
        answer = arrived(browser, browser.post(where, posted))
        assert ("are there already" in answer.content.decode()) == there_already
    assert first.versions.count() == 2
    register(browser, _read_with_commas(browser, added), name="Alone", age__upper="99999")
    assert Dataset.objects.get(name="Alone").budget_id == first.budget_id


def test_data_whose_file_is_not_known_is_not_all_one(browser: Client) -> None:
    """F9: of versions from before the bytes were kept only the cells are compared."""
    register(browser, uploaded(browser), name="First")
    VersionFingerprint.objects.update(file="")
    register(browser, _sent(browser, _people(_WRITTEN["71.250"])), name="Others")
    register(browser, uploaded(browser), name="Again")
    first, others, again = Dataset.objects.order_by("created_at")
    assert first.budget_id == again.budget_id != others.budget_id
    assert others.held_at is None


def test_the_hash_of_a_file_is_kept_by_its_version_and_shown_nowhere(browser: Client) -> None:
    """F9, L3: not on its owner's page, and in no entry of the log."""
    response = register(browser, uploaded(browser))
    kept = VersionFingerprint.objects.get().file
    assert len(kept) == 32
    assert kept not in browser.get(response.url).content.decode()
    assert not any(kept in entry.detail for entry in AuditEntry.objects.all())
