"""Saved questions: one's own, free, priced anew when opened, and removed with an undo."""

import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from dpgov.datasets.models import Dataset
from dpgov.queries.models import SavedQuestion
from dpgov.queries.workbench.saved import MOST_SAVED, SavedNameTaken, TooManySaved, save_question
from dpgov.tenants.models import Membership, Role
from tests.cast import join
from tests.integration.queries.conftest import Filled, lower_limit
from tests.integration.queries.web.test_quote_page import text_of

SAVE = "/datasets/visits/save/"
Unchanged = Callable[[], AbstractContextManager[None]]


def save(browser: Client, counting: Filled, name: str = "Weekly count") -> SavedQuestion:
    answer = browser.post(SAVE, counting.posted(saved_name=name))
    assert answer.status_code == 302, text_of(answer.content)
    return SavedQuestion.objects.get(name=" ".join(name.split()), removed_at=None)


def test_saving_asks_and_charges_nothing_and_the_list_names_the_price(
    browser: Client, dataset: Dataset, counting: Filled, unchanged: Unchanged
) -> None:
    counting.add("filter", column="sex", op="in", values=["Male"])
    with unchanged():
        save(browser, counting)
        said = text_of(browser.get("/saved/").content)
    assert "Weekly count Count of rows, where sex is Male Visits ε 0.5" in said


def test_opening_one_shows_its_form_with_the_price_as_it_is_now(
    browser: Client, dataset: Dataset, counting: Filled, django_assert_max_num_queries: Any
) -> None:
    kept = save(browser, counting.add("group", column="sex", which="all"))
    lower_limit(dataset, 300_000_000)
    page = browser.get(f"/datasets/visits/ask/?saved={kept.pk}")
    said = text_of(page.content)
    assert "Count of rows, for each sex (Female, Male)." in said
    assert "Only ε 0.3 remains" in said
    with django_assert_max_num_queries(12):
        browser.get("/saved/")


def test_removing_can_be_undone(browser: Client, dataset: Dataset, counting: Filled) -> None:
    kept = save(browser, counting)
    removed = browser.post(f"/saved/{kept.pk}/remove/", follow=True)
    said = text_of(removed.content)
    assert "“Weekly count” is removed. Undo" in said
    assert "No saved question yet" in said
    back = browser.post(f"/saved/{kept.pk}/restore/", follow=True)
    assert "Price and ask Weekly count" in text_of(back.content)


def test_a_name_stands_for_one_question_and_an_undo_does_not_break_that(
    browser: Client, dataset: Dataset, counting: Filled
) -> None:
    first = save(browser, counting)
    again = browser.post(SAVE, counting.posted(saved_name="Weekly  count "))
    assert again.status_code == 422
    assert "You have a question called “Weekly count” already" in text_of(again.content)
    browser.post(f"/saved/{first.pk}/remove/")
    save(browser, counting)
    back = browser.post(f"/saved/{first.pk}/restore/", follow=True)
    assert "already. Choose another name" in text_of(back.content)
    assert SavedQuestion.objects.filter(removed_at=None).count() == 1


@pytest.mark.parametrize("name", ["", "   ", "x" * 81])
def test_a_question_without_a_usable_name_is_not_saved(
    browser: Client, dataset: Dataset, counting: Filled, name: str
) -> None:
    answer = browser.post(SAVE, counting.posted(saved_name=name))
    assert answer.status_code == 422
    assert "Type a name of 1 to 80 characters" in text_of(answer.content)
    assert not SavedQuestion.objects.exists()


def test_what_cannot_be_asked_cannot_be_saved(browser: Client, dataset: Dataset) -> None:
    broken = Filled().add("statistic", kind="mean", column="")
    assert browser.post(SAVE, broken.posted(saved_name="broken")).status_code == 422


def test_a_colleague_neither_sees_nor_opens_nor_removes_it(
    browser: Client,
    analyst: Membership,
    dataset: Dataset,
    counting: Filled,
    client_for: Callable[[Membership], Client],
) -> None:
    """H1: within a tenant, notes are each person's own."""
    kept = save(browser, counting)
    colleague = client_for(join(analyst.tenant, Role.ANALYST, "carl"))
    assert "Weekly count" not in text_of(colleague.get("/saved/").content)
    for known in (kept.pk, uuid4()):
        assert colleague.get(f"/datasets/visits/ask/?saved={known}").status_code == 404
        assert colleague.post(f"/saved/{known}/remove/").status_code == 404
        assert colleague.post(f"/saved/{known}/restore/").status_code == 404
    assert re.search("Weekly count", text_of(browser.get("/saved/").content))


def test_a_list_has_an_end(
    analyst: Membership, dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert MOST_SAVED > 100
    monkeypatch.setattr("dpgov.queries.workbench.saved.MOST_SAVED", 1)
    known: dict[str, Any] = {"membership": analyst, "dataset": dataset, "plan": {"epsilon": 1}}
    save_question(**known, name="one")
    with pytest.raises(TooManySaved):
        save_question(**known, name="two")
    monkeypatch.setattr("dpgov.queries.workbench.saved.MOST_SAVED", 2)
    with pytest.raises(SavedNameTaken):
        save_question(**known, name="one")
