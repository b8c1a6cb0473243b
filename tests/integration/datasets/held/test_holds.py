"""F9: what resembles earlier data of the same owner is held."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from dpgov.datasets.models import Dataset
from dpgov.tenants.models import Membership
from tests.integration.datasets import quick
from tests.integration.datasets.arriving import CHANGED, PEOPLE, SAME, arrives
from tests.integration.datasets.invented import Rows, as_csv, people

SignIn = Callable[[Membership], Client]


@pytest.mark.parametrize("change", CHANGED.values(), ids=CHANGED.keys())
def test_much_the_same_data_of_the_same_owner_is_held(
    browser: Client, earlier: Dataset, change: Callable[[Rows], bytes]
) -> None:
    """F9: what people do to a file before they upload it again."""
    # A column of which nothing can be used would be refused, so it is not declared.
    later = arrives(browser, change(PEOPLE), sex__kind="", sex__categories="")
    assert later.held_at is not None


@pytest.mark.parametrize("content", SAME.values(), ids=SAME.keys())
def test_the_same_data_of_the_same_owner_shares_its_budget(
    browser: Client, earlier: Dataset, content: bytes
) -> None:
    """F9, F11: there is nothing to decide."""
    again = arrives(browser, content)
    assert (again.held_at, again.budget_id) == (None, earlier.budget_id)


def test_a_table_of_few_different_rows_with_one_less_gets_no_fresh_budget(
    owner: Membership,
) -> None:
    """L3, F9: nor with one more, nor without a column."""
    answers = [("fm"[n % 2], "NSEW"[n * n % 7 % 4], "yn"[n % 3 // 2]) for n in range(300)]
    names = ("sex", "region", "smoker")
    first = quick.registered(owner, answers, names)
    for rows, columns in (
        (answers[:-1], names),
        ([*answers, answers[0]], ("a", "b", "c")),
        ([each[1:] for each in answers[1:]], names[1:]),
    ):
        again = quick.registered(owner, rows, columns)
        assert (first.held_reason, again.held_reason) == ("", "like_earlier_data")


def test_other_people_in_the_same_columns_are_not_held(
    browser: Client, elsewhere: Client, earlier: Dataset
) -> None:
    """F9: the same schema and distributions say nothing."""
    assert arrives(browser, as_csv(people(3))).held_at is None
    assert arrives(elsewhere, as_csv(people(4))).held_at is None


def test_a_held_dataset_looks_missing_to_analysts(
    held: Dataset,
    analyst: Membership,
    client_for: SignIn,
    api_for: Callable[[Membership], APIClient],
) -> None:
    """F9, H1: on every page, in the API, and as a question."""
    client, api = client_for(analyst), api_for(analyst)
    for name in ("datasets:detail", "queries:ask", "dashboards:budget", "explain:group_privacy"):
        assert client.get(reverse(name, args=[held.slug])).status_code == 404
    for name in ("datasets:list", "dashboards:home", "dashboards:history"):
        page = client.get(reverse(name)).content.decode()
        assert "Later" not in page
        assert "Held" not in page
    assert [found["name"] for found in api.get("/api/v1/datasets/").json()["results"]] == [
        "Earlier"
    ]
    plan = {"dataset": held.slug, "statistics": [{"statistic": "count"}], "epsilon": 0.1}
    asked = api.post("/api/v1/queries/", plan, format="json", headers={"Idempotency-Key": "k"})
    nowhere = api.post(
        "/api/v1/queries/",
        plan | {"dataset": "nowhere"},
        format="json",
        headers={"Idempotency-Key": "l"},
    )
    assert asked.status_code == nowhere.status_code
    assert held.slug not in asked.content.decode()


def test_its_owner_may_do_nothing_with_it_but_ask_for_a_decision(
    browser: Client, held: Dataset
) -> None:
    """F9: no describing, archiving, versions or limits while it is held."""
    for page in ("describe", "rename", "access", "versions", "limit", "archive"):
        assert browser.get(reverse(f"datasets:{page}", args=[held.slug])).status_code == 404
    assert "Held for a compliance check" in browser.get(reverse("datasets:list")).content.decode()


def test_an_officer_sees_what_it_resembles_and_its_owner_does_not(
    held: Dataset,
    browser: Client,
    elsewhere: Client,
    officer: Membership,
    client_for: SignIn,
) -> None:
    """F9, L1: own datasets by name; nothing of another tenant's without an agreement."""
    arrives(elsewhere, as_csv(PEOPLE), name="Secret study")
    address = reverse("datasets:held", args=[held.pk])
    seen = client_for(officer).get(address).content.decode()
    assert "most of the rows; very likely the same people" in seen
    assert ">Earlier</a>" in seen
    own = browser.get(address).content.decode()
    assert "resembles data that you brought before" in own
    assert "most of the rows" not in own
    for page in (seen, own):
        assert "ecret" not in page
        assert "Elsewhere" not in page
