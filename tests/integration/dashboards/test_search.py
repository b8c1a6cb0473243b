"""Ctrl-K: everything that this reader may see, and nothing else."""

from collections.abc import Callable
from urllib.parse import quote

import pytest
from django.test import Client
from django.urls import reverse

from dpgov.datasets.models import Dataset
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership, Role, Tenant
from tests.cast import join
from tests.integration.dashboards.reading import page

ClientFor = Callable[[Membership], Client]
SEARCH = reverse("dashboards:search")


def found(client: Client, text: str) -> dict[str, list[str]]:
    answer = client.get(f"{SEARCH}?q={quote(text)}")
    assert answer.status_code == 200
    return {kind.heading: [hit.label for hit in kind.hits] for kind in answer.context["kinds"]}


def test_an_officer_finds_a_dataset_its_pages_a_column_a_person_and_an_entry(
    in_use: list[Query], officer: Membership, client_for: ClientFor
) -> None:
    client = client_for(officer)
    assert found(client, "visi")["Datasets"] == ["Visits"]
    assert found(client, "visits limits")["Datasets"] == ["Limits: Visits"]
    assert found(client, "AGE")["Columns"] == ["age"]
    assert found(client, "ann")["People"] == ["Anna"]
    assert found(client, "#3")["Log"] == ["Entry 3"]
    assert found(client, "checkp")["Pages"] == ["Checkpoints"]
    assert found(client, "99999999") == {}


ACTIONS = [
    ("owner", "visits pol", ["Policy: Visits"]),
    ("owner", "pause vis", ["Pause: Visits"]),
    ("owner", "version visits", ["New version: Visits"]),
    ("owner", "limit visits", ["Limits: Visits", "Limit: Visits"]),
    ("officer", "suspicious visits", ["Suspicious patterns: Visits"]),
    ("analyst", "pause visits", []),
    ("owner", "register", ["Register a dataset"]),
    ("analyst", "register", []),
    ("admin", "invite", ["Invite a member"]),
    ("analyst", "token", ["API tokens"]),
]


@pytest.mark.parametrize(("role", "text", "labels"), ACTIONS)
def test_what_one_may_do_is_found_and_opens(
    role: str, text: str, labels: list[str], in_use: list[Query], client_for: ClientFor,
    request: pytest.FixtureRequest,
) -> None:  # fmt: skip
    client = client_for(request.getfixturevalue(role))
    kinds = client.get(f"{SEARCH}?q={quote(text)}").context["kinds"]
    hits = [hit for kind in kinds if kind.heading in ("Pages", "Datasets") for hit in kind.hits]
    assert [hit.label for hit in hits] == labels
    assert [client.get(hit.href).status_code for hit in hits] == [200] * len(hits)


def test_analysts_find_their_own_questions_and_nobody_else(
    in_use: list[Query],
    tenant: Tenant,
    analyst: Membership,
    client_for: ClientFor,
) -> None:
    """H2: who asks what is nobody's business but the owners' and the officers'."""
    another = join(tenant, Role.ANALYST, "berta@example.org")
    assert found(client_for(analyst), "mean")["Questions"]
    assert "Questions" not in found(client_for(another), "mean")
    for text in ("anna", "1", "#1"):
        assert {"People", "Log"} & set(found(client_for(another), text)) == set()


def test_another_organisation_finds_nothing_of_it(
    in_use: list[Query], stranger: Membership, client_for: ClientFor
) -> None:
    """H1."""
    client = client_for(stranger)
    for text in ("visits", "age", "anna", "mean", "hours"):
        assert set(found(client, text)) <= {"Pages", "Lessons"}


@pytest.mark.parametrize("text", ["", "   ", "%", "_", "<script>", "x" * 1000])
def test_odd_words_find_nothing_and_break_nothing(
    text: str, dataset: Dataset, analyst: Membership, client_for: ClientFor
) -> None:
    html = page(client_for(analyst), f"{SEARCH}?q={quote(text)}")
    assert "<script>alert" not in html
    assert "Visits" not in html.partition("hits-panel")[2]


def test_the_box_gets_the_list_alone(
    dataset: Dataset, analyst: Membership, client_for: ClientFor
) -> None:
    answer = client_for(analyst).get(f"{SEARCH}?q=visits", headers={"HX-Request": "true"})
    html = answer.content.decode()
    assert "<html" not in html
    assert f'href="{reverse("datasets:detail", args=[dataset.slug])}"' in html
