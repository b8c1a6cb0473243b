"""What is named by people has an address that no page of ours has."""

import re
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import resolve, reverse

from dpgov.datasets.services.registration import free_slug
from dpgov.operation.way_back import takes_get
from dpgov.tenants.models import Membership
from tests.integration.access.doors import DOORS
from tests.integration.access.routes import Kind, all_routes
from tests.small_dataset import register_small_dataset

_BESIDE_DATASETS = re.compile(r"(?:api/v1/)?datasets/([\w-]+)/")
PAGES = {name for name, door in DOORS.items() if door.kind is not Kind.API}
WORDS = sorted(
    {found[1] for route in all_routes() if (found := _BESIDE_DATASETS.match(route.path))}
)


def test_there_are_such_pages() -> None:
    assert {"new", "choosing-epsilon"} <= set(WORDS)


@pytest.mark.parametrize("word", WORDS)
def test_no_dataset_gets_the_address_of_a_page(word: str, owner: Membership) -> None:
    """H8: whoever calls a dataset like one of our pages can still open it."""
    slug = free_slug(owner.tenant, word)
    found = [resolve(f"{door}/datasets/{slug}/") for door in ("", "/api/v1")]
    assert [each.kwargs.get("slug") for each in found] == [slug, slug]


def test_a_dataset_that_is_called_like_a_page_of_ours_has_its_own(
    owner: Membership, analyst: Membership, client_for: Callable[[Membership], Client]
) -> None:
    made = register_small_dataset(owner, name="Choosing epsilon")
    for person in (owner, analyst):
        page = client_for(person).get(reverse("datasets:detail", args=[made.slug]))
        assert page.status_code == 200
        assert page.resolver_match.view_name == "datasets:detail"


def test_which_addresses_show_a_page_is_known_of_each_without_asking_it() -> None:
    """H1: as the table of doors says, whose answers are tried by every method."""
    known = {route.name: takes_get(route.view) for route in all_routes() if route.name in PAGES}
    assert known == {name: "GET" in DOORS[name].methods for name in PAGES}
    assert {True, False} == set(known.values())
