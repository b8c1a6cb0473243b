"""Every page of the dashboards, for every role: what it says, and what it costs the database."""

from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from dpgov.budgets.services import change_limit
from dpgov.datasets.models import Dataset
from dpgov.privacy.accounting.decimals import NANO
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership, Role, Tenant
from dpgov.tenants.selectors import actor_of
from tests.cast import join
from tests.integration.dashboards.reading import figure, page, trace
from tests.small_dataset import register_small_dataset

ClientFor = Callable[[Membership], Client]


@pytest.mark.parametrize("role", ["owner", "analyst", "officer", "admin"])
@pytest.mark.parametrize("name", ["home", "budget", "history", "group_privacy"])
def test_every_role_reads_every_page(
    role: str,
    name: str,
    in_use: list[Query],
    paths: dict[str, str],
    client_for: ClientFor,
    request: pytest.FixtureRequest,
) -> None:
    html = page(client_for(request.getfixturevalue(role)), paths[name])
    assert '<main id="main"' in html
    assert "Harbour Statistics Office" in html
    assert "[invalid" not in html


@pytest.mark.parametrize("name", ["budget", "group_privacy"])
def test_another_tenants_dataset_looks_like_a_missing_one(
    name: str,
    paths: dict[str, str],
    dataset: Dataset,
    stranger: Membership,
    client_for: ClientFor,
) -> None:
    """H1: the same status and the same body."""
    foreign = client_for(stranger).get(paths[name])
    missing = client_for(stranger).get(paths[name].replace(dataset.slug, "nowhere"))
    assert foreign.status_code == missing.status_code == 404
    assert "visits" not in foreign.content.decode().lower()


def test_the_budget_page_adds_up_for_an_owner(
    in_use: list[Query], paths: dict[str, str], owner: Membership, client_for: ClientFor
) -> None:
    html = page(client_for(owner), paths["budget"])
    assert trace(html, "over-time", "Remaining")["y"][-1] == 8.125
    assert trace(html, "over-time", "Limit")["y"][-1] == 10
    assert sum(trace(html, "by-analyst", "Spent")["x"]) == 1.75
    assert sum(trace(html, "by-analyst", "Reserved")["x"]) == 0.125
    names = figure(html, "by-analyst")["layout"]["yaxis"]["ticktext"]
    assert sorted(names) == ["Anna", "Carla"]


def test_the_chart_by_mechanism_names_what_was_asked(
    in_use: list[Query], paths: dict[str, str], owner: Membership, client_for: ClientFor
) -> None:
    html = page(client_for(owner), paths["budget"])
    names = figure(html, "by-mechanism")["layout"]["yaxis"]["ticktext"]
    spent = dict(zip(names, trace(html, "by-mechanism", "Spent")["x"], strict=True))
    assert spent == {"Histogram": 1, "Count": 0.5, "Mean": 0.25}
    assert "discrete Laplace" in html


def test_the_forecast_says_what_it_assumes(
    in_use: list[Query],
    dataset: Dataset,
    paths: dict[str, str],
    owner: Membership,
    client_for: ClientFor,
) -> None:
    """8.125 remain; the median of 0.5, 0.25, 1 and 0.125 is 0.25, so 32 fit."""
    html = page(client_for(owner), paths["budget"])
    assert "about 32" in html
    assert "if each costs ε&nbsp;0.25" in html


def test_a_full_budget_says_that_nothing_fits(
    in_use: list[Query],
    dataset: Dataset,
    paths: dict[str, str],
    owner: Membership,
    analyst: Membership,
    client_for: ClientFor,
) -> None:
    change_limit(
        budget=dataset.budget, limit_nano=1_875_000_000, actor=actor_of(owner.user), reason="done"
    )
    html = page(client_for(analyst), paths["budget"])
    assert "about 0" not in html
    assert "Nothing fits any more" in html
    assert "Then the dataset" not in html
    assert "Runs out: used up" not in html
    for path in (paths["home"], paths["budget"], f"/datasets/{dataset.slug}/", "/datasets/"):
        assert 'class="chip chip-used-up">Used up<' in page(client_for(analyst), path)


def test_a_new_tenant_is_told_what_to_do_first(
    tenant: Tenant,
    owner: Membership,
    analyst: Membership,
    officer: Membership,
    client_for: ClientFor,
) -> None:
    home = reverse("dashboards:home")
    assert "Register your first dataset" in page(client_for(owner), home)
    assert "A data owner of your organisation registers" in page(client_for(analyst), home)
    assert "Log proved up to entry" in page(client_for(officer), home)
    assert "You have not asked anything yet" in page(
        client_for(analyst), reverse("dashboards:history")
    )


def test_the_menu_names_only_what_the_role_may_open(
    dataset: Dataset, analyst: Membership, officer: Membership, client_for: ClientFor
) -> None:
    home = reverse("dashboards:home")
    log = reverse("oversight:audit_log")
    assert f'href="{log}"' not in page(client_for(analyst), home)
    assert f'href="{log}"' in page(client_for(officer), home)
    assert f'active" href="{home}"' in page(client_for(officer), home)


def test_who_belongs_to_two_tenants_can_go_from_one_to_the_other(
    analyst: Membership, stranger: Membership, client_for: ClientFor
) -> None:
    second = Membership.objects.create(tenant=stranger.tenant, user=analyst.user, role=Role.ANALYST)
    client = client_for(analyst)
    assert "Go to Elsewhere Institute" in page(client, reverse("dashboards:home"))
    client.post(reverse("tenants:switch"), {"membership": str(second.id)})
    assert "Go to Harbour Statistics Office" in page(client, reverse("dashboards:home"))


@pytest.mark.parametrize("role", ["owner", "analyst"])
@pytest.mark.parametrize("name", ["home", "budget", "history", "group_privacy"])
def test_a_page_asks_the_database_a_dozen_times_at_most_and_a_budget_with_its_limits_twenty(
    role: str,
    name: str,
    in_use: list[Query],
    paths: dict[str, str],
    owner: Membership,
    client_for: ClientFor,
    request: pytest.FixtureRequest,
) -> None:
    for number in range(5):
        register_small_dataset(owner, name=f"More {number}", limit_nano=NANO)
    client = client_for(request.getfixturevalue(role))
    with CaptureQueriesContext(
        connection,
    ) as asked:
        page(client, paths[name])
    # On Home the statement of surveys, which are of a room of their own, comes to the dozen.
    most = {"budget": 20, "home": 13}.get(name, 12)
    assert len(asked) <= most, [query["sql"] for query in asked]


def test_who_has_no_membership_is_refused_politely(tenant: Tenant, client_for: ClientFor) -> None:
    leaver = join(tenant, Role.ANALYST, "leo")
    leaver.delete()
    response = client_for(leaver).get(reverse("dashboards:home"))
    assert response.status_code == 403
    assert "Sign out" in response.content.decode()
