"""How losses add up is declared at registration, and there is no door to change it."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import NoReverseMatch, reverse

from dpgov.audit.models import AuditEntry
from dpgov.budgets.words import promise_said
from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import current_version, schema_of
from dpgov.privacy.accounting.loss import Mode, rho_of
from dpgov.tenants.models import Membership
from tests.eager import refused
from tests.integration.access.routes import all_routes
from tests.integration.datasets.registering import CSV, register, uploaded
from tests.made_once import made_once

ClientFor = Callable[[Membership], Client]
NANO = 10**9
ZCDP = {"mode": "zcdp", "delta": "0.000001"}


@made_once
def client(owner: Membership, client_for: ClientFor) -> Client:
    return client_for(owner)


def test_a_dataset_is_registered_under_zcdp(client: Client) -> None:
    """F3: the mode, δ and the ε of the limit are kept with the budget."""
    response = register(client, uploaded(client), **ZCDP)
    assert response.status_code == 302, response.content.decode()
    dataset = Dataset.objects.select_related("budget").get()
    budget = dataset.budget
    assert (budget.mode, budget.delta, budget.limit_epsilon_nano) == ("zcdp", "1e-6", 3 * NANO)
    assert budget.limit_nano == 185_069_840
    assert dataset.per_query_limit_nano == rho_of(NANO)
    assert promise_said(budget.protects) == "one unit, added or removed"
    assert schema_of(current_version(dataset)).mode is Mode.ZCDP
    entry = AuditEntry.objects.get(action="DATASET_REGISTERED")
    assert '"mode":"zcdp"' in entry.detail
    assert '"limit_rho":"0.18506984"' in entry.detail
    assert '"limit_target_epsilon":"3"' in entry.detail


def test_pure_epsilon_is_what_nobody_has_to_choose(client: Client) -> None:
    register(client, uploaded(client), delta="1e-6")
    budget = Dataset.objects.get().budget
    assert (budget.mode, budget.delta, budget.target_nano) == ("pure", "", None)
    assert budget.limit_nano == 3 * NANO


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("", "Give a δ"),
        ("0", "between 1e-30 and 0.1"),
        ("0.5", "between 1e-30 and 0.1"),
        ("1", "between 1e-30 and 0.1"),
        ("-1e-6", "between 1e-30 and 0.1"),
        ("nan", "plain decimal"),
        ("١e-6", "plain decimal"),
        ("1e-6; drop", "plain decimal"),
    ],
)
def test_a_delta_that_is_none_is_said_at_its_field(client: Client, typed: str, said: str) -> None:
    response = register(client, uploaded(client), mode="zcdp", delta=typed)
    assert response.status_code == 422
    assert said in str(response.context["form"].dataset.errors["delta"])
    assert not Dataset.objects.exists()


def test_a_limit_with_room_for_nothing_is_said_at_its_field(client: Client) -> None:
    response = register(
        client,
        uploaded(client),
        mode="zcdp",
        delta="1e-30",
        epsilon_limit="0.0000001",
        epsilon_per_query="0.0000001",
    )
    assert response.status_code == 422
    assert "too small for any answer" in str(
        response.context["form"].dataset.errors["epsilon_limit"]
    )


@pytest.mark.parametrize(
    ("first", "again", "field"),
    [
        (ZCDP, {}, "mode"),
        ({}, ZCDP, "mode"),
        (ZCDP, ZCDP | {"delta": "1e-5"}, "delta"),
    ],
)
def test_the_same_people_keep_their_mode_and_delta(
    client: Client, first: dict[str, str], again: dict[str, str], field: str
) -> None:
    """F3: registering again is no way around it."""
    register(client, uploaded(client), **first)
    response = register(client, uploaded(client, CSV), name="Again", **again)
    assert refused(response)
    assert "Choose the same" in str(response.context["form"].dataset.errors[field])
    assert Dataset.objects.count() == 1


def test_the_same_people_share_their_budget_in_the_same_mode(client: Client) -> None:
    register(client, uploaded(client), **ZCDP)
    response = register(client, uploaded(client, CSV), name="Again", **ZCDP)
    assert response.status_code == 302
    assert Dataset.objects.values("budget").distinct().count() == 1


def test_no_form_of_a_registered_dataset_takes_a_mode(client: Client) -> None:
    """F3: of all pages about a dataset that is there, none has such a field."""
    register(client, uploaded(client), **ZCDP)
    slug = Dataset.objects.get().slug
    about = [r for r in all_routes() if r.name.startswith(("datasets:", "dashboards:"))]
    pages = [_address(route.name, slug) for route in about]
    asked = [client.get(address) for address in pages if address]
    assert len(asked) > 8
    for response in asked:
        html = response.content.decode()
        assert 'name="mode"' not in html, response.request["PATH_INFO"]


def _address(name: str, slug: str) -> str:
    try:
        return reverse(name, args=[slug])
    except NoReverseMatch:
        return ""


def test_lowering_the_limit_is_typed_as_epsilon_at_the_same_delta(client: Client) -> None:
    register(client, uploaded(client), **ZCDP)
    dataset = Dataset.objects.get()
    path = reverse("datasets:limit", args=[dataset.slug])
    assert "New limit on ε at δ 1e-6" in client.get(path).content.decode()
    refused = client.post(path, {"epsilon_limit": "3", "reason": "less"})
    assert "The limit is ε 3 at δ 1e-6" in str(refused.context["form"].errors)
    client.post(path, {"epsilon_limit": "1", "reason": "less", "confirmed": str(NANO)})
    lowered = Dataset.objects.get().budget
    assert (lowered.limit_nano, lowered.limit_epsilon_nano) == (24_355_970, NANO)
