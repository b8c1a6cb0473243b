"""F9: what resembles earlier data is held, and nobody learns whose it is."""

import re
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from dpgov.datasets.models import Dataset
from dpgov.tenants.models import Membership
from tests.integration.datasets.arriving import CHANGED, PEOPLE, SAME, arrives
from tests.integration.datasets.invented import Rows, as_csv, people

SignIn = Callable[[Membership], Client]


@pytest.mark.parametrize("change", CHANGED.values(), ids=CHANGED.keys())
def test_much_the_same_data_is_held_in_the_same_tenant_and_in_any_other(
    browser: Client, elsewhere: Client, earlier: Dataset, change: Callable[[Rows], bytes]
) -> None:
    """F9: what people do to a file before they upload it again."""
    assert arrives(browser, change(PEOPLE)).held_at is not None
    assert arrives(elsewhere, change(PEOPLE)).held_at is not None


@pytest.mark.parametrize("content", SAME.values(), ids=SAME.keys())
def test_the_same_data_shares_its_budget_at_home_and_is_held_elsewhere(
    browser: Client, elsewhere: Client, earlier: Dataset, content: bytes
) -> None:
    """F9, F11: at home there is nothing to decide."""
    again = arrives(browser, content)
    assert (again.held_at, again.budget_id) == (None, earlier.budget_id)
    moved = arrives(elsewhere, content)
    assert moved.held_at is not None
    assert moved.budget_id != earlier.budget_id


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
    for name in ("datasets:detail", "queries:ask", "dashboards:budget", "dashboards:group_privacy"):
        assert client.get(reverse(name, args=[held.slug])).status_code == 404
    for name in ("datasets:list", "dashboards:overview", "dashboards:history"):
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


def test_the_owner_reads_the_same_whether_the_match_is_inside_or_outside(
    browser: Client, elsewhere: Client, earlier: Dataset
) -> None:
    """F9, H8: the same words, the same form, the same redirect, and nothing of whose it is."""
    change = CHANGED["one row less"](PEOPLE)
    arrives(elsewhere, as_csv(people(8)), name="Earlier")
    inside = arrives(browser, change, name="Later")
    outside = arrives(elsewhere, change, name="Later")
    pages = [
        client.get(reverse("datasets:held", args=[dataset.pk])).content.decode()
        for client, dataset in ((browser, inside), (elsewhere, outside))
    ]
    assert _plain(pages[0]) == _plain(pages[1])
    assert "resembles-title" not in pages[0]
    assert "another organisation" not in pages[0]


def _plain(page: str) -> str:
    """The main part without ids, tokens, times and people's names."""
    main = page[page.index("<main") : page.index("</main>")]
    hidden = r"csrfmiddlewaretoken\" value=\"[^\"]*\""
    changing = rf"[0-9a-f]{{8}}-[0-9a-f-]{{27}}|Olga|Sven|{hidden}|<time.*?</time>"
    return re.sub(changing, "", main, flags=re.S)


def test_an_officer_sees_own_datasets_by_name_and_others_as_being_there(
    held: Dataset,
    browser: Client,
    elsewhere: Client,
    officer: Membership,
    client_for: SignIn,
) -> None:
    """F9: no name, count or time of another tenant's."""
    address = reverse("datasets:held", args=[held.pk])
    before = client_for(officer).get(address).content.decode()
    assert "mostly the same rows" in before
    assert "Earlier" in before
    assert "another organisation" not in before
    arrives(elsewhere, as_csv(PEOPLE), name="Secret study")
    arrives(elsewhere, as_csv(PEOPLE[::-1]), name="Second secret")
    after = client_for(officer).get(address).content.decode()
    assert after.count("Data of another organisation in this installation") == 1
    assert "ecret" not in after
    assert "Elsewhere" not in after
